// What a driver knows of a system: the bytes that its publisher and its subscribers send, and those that they wait for.
// The same code sends and reads them for every system, so that no driver costs more than another.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/fanout/message.hpp"

namespace sluice::fanout {

struct Protocol {
    // A publisher's first bytes, and what must come before it publishes. Both empty: nothing of the kind.
    std::string hello, welcome;
    // The first bytes of each subscriber, and what must come before anything is published.
    std::vector<std::string> subscribe;
    std::string subscribed;

    // What is sent in front of a round's messages and behind them.
    std::string begin, end;
    // A message as it is sent. `is_chunked`: those that are sent together are a chunk of HTTP's.
    Message message;
    bool is_chunked = false;

    // Replies to the publisher: one to each message, or one to each round. `reply_good` must be behind each
    // `reply_mark`.
    std::string reply_mark, reply_good;
    bool replies_to_each = false;
};

}  // namespace sluice::fanout
