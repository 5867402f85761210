// Replaces operator new, and malloc in our own sources, of the program that it is linked into, with failures on demand:
// on all threads except exempt ones, such as a test's own. The program is linked with --wrap=malloc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::testing {

struct FailingAllocations {
    // From now on, every n-th allocation throws std::bad_alloc; `once`: only the first of these.
    static void fail_every(std::uint64_t n, bool once);
    // From now on, the n-th allocation that this thread makes in a Here throws, and no other.
    static void fail_here(std::uint64_t n);
    // From now on, those that this thread makes in a Here are counted, and none fails.
    static void count_here();
    // From now on, allocations of more than this many bytes throw.
    static void fail_above(std::size_t bytes);
    static void stop();
    static std::uint64_t failed();  // since the last of these calls
    static std::uint64_t made();    // since count_here()
    static void exempt_this_thread(bool exempt = true);

    class Here {
    public:
        Here();
        ~Here();
        Here(const Here&) = delete;
        Here& operator=(const Here&) = delete;
    };
};

}  // namespace sluice::testing
