// Replays: gives subscribers events from the log, until they have caught up with what is published and get live ones,
// with none missing and none twice. A replay reads on when its subscriber has taken what it found before, so a
// subscriber may read as slowly as it likes. Any thread.
//
// There are two lanes, each with a thread of low priority and memory that is charged. Subscribers whose filters all
// have an index share one lane and one program, and those at about the same place of a stream are read for together. In
// the other lane, each has a program of its own, and they take turns.
#pragma once

#include <memory>

#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/replay/replay_context.hpp"

namespace sluice::broker {

class ReplayLane;

class Replay {
public:
    Replay(const ReplaySettings& settings, const ReplayContext& context);
    ~Replay();  // ends the lanes' threads, in the midst of a step

    void start();  // throws if a thread cannot be started

    // The subscriber's session has taken what its replay found: it should go on. Mailbox::next_id() says where. The
    // subscriber has caught up when its mailbox is no longer replaying. Or its mailbox has been asked for events again.
    void request(const std::shared_ptr<Subscriber>& subscriber);
    // The subscriber is `gone`. Allocates nothing.
    void leave(const Subscriber& subscriber) noexcept;

private:
    const std::unique_ptr<ReplayLane> shared_, apart_;
};

}  // namespace sluice::broker
