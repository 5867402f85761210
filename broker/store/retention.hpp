// How much of a stream is retained. Events are dropped as soon as one of the bounds is exceeded, the oldest first.
#pragma once

#include <chrono>
#include <cstddef>

namespace sluice::store {

struct Retention {
    std::chrono::microseconds age = std::chrono::microseconds::max();
    std::size_t events = ~std::size_t{0};
    std::size_t bytes = ~std::size_t{0};  // of memory or disk

    friend bool operator==(const Retention&, const Retention&) = default;
};

}  // namespace sluice::store
