// The numbers behind metrics. A MetricRegistry owns them and knows their names. Code that counts keeps a reference, so
// counting is one relaxed atomic increment: no lock, no lookup, no allocation. Any thread may write and read.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace sluice::base {

// Only grows.
class Counter {
public:
    void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
    std::uint64_t load() const { return value_.load(std::memory_order_relaxed); }
    operator std::uint64_t() const { return load(); }

private:
    std::atomic<std::uint64_t> value_{0};
};

// A current value; goes up and down.
class Gauge {
public:
    void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
    void add(std::int64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
    std::int64_t load() const { return value_.load(std::memory_order_relaxed); }
    operator std::int64_t() const { return load(); }

private:
    std::atomic<std::int64_t> value_{0};
};

// A number that another component keeps, fetched when it is read. 0 until read_from() sets its source.
template <typename Value>
class Observed {
public:
    using Read = std::function<Value()>;

    // Any thread may call `read`, one call at a time. An owner that dies before the registry must reset it with {};
    // after that, no call is in progress.
    void read_from(Read read) {
        const std::lock_guard lock(mutex_);
        read_ = std::move(read);
    }
    Value load() const {
        const std::lock_guard lock(mutex_);
        return read_ ? read_() : Value{0};
    }

private:
    mutable std::mutex mutex_;
    Read read_;
};

using ObservedCounter = Observed<std::uint64_t>;  // its owner's number only grows
using ObservedGauge = Observed<std::int64_t>;

}  // namespace sluice::base
