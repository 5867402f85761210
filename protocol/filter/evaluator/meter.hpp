// The budget of an evaluation: steps, each about a nanosecond, and bytes of memory. When a budget is spent, the
// evaluation ends with an exception. Every steps_per_pause steps the meter calls the owner's hook, which may end the
// evaluation, too. Steps don't depend on the machine: the same work always takes the same number. Belongs to one
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory_resource>
#include <utility>

namespace sluice::xpath {

// Thrown when a budget is spent. It does not leave the classes that evaluate.
struct OverBudget {};

// The cost of work, in steps. Visiting a node, writing a byte and comparing a pair of values take one step each.
// bench_scanned shows what a step of each kind of work takes.
inline constexpr std::uint64_t steps_per_condition = 100;  // per condition of a document: finding room for its answers
inline constexpr std::uint64_t steps_per_evaluation = 50;  // for beginning and ending one
inline constexpr std::uint64_t steps_per_name = 20;        // per name of a condition that is looked up in the document
inline constexpr std::uint64_t steps_per_part = 30;        // per part that is the same for all nodes
inline constexpr std::uint64_t steps_per_binding = 100;    // per evaluation that reads variables
inline constexpr std::uint64_t steps_per_expression = 8;   // per part that is evaluated
inline constexpr std::uint64_t steps_per_set = 80;         // per set of nodes built: it allocates memory
inline constexpr std::uint64_t steps_per_member = 3;       // per node added to a set
inline constexpr std::uint64_t steps_per_hash = 16;        // per string hashed, or namespace looked up
inline constexpr std::uint64_t steps_per_text = 8;         // per string-value of a node
inline constexpr std::uint64_t steps_per_number = 16;      // per string converted to a number
inline constexpr std::uint64_t bytes_per_step = 8;         // for bytes that are only read: compared, hashed
inline constexpr std::uint64_t searched_per_step = 2;      // bytes in which a string is searched for
inline constexpr std::uint64_t steps_per_pause = 100'000;

class Meter {
public:
    static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max() / 2;

    explicit Meter(std::function<void()> pause = {}) : pause_(std::move(pause)) {}

    // Resets the meter to a budget of `steps_max` steps.
    void begin(std::uint64_t steps_max) {
        spent_ = 0;
        steps_max_ = steps_max;
        next_pause_ = steps_per_pause;
        stop_ = std::min(steps_max_ + 1, next_pause_);
    }
    void spend(std::uint64_t steps) {
        spent_ += steps;
        if (spent_ >= stop_) [[unlikely]]
            stop();
    }
    // For slow work that is already paid for: calls the hook and spends nothing.
    void look() const {
        if (pause_) pause_();
    }
    void read(std::size_t bytes) { spend(1 + bytes / bytes_per_step); }
    std::uint64_t spent() const { return std::min(spent_, steps_max_); }

private:
    void stop();

    std::function<void()> pause_;
    std::uint64_t spent_ = 0, steps_max_ = unlimited, next_pause_ = steps_per_pause, stop_ = steps_per_pause;
};

// Counts allocated memory, and refuses allocations above its limit.
class MeteredMemory final : public std::pmr::memory_resource {
public:
    // Allows `bytes_max` more bytes than are held now.
    void begin(std::size_t bytes_max) {
        const std::size_t all = std::numeric_limits<std::size_t>::max();
        bytes_max_ = bytes_max < all - held_ ? held_ + bytes_max : all;
    }
    std::size_t held() const { return held_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override;
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    std::size_t held_ = 0, bytes_max_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace sluice::xpath
