#include "broker/delivery/mailbox.hpp"

#include <iterator>
#include <utility>

namespace sluice {

namespace {

std::size_t bytes_of(const std::vector<Message>& messages) {
    std::size_t bytes = 0;
    for (const Message& message : messages) bytes += message.size();
    return bytes;
}

}  // namespace

Mailbox::Pushed Mailbox::push(std::vector<Message> messages) {
    const std::size_t bytes = bytes_of(messages);
    std::vector<Message> dropped;  // freed after the lock
    bool wake = false;
    Pushed pushed;
    {
        const std::lock_guard lock(mutex_);
        if (state_ != State::open) return {false, false};
        // Who has read everything is not slow, however much comes at once.
        const bool full = events_ + messages.size() > limits_.events_max || bytes_ + bytes > limits_.bytes_max;
        if (full && events_ != 0) {
            state_ = State::overflowed;
            dropped.swap(queue_);
            waiting_ = false;
            pushed = {false, true};
        } else {
            events_ += messages.size();
            bytes_ += bytes;
            if (queue_.empty()) {
                queue_ = std::move(messages);
            } else {
                queue_.insert(queue_.end(), std::move_iterator(messages.begin()), std::move_iterator(messages.end()));
            }
            wake = std::exchange(waiting_, false);
        }
    }
    if (wake || pushed.overflowed_now) wake_();
    return pushed;
}

Mailbox::Taken Mailbox::take() {
    const std::lock_guard lock(mutex_);
    Taken taken{std::exchange(queue_, {}), state_};
    waiting_ = taken.messages.empty();
    return taken;
}

void Mailbox::written(const std::vector<Message>& messages) {
    const std::lock_guard lock(mutex_);
    events_ -= messages.size();
    bytes_ -= bytes_of(messages);
}

void Mailbox::finish(std::string farewell) {
    {
        const std::lock_guard lock(mutex_);
        if (state_ != State::open) return;
        state_ = State::finished;
        farewell_ = std::move(farewell);
        waiting_ = false;
    }
    wake_();
}

std::string Mailbox::farewell() const {
    const std::lock_guard lock(mutex_);
    return farewell_;
}

Mailbox::State Mailbox::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

std::size_t Mailbox::events() const {
    const std::lock_guard lock(mutex_);
    return events_;
}

}  // namespace sluice
