// Replaces operator new, and malloc in our own sources, of the program that it is linked into, with failures on demand:
// on all threads except exempt ones, such as a test's own. The program is linked with --wrap=malloc.
#pragma once

#include <cstdint>

namespace sluice::broker {

struct FailingAllocations {
    // From now on, every n-th allocation throws std::bad_alloc; `once`: only the first of these.
    static void fail_every(std::uint64_t n, bool once);
    static void stop();
    static std::uint64_t failed();  // since fail_every()
    static void exempt_this_thread(bool exempt = true);
};

}  // namespace sluice::broker
