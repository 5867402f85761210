#include "tests/bench/fanout/scenario.hpp"

#include "tests/bench/fanout/options.hpp"

namespace sluice::fanout {

std::vector<Scenario> make_scenarios(const Options& options) {
    Scenario post;
    post.name = "post";
    post.title = "1:1, a request a message";
    post.unanswered_most = options.pipeline;
    post.undelivered_most = options.window;

    Scenario stream = post;
    stream.name = "stream";
    stream.title = "1:1, streamed";
    stream.is_streamed = true;
    stream.is_json = true;

    Scenario fanout = stream;
    fanout.name = "fanout";
    fanout.title = "1:" + std::to_string(options.subscribers);
    fanout.is_streamed = options.streams;
    fanout.subscribers = options.subscribers;
    fanout.undelivered_most = options.fanout_window;

    Scenario fanout10 = fanout;
    fanout10.name = "fanout10";
    fanout10.title = "1:10";
    fanout10.subscribers = 10;

    Scenario filters = stream;
    filters.name = "filters";
    filters.title = std::to_string(options.filters) + " filters, one matches";
    filters.is_streamed = options.streams;
    filters.filters = options.filters;
    filters.subscribers = options.filter_connections;

    Scenario single = post;
    single.name = "single";
    single.title = "1:1, one at a time";
    single.unanswered_most = 1;
    single.undelivered_most = 1;
    return {post, stream, fanout, fanout10, filters, single};
}

}  // namespace sluice::fanout
