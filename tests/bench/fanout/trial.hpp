// A system in a scenario, from its start to its end: its subscribers are connected once, then come rounds. Belongs to
// one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/fanout/daemon.hpp"
#include "tests/bench/fanout/round.hpp"
#include "tests/bench/fanout/scenario.hpp"
#include "tests/bench/fanout/subscribers.hpp"

namespace sluice::fanout {

struct RoundResult {
    double seconds = 0;
    std::uint64_t messages = 0, deliveries = 0;
    double broker_cpu_seconds = 0, own_cpu_seconds = 0;
    // Microseconds from when a message was to be sent until it was delivered, where they were taken.
    std::uint32_t p50_us = 0, p99_us = 0;
};

class Trial {
public:
    // Connects the subscribers; throws std::runtime_error. `scenario` must outlive it.
    Trial(System system, const Scenario& scenario);
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    const std::string& name() const { return system_.name; }

    // Throws std::runtime_error, which says what was wrong, if not everything was delivered once and in order.
    RoundResult run(const Plan& plan);

    // Throws std::runtime_error if something is delivered though no round runs: once more than it was published.
    void expect_nothing();

    // Ends the system; what was wrong with that, or empty.
    std::string end() { return system_.daemon->end(); }

private:
    const Scenario& scenario_;
    System system_;
    Subscribers subscribers_;
    const int epoll_;
    std::uint64_t next_number_ = 1;
};

}  // namespace sluice::fanout
