// One round: publishes to a system whose subscribers are connected, as fast as its windows permit or at a rate, until
// every delivery and reply has come. One thread does all of it. Belongs to that thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "tests/bench/fanout/protocol.hpp"
#include "tests/bench/fanout/publisher.hpp"
#include "tests/bench/fanout/scenario.hpp"
#include "tests/bench/fanout/subscribers.hpp"

namespace sluice::fanout {

struct Plan {
    // What ends publishing first.
    std::uint64_t messages = std::numeric_limits<std::uint64_t>::max();
    double seconds = 0;
    double rate = 0;  // messages per second; 0: as many as possible
};

class Round {
public:
    // Publishes messages from `first` on over a connection of its own. `epoll` watches the subscribers. All but `plan`
    // must outlive it.
    Round(const Protocol& protocol, std::uint16_t port, const Scenario& scenario, Subscribers& subscribers, int epoll,
          std::uint64_t first, const Plan& plan);

    // Returns when everything has come. Throws std::runtime_error if nothing comes any more, or a connection fails.
    void run();

    std::uint64_t messages() const { return sent_; }
    // From the first byte sent until the last delivery.
    double seconds() const;

private:
    void publish(Clock::time_point now);
    std::size_t permitted(Clock::time_point now) const;
    std::uint64_t undelivered() const;
    bool is_published(Clock::time_point now) const;
    bool is_complete();
    void wait(Clock::time_point now);
    void read_replies();
    std::string missing_text() const;

    const Protocol& protocol_;
    const Scenario& scenario_;
    Subscribers& subscribers_;
    const int epoll_;
    const std::uint64_t first_;
    const Plan plan_;
    const std::uint64_t unanswered_most_;
    const std::size_t least_at_once_;
    Publisher publisher_;
    Clock::time_point start_;
    std::uint64_t sent_ = 0, replies_ = 0;
    bool is_ended_ = false;  // Protocol::end has been begun
};

}  // namespace sluice::fanout
