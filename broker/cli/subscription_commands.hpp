// Adds `subscriptions` and its commands to the command line, and the option that says whose they are. Called from main,
// on one thread.
#pragma once

#include "broker/cli/client/subscription_path.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
}  // namespace CLI

namespace sluice::cli {

// `or_all`: "*" is valid, too.
CLI::Option* add_owner(CLI::App& command, SubscriptionOwner& owner, bool or_all);

void add_subscriptions(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
