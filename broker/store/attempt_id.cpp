#include "broker/store/attempt_id.hpp"

#include <atomic>
#include <cstdint>
#include <random>

namespace sluice::store {

namespace {

std::uint64_t random_number() {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
}

}  // namespace

// A random number for each process, and a counter that begins at another.
AttemptId random_attempt_id() {
    static const std::uint64_t of_process = random_number();
    static std::atomic<std::uint64_t> next{random_number()};
    return {of_process, next.fetch_add(1, std::memory_order_relaxed)};
}

}  // namespace sluice::store
