#include "broker/core/replay/replay.hpp"

#include "broker/core/replay/replay_lane.hpp"

namespace sluice::broker {

Replay::Replay(const ReplaySettings& settings, const ReplayContext& context)
    : shared_(std::make_unique<ReplayLane>(settings, context, ReplayLane::Kind::shared)),
      apart_(std::make_unique<ReplayLane>(settings, context, ReplayLane::Kind::apart)) {}

Replay::~Replay() = default;

void Replay::start() {
    shared_->start();
    apart_->start();
}

void Replay::request(const std::shared_ptr<Subscriber>& subscriber) {
    (subscriber->is_costly ? *apart_ : *shared_).request(subscriber);
}

void Replay::leave(const Subscriber& subscriber) noexcept {
    if (subscriber.has_replayed) (subscriber.is_costly ? *apart_ : *shared_).drop_gone();
}

}  // namespace sluice::broker
