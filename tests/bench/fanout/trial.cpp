#include "tests/bench/fanout/trial.hpp"

#include <array>
#include <cerrno>
#include <stdexcept>
#include <sys/epoll.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "tests/bench/load/process.hpp"

namespace sluice::fanout {

Trial::Trial(System system, const Scenario& scenario)
    : scenario_(scenario),
      system_(std::move(system)),
      subscribers_(system_.protocol, system_.daemon->port(), scenario.stride()),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (epoll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
    subscribers_.watch(epoll_);
}

Trial::~Trial() { close(epoll_); }

RoundResult Trial::run(const Plan& plan) {
    Round round(system_.protocol, system_.daemon->port(), scenario_, subscribers_, epoll_, next_number_, plan);
    const double own = load::cpu_seconds(getpid()), broker = system_.daemon->cpu_seconds();
    round.run();
    RoundResult result;
    result.broker_cpu_seconds = system_.daemon->cpu_seconds() - broker;
    result.own_cpu_seconds = load::cpu_seconds(getpid()) - own;
    result.seconds = round.seconds();
    result.messages = round.messages();
    result.deliveries = subscribers_.deliveries();
    result.p50_us = subscribers_.latencies().quantile_us(0.5);
    result.p99_us = subscribers_.latencies().quantile_us(0.99);
    next_number_ += round.messages();
    if (const std::string faults = subscribers_.faults(); !faults.empty()) throw std::runtime_error(faults);
    return result;
}

void Trial::expect_nothing() {
    constexpr int wait_ms = 100;
    const std::uint64_t before = subscribers_.deliveries();
    std::array<epoll_event, 64> ready{};
    for (int count = 0; (count = epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), wait_ms)) > 0;) {
        for (int i = 0; i < count; ++i)
            subscribers_.read(static_cast<std::size_t>(ready[static_cast<std::size_t>(i)].data.u64));
        if (subscribers_.deliveries() != before)
            throw std::runtime_error("more was delivered than published: " + subscribers_.faults());
    }
}

}  // namespace sluice::fanout
