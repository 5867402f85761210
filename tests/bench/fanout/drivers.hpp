// Starts a system for a scenario, on a port and in a folder of its own, and says how to speak to it. std::nullopt: it
// is not installed. All throw std::runtime_error if it does not start.
//
// The peers have the settings of their packages, except that nothing is written to a disk and that no message is
// dropped because a queue is full.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/fanout/daemon.hpp"
#include "tests/bench/fanout/scenario.hpp"

namespace sluice::fanout {

// The subject, topic, channel or stream of everything.
inline constexpr std::string_view topic = "rivers";

// `program`: sluiced, started with the options `settings`.
System start_sluice(const Scenario& scenario, const std::string& program, const std::vector<std::string>& settings);

std::optional<System> start_nats(const Scenario& scenario);
std::optional<System> start_redis(const Scenario& scenario);
std::optional<System> start_mosquitto(const Scenario& scenario);
std::optional<System> start_nchan(const Scenario& scenario);

}  // namespace sluice::fanout
