#include "tests/bench/load/ledger.hpp"

#include <algorithm>
#include <stdexcept>

namespace sluice::load {

namespace {

bool take(Receivers& from, std::size_t connection) {
    const auto at = std::lower_bound(from.begin(), from.end(), connection);
    if (at == from.end() || *at != connection) return false;
    from.erase(at);
    return true;
}

}  // namespace

void Latencies::add(Clock::duration time) {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    samples_us.push_back(static_cast<std::uint32_t>(std::clamp<std::int64_t>(us, 0, UINT32_MAX)));
}

std::uint32_t Latencies::quantile_us(double q) {
    if (samples_us.empty()) return 0;
    const auto rank = static_cast<std::size_t>(q * static_cast<double>(samples_us.size() - 1) + 0.5);
    const auto place = samples_us.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(samples_us.begin(), place, samples_us.end());
    return *place;
}

void Ledger::published(std::uint64_t number, Clock::time_point intended, const Receivers& receivers) {
    if (items_.empty()) first_ = number;
    if (number != first_ + items_.size()) throw std::logic_error("items must be published in order");
    items_.push_back({intended, receivers});
    expected_ += receivers.size();
}

void Ledger::refused(std::uint64_t number) {
    if (number < first_ || number - first_ >= items_.size()) return;
    auto& missing = items_[number - first_].missing;
    expected_ -= missing.size();
    missing.clear();
}

void Ledger::received(std::uint64_t number, std::size_t connection, Clock::time_point now) {
    const bool known = number >= first_ && number - first_ < items_.size();
    auto* const item = known ? &items_[number - first_] : nullptr;
    if (item == nullptr || !take(item->missing, connection)) {
        ++unexpected_;
        return;
    }
    ++received_;
    latencies_.add(now - item->intended);
    while (!items_.empty() && items_.front().missing.empty()) {
        items_.pop_front();
        ++first_;
    }
}

}  // namespace sluice::load
