// Limits for each address, applied before the client is known: connections, requests a second, bytes of requests in
// progress, new streams a minute. An IPv6 address stands for its /64 network, the usual allocation to one customer.
// Unused addresses are forgotten. Created by the broker; any thread.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "broker/base/token_bucket.hpp"
#include "broker/server/net/networks.hpp"

namespace sluice::server {

struct AddressLimits {  // 0: no limit
    std::size_t connections = 0;
    std::size_t requests = 0;  // a second
    std::size_t bytes = 0;
    std::size_t streams = 0;          // new ones a minute
    std::vector<std::string> exempt;  // addresses and networks ("10.0.0.0/8") without limits
};

// The current use by one address.
class AddressUse {
public:
    using Clock = base::TokenBucket::Clock;
    using Wait = std::optional<Clock::duration>;  // no value: granted; else the time after which to try again

    explicit AddressUse(const AddressLimits& limits) : limits_(limits) {}

    [[nodiscard]] Wait take_request(Clock::time_point now);
    [[nodiscard]] Wait take_stream(Clock::time_point now);

    [[nodiscard]] bool take_bytes(std::size_t bytes) { return take(bytes_, bytes, limits_.bytes); }
    void release_bytes(std::size_t bytes) { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
    [[nodiscard]] bool take_connection() { return take(connections_, 1, limits_.connections); }
    void release_connection() { connections_.fetch_sub(1, std::memory_order_relaxed); }

    bool limits_requests() const { return limits_.requests != 0; }  // if not, callers need not read the clock
    std::size_t bytes_max() const { return limits_.bytes; }         // 0: no limit
    bool is_idle(Clock::time_point now) const { return requests_.is_full(now) && streams_.is_full(now); }

private:
    using Amount = std::atomic<std::size_t>;

    static bool take(Amount& used, std::size_t more, std::size_t most);

    const AddressLimits& limits_;
    Amount connections_{0};
    Amount bytes_{0};
    base::TokenBucket requests_;
    base::TokenBucket streams_;
};

// One connection of an address, or one request that a proxy forwards for it; the destructor releases it. Empty: the
// address has reached its limit.
class AddressPlace {
public:
    AddressPlace() = default;
    // `is_counted`: it is one of the address's connections.
    AddressPlace(std::shared_ptr<AddressUse> use, bool is_counted) : use_(std::move(use)), is_counted_(is_counted) {}
    AddressPlace(AddressPlace&&) noexcept = default;
    AddressPlace& operator=(AddressPlace&&) = delete;
    ~AddressPlace() {
        if (use_ && is_counted_) use_->release_connection();
    }

    explicit operator bool() const { return use_ != nullptr; }
    AddressUse& operator*() const { return *use_; }
    AddressUse* operator->() const { return use_.get(); }
    AddressUse* get() const { return use_.get(); }

private:
    std::shared_ptr<AddressUse> use_;
    bool is_counted_ = false;
};

// The bytes of one request; the destructor releases them.
class AddressBytes {
public:
    explicit AddressBytes(AddressUse& use) : use_(use) {}
    AddressBytes(const AddressBytes&) = delete;
    AddressBytes& operator=(const AddressBytes&) = delete;
    ~AddressBytes() {
        if (bytes_ > 0) use_.release_bytes(bytes_);
    }

    // Grows to at least `bytes`. Returns false if the address would exceed its limit.
    [[nodiscard]] bool grow(std::size_t bytes) {
        if (use_.bytes_max() == 0 || bytes <= bytes_) return true;
        if (!use_.take_bytes(bytes - bytes_)) return false;
        bytes_ = bytes;
        return true;
    }

    // Likewise, but gives back what exceeds `bytes`.
    [[nodiscard]] bool resize(std::size_t bytes) {
        if (bytes >= bytes_) return grow(bytes);
        use_.release_bytes(bytes_ - bytes);
        bytes_ = bytes;
        return true;
    }

    std::size_t bytes_max() const { return use_.bytes_max(); }

private:
    AddressUse& use_;
    std::size_t bytes_ = 0;
};

class AddressTable {
public:
    using Clock = AddressUse::Clock;

    // Ignores invalid networks in limits.exempt: the configuration has been checked for them.
    explicit AddressTable(AddressLimits limits);
    AddressTable(const AddressTable&) = delete;
    AddressTable& operator=(const AddressTable&) = delete;

    // Admits a connection from this address.
    AddressPlace connect(const boost::asio::ip::address& address, Clock::time_point now);
    // Admits a connection from a proxy's address, which may have any number of them.
    AddressPlace connect_proxy(const boost::asio::ip::address& address, Clock::time_point now);

    std::size_t size() const;

private:
    using Key = std::array<unsigned char, 16>;
    using Uses = std::map<Key, std::shared_ptr<AddressUse>>;

    std::shared_ptr<AddressUse> use_of(const boost::asio::ip::address& address, Clock::time_point now);
    void forget_idle(Clock::time_point now);

    const AddressLimits limits_;
    const AddressLimits no_limits_;
    const Networks exempt_;
    const std::shared_ptr<AddressUse> exempt_use_;
    mutable std::mutex mutex_;
    Uses uses_;
    Clock::time_point swept_at_{};
};

}  // namespace sluice::server
