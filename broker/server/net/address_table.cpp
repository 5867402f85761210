#include "broker/server/net/address_table.hpp"

#include <algorithm>

#include "broker/server/net/plain_address.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t addresses_max = 65'536;
// After a pause, two seconds' worth of requests may come at once, or a minute's worth of new streams.
constexpr std::int64_t burst_seconds = 2;
constexpr std::chrono::seconds sweep_interval{10}, sweep_interval_full{1};

base::TokenBucket::Clock::duration interval_of(std::chrono::seconds span, std::size_t tokens) {
    const auto nanoseconds = std::chrono::nanoseconds(span) / static_cast<std::int64_t>(tokens);
    return std::max(std::chrono::nanoseconds(1), nanoseconds);
}

}  // namespace

AddressUse::Wait AddressUse::take_request(Clock::time_point now) {
    if (limits_.requests == 0) return std::nullopt;
    return requests_.take(now, interval_of(std::chrono::seconds(1), limits_.requests),
                          burst_seconds * static_cast<std::int64_t>(limits_.requests));
}

AddressUse::Wait AddressUse::take_stream(Clock::time_point now) {
    if (limits_.streams == 0) return std::nullopt;
    return streams_.take(now, interval_of(std::chrono::minutes(1), limits_.streams),
                         static_cast<std::int64_t>(limits_.streams));
}

bool AddressUse::take(Amount& used, std::size_t more, std::size_t most) {
    const std::size_t before = used.fetch_add(more, std::memory_order_relaxed);
    if (most == 0 || (more <= most && before <= most - more)) return true;
    used.fetch_sub(more, std::memory_order_relaxed);
    return false;
}

AddressTable::AddressTable(AddressLimits limits)
    : limits_(std::move(limits)), exempt_(limits_.exempt), exempt_use_(std::make_shared<AddressUse>(no_limits_)) {}

AddressPlace AddressTable::connect(const asio::ip::address& address, Clock::time_point now) {
    std::shared_ptr<AddressUse> use = use_of(address, now);
    return use->take_connection() ? AddressPlace(std::move(use), true) : AddressPlace();
}

AddressPlace AddressTable::connect_proxy(const asio::ip::address& address, Clock::time_point now) {
    return AddressPlace(use_of(address, now), false);
}

std::shared_ptr<AddressUse> AddressTable::use_of(const asio::ip::address& address, Clock::time_point now) {
    if (exempt_.contains(address)) return exempt_use_;
    const Key key = network_key(address);
    const std::lock_guard lock(mutex_);
    const bool is_full = uses_.size() >= addresses_max;
    if (now - swept_at_ >= (is_full ? sweep_interval_full : sweep_interval)) forget_idle(now);
    if (const auto known = uses_.find(key); known != uses_.end()) return known->second;
    return uses_.emplace(key, std::make_shared<AddressUse>(limits_)).first->second;
}

// Keeps addresses with connections and, while there is room, those whose token buckets are not full again.
void AddressTable::forget_idle(Clock::time_point now) {
    swept_at_ = now;
    const auto unused = [](const auto& each) { return each.second.use_count() == 1; };
    std::erase_if(uses_, [&](const auto& each) { return unused(each) && each.second->is_idle(now); });
    if (uses_.size() >= addresses_max) std::erase_if(uses_, unused);
}

std::size_t AddressTable::size() const {
    const std::lock_guard lock(mutex_);
    return uses_.size();
}

}  // namespace sluice::server
