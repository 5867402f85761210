// A place among limits.subscribers; the destructor gives it back.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace sluice::server {

class SubscriberPlace {
public:
    SubscriberPlace(std::atomic<std::size_t>& subscribers, std::size_t subscribers_max)
        : subscribers_(&subscribers), got_(subscribers.fetch_add(1) < subscribers_max) {}
    SubscriberPlace(SubscriberPlace&& other) noexcept
        : subscribers_(std::exchange(other.subscribers_, nullptr)), got_(other.got_) {}
    SubscriberPlace& operator=(SubscriberPlace&&) = delete;
    ~SubscriberPlace() {
        if (subscribers_ != nullptr) subscribers_->fetch_sub(1);
    }

    bool got() const { return got_; }

private:
    std::atomic<std::size_t>* subscribers_;
    const bool got_;
};

}  // namespace sluice::server
