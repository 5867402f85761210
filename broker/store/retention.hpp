// How much of a stream is retained. Events are dropped as soon as one of the bounds is exceeded, the oldest first.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace sluice::store {

struct Retention {
    std::chrono::microseconds age = std::chrono::microseconds::max();
    std::size_t events = ~std::size_t{0};
    std::size_t bytes = ~std::size_t{0};  // of memory or disk
    // Of a published item's identity on disk, since it was last seen. Events come and go without it.
    std::chrono::microseconds identities = std::chrono::microseconds::max();

    friend bool operator==(const Retention&, const Retention&) = default;
};

// What is kept although the stream's retention would drop it: its events from `first_id` on, while those that retention
// alone would have dropped take at most `bytes`. If they take more, the oldest are dropped.
struct Hold {
    std::uint64_t first_id = 0;
    std::size_t bytes = 0;  // of memory or disk; 0: nothing is held

    bool holds(std::uint64_t id) const { return bytes != 0 && id >= first_id; }
    friend bool operator==(const Hold&, const Hold&) = default;
};

}  // namespace sluice::store
