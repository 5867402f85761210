// The events that wait for one subscriber's connection. Bounded in events and bytes, those being written included: when
// it would overflow it is emptied and refuses everything from then on. An empty one takes any batch. Filled by the
// matching thread, emptied by the connection's; never blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice {

// A piece of text that many subscribers share, and what this one gets behind it.
struct Message {
    std::shared_ptr<const std::string> head;
    std::string tail;

    std::size_t size() const { return head->size() + tail.size(); }
};

struct MailboxLimits {
    std::size_t events_max;
    std::size_t bytes_max;
};

class Mailbox {
public:
    enum class State : std::uint8_t { open, finished, overflowed };

    // `wake` is called from any thread, at most once per empty take() and once more when the state leaves open.
    Mailbox(MailboxLimits limits, std::function<void()> wake) : limits_(limits), wake_(std::move(wake)) {}

    // False: the mailbox no longer takes messages; `overflowed_now` is true for the one call that made it so.
    struct Pushed {
        bool accepted = true;
        bool overflowed_now = false;
    };
    Pushed push(std::vector<Message> messages);

    // Everything queued; the room it took is free again after written(). When empty, `wake` will be called.
    struct Taken {
        std::vector<Message> messages;
        State state = State::open;
    };
    Taken take();
    void written(const std::vector<Message>& messages);

    // No more messages; those queued can still be taken. `farewell`: what the subscriber is told after them, if it did
    // not ask for the end.
    void finish(std::string farewell = {});
    std::string farewell() const;

    State state() const;
    std::size_t events() const;  // queued or being written

private:
    const MailboxLimits limits_;
    const std::function<void()> wake_;
    mutable std::mutex mutex_;
    std::vector<Message> queue_;
    std::size_t events_ = 0;
    std::size_t bytes_ = 0;
    State state_ = State::open;
    std::string farewell_;
    bool waiting_ = false;
};

}  // namespace sluice
