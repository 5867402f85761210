#include "broker/cli/client/backoff.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace sluice::cli {

Backoff::Backoff(std::function<double()> random) : random_(std::move(random)) {}

Backoff::Duration Backoff::next() {
    const Duration wait = last_ ? std::max(2 * *last_, least_growth) : first_;
    last_ = std::min(wait, longest);
    return std::chrono::duration_cast<Duration>(*last_ * (0.5 + 0.5 * random_()));
}

void Backoff::reset() { last_.reset(); }

void Backoff::set_first(Duration first) { first_ = std::min(first, longest); }

double random_share() {
    static thread_local std::mt19937 engine{std::random_device{}()};
    return std::uniform_real_distribution<double>(0, 1)(engine);
}

}  // namespace sluice::cli
