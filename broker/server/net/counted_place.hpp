// One of at most so many places; the destructor gives it back.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace sluice::server {

class CountedPlace {
public:
    CountedPlace(std::atomic<std::size_t>& taken, std::size_t places)
        : taken_(&taken), got_(taken.fetch_add(1) < places) {}
    CountedPlace(CountedPlace&& other) noexcept : taken_(std::exchange(other.taken_, nullptr)), got_(other.got_) {}
    CountedPlace& operator=(CountedPlace&&) = delete;
    ~CountedPlace() {
        if (taken_ != nullptr) taken_->fetch_sub(1);
    }

    bool got() const { return got_; }

private:
    std::atomic<std::size_t>* taken_;
    const bool got_;
};

}  // namespace sluice::server
