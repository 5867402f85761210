#include "broker/core/delivery/mailbox.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::broker {

namespace {

std::size_t bytes_of(std::span<const Delivery> deliveries) {
    std::size_t bytes = 0;
    for (const Delivery& delivery : deliveries) bytes += delivery.bytes;
    return bytes;
}

std::size_t memory_of(std::span<const Delivery> deliveries) {
    std::size_t bytes = 0;
    for (const Delivery& delivery : deliveries) bytes += delivery.own_memory();
    return bytes;
}

}  // namespace

Mailbox::Pushed Mailbox::push(std::vector<Delivery> deliveries, bool can_wait) {
    const std::size_t bytes = bytes_of(deliveries), memory = memory_of(deliveries);
    std::vector<Delivery> dropped;  // freed after the lock
    bool wake = false;
    Pushed pushed;
    {
        const std::lock_guard lock(mutex_);
        if (state_ != State::open) return {false, false};
        // A subscriber whose session has taken everything is not slow, however large the batch.
        const bool full =
            queued() + deliveries.size() > limits_.events_max || queued_bytes_ + bytes > limits_.bytes_max;
        if (full && queued() != 0) {
            overflow_locked(EndReason::Kind::slow_consumer, dropped);
            pushed = {false, true};
        } else {
            const std::size_t n = deliveries.size();
            if (queue_.empty()) {
                queue_ = std::move(deliveries);
            } else {
                queue_.insert(queue_.end(), std::move_iterator(deliveries.begin()),
                              std::move_iterator(deliveries.end()));
            }
            events_ += n;
            bytes_ += bytes;
            queued_bytes_ += bytes;
            memory_.force_resize(memory_.bytes() + memory);
            can_wait_ = can_wait_ && can_wait;
            wake = std::exchange(waiting_, false);
        }
    }
    if (wake || pushed.overflowed_now) wake_();
    return pushed;
}

// Deliveries already taken stay counted until they are settled. Returns false if the mailbox was not open.
bool Mailbox::overflow_locked(EndReason::Kind reason, std::vector<Delivery>& dropped) {
    if (state_ != State::open) return false;
    state_ = State::overflowed;
    end_reason_ = {reason};
    waiting_ = false;
    const auto queued = std::span(queue_).subspan(first_);
    SLUICE_CHECK(queued.size() <= events_ && queued_bytes_ <= bytes_);
    events_ -= queued.size();
    dropped_ += queued.size();
    bytes_ -= std::exchange(queued_bytes_, 0);
    memory_.force_resize(memory_.bytes() - std::min(memory_.bytes(), memory_of(queued)));
    dropped.swap(queue_);
    first_ = 0;
    return true;
}

void Mailbox::overflow() {
    std::vector<Delivery> dropped;  // freed after the lock
    bool overflowed = false;
    {
        const std::lock_guard lock(mutex_);
        overflowed = overflow_locked(EndReason::Kind::undelivered, dropped);
    }
    if (overflowed) wake_();
}

Mailbox::Taken Mailbox::take(std::size_t deliveries_max) {
    const std::lock_guard lock(mutex_);
    Taken taken;
    taken.state = state_;
    taken.can_wait = can_wait_;
    if (first_ == 0 && queued() <= deliveries_max) {
        taken.deliveries = std::exchange(queue_, {});
    } else {
        const auto begin = queue_.begin() + static_cast<std::ptrdiff_t>(first_);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(queued(), deliveries_max));
        taken.deliveries.assign(std::move_iterator(begin), std::move_iterator(end));
        first_ += taken.deliveries.size();
        // Amortised: each delivery is moved a few times at most, and taken ones never make up much more than half.
        if (first_ > queue_.size() / 2) {
            queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
    }
    const std::size_t taken_bytes = bytes_of(taken.deliveries);
    SLUICE_CHECK(first_ <= queue_.size() && taken_bytes <= queued_bytes_);
    queued_bytes_ -= taken_bytes;
    if (queue_.empty()) can_wait_ = true;
    waiting_ = taken.deliveries.empty();
    return taken;
}

void Mailbox::settled(std::span<const Delivery> deliveries) {
    const std::size_t bytes = bytes_of(deliveries);
    const std::lock_guard lock(mutex_);
    SLUICE_CHECK(deliveries.size() <= events_ && bytes <= bytes_ - queued_bytes_);  // each was taken, and only once
    events_ -= deliveries.size();
    bytes_ -= bytes;
    memory_.force_resize(memory_.bytes() - std::min(memory_.bytes(), memory_of(deliveries)));
}

void Mailbox::finish(std::optional<EndReason> reason) {
    {
        const std::lock_guard lock(mutex_);
        if (state_ != State::open) return;
        state_ = State::finished;
        end_reason_ = std::move(reason);
        waiting_ = false;
    }
    wake_();
}

std::size_t Mailbox::close() {
    std::vector<Delivery> dropped;  // freed after the lock
    const std::lock_guard lock(mutex_);
    const std::size_t unsettled = events_ + std::exchange(dropped_, 0);
    if (state_ == State::open) state_ = State::finished;
    waiting_ = false;
    dropped.swap(queue_);
    first_ = events_ = bytes_ = queued_bytes_ = 0;
    memory_.force_resize(0);
    return unsettled;
}

std::optional<EndReason> Mailbox::end_reason() const {
    const std::lock_guard lock(mutex_);
    return end_reason_;
}

Mailbox::State Mailbox::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

std::size_t Mailbox::events() const {
    const std::lock_guard lock(mutex_);
    return events_;
}

std::size_t Mailbox::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

}  // namespace sluice::broker
