// Defines the options, their types and their valid values. load.cpp calls this for each source in turn.
#pragma once

#include "config/section.hpp"
#include "config/subscription_options.hpp"

namespace sluice::config {

void read_options(Section& root, Options& options, const TextCheck& check_event_path);
// Reads the options of one stream. Options that are not set keep their values.
void read_stream_options(Section& section, const TextCheck& check_event_path, StreamOptions& options);
void read_subscription_options(Section& section, SubscriptionOptions& options);
void read_listeners(Section& http, std::vector<ListenerOptions>& listeners);
void read_tls(Section& section, TlsOptions& options);
// What is wrong with valid options together.
std::vector<std::string> conflicts(const Options& options);

}  // namespace sluice::config
