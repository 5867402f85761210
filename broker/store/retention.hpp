// How much of a stream is retained. Events are dropped as soon as one of the bounds is exceeded, the oldest first.
#pragma once

#include <chrono>
#include <cstddef>

namespace sluice::store {

struct Retention {
    std::chrono::microseconds age = std::chrono::microseconds::max();
    std::size_t events = ~std::size_t{0};
    std::size_t bytes = ~std::size_t{0};  // of memory or disk
    // Of a published item's identity on disk, since it was last seen. Events come and go without it.
    std::chrono::microseconds identities = std::chrono::microseconds::max();

    friend bool operator==(const Retention&, const Retention&) = default;
};

}  // namespace sluice::store
