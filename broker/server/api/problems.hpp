// Turns errors of the protocol folder and refusals of the broker into replies. Pure, but for a counter; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "broker/core/ingest/publish_result.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/http_types.hpp"
#include "config/options.hpp"
#include "protocol/feed/model/feed_error.hpp"
#include "protocol/filter/syntax/filter_error.hpp"

namespace sluice::broker {
struct Counters;
}

namespace sluice::server {

HttpReply feed_problem(const feed::FeedError& error);
// `index`: the faulty filter, if there are several.
HttpReply filter_problem(const filter::FilterError& error, std::optional<std::size_t> index = {});
// The client's event path is invalid, in itself or for its document.
HttpReply event_path_problem(const filter::FilterError& error);
HttpReply event_path_problem(const feed::FeedError& error);
// Counts a request whose work has ended because its client left. The client may still read, if it has only closed its
// sending side.
HttpReply abandoned_problem(broker::Counters& counters);

// 507 with Retry-After: the log's disk is full.
HttpReply full_problem(std::string detail);

// The reply to a publisher, or to a client that defines a stream.
HttpReply publish_problem(const config::Options& options, broker::PublishRefusal refusal);

}  // namespace sluice::server
