// What is measured: who publishes what to whom, the same for every system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/fanout/message.hpp"

namespace sluice::fanout {

struct Options;

struct Scenario {
    std::string name, title;
    // Sluice's publisher sends all messages in one request, a JSON object a line; else each by itself.
    bool is_streamed = false;
    // The documents are JSON; else RSS.
    bool is_json = false;
    std::size_t subscribers = 1;
    // 0: every subscriber gets every message. Else so many filters, shared by the subscribers in turn: message n
    // matches filter n modulo `filters` alone.
    std::size_t filters = 0;
    // Messages that are published and not answered yet, where each is answered, or not delivered yet.
    std::size_t unanswered_most = 0, undelivered_most = 0;

    Message document() const { return is_json ? json_message(filters) : rss_message(); }
    std::uint64_t deliveries_per_message() const { return filters > 0 ? 1 : subscribers; }
    // Subscriber i gets the messages whose number modulo this is i, if it is above 1.
    std::uint64_t stride() const { return filters > 0 ? subscribers : 1; }
    bool is_one_at_a_time() const { return undelivered_most == 1; }
};

// All of them.
std::vector<Scenario> make_scenarios(const Options& options);

}  // namespace sluice::fanout
