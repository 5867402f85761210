#include "broker/server/api/problems.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "broker/core/counters.hpp"
#include "protocol/wire/http/problem.hpp"

namespace sluice::server {

namespace {

constexpr const char* filter_type = "urn:sluice:problem:filter";
constexpr const char* event_path_type = "urn:sluice:problem:event-path";
constexpr const char* event_path_title = "The event path is not valid";

boost::json::object place_of(const filter::FilterError& error) {
    return {{"line", error.line}, {"column", error.column}, {"offset", error.offset}, {"excerpt", error.excerpt}};
}

unsigned status_of(feed::FeedError::Kind kind) {
    switch (kind) {
        case feed::FeedError::Kind::content_type:
            return 415;
        case feed::FeedError::Kind::limit:
            return 413;
        case feed::FeedError::Kind::not_well_formed:
        case feed::FeedError::Kind::encoding:
            return 400;
        case feed::FeedError::Kind::event_path:
            return 422;  // the stream's event path does not suit the document
        case feed::FeedError::Kind::not_a_feed:
            return 422;
    }
    return 400;
}

}  // namespace

HttpReply feed_problem(const feed::FeedError& error) {
    return problem_reply({status_of(error.kind),
                          "urn:sluice:problem:document",
                          "The document was refused",
                          error.message,
                          {{"line", error.line}, {"column", error.column}, {"offset", error.offset}}});
}

HttpReply filter_problem(const filter::FilterError& error, std::optional<std::size_t> index) {
    wire::Problem problem{400, filter_type, "The filter is not valid", error.message, place_of(error)};
    if (index) problem.members["filter"] = *index;
    return problem_reply(problem);
}

HttpReply event_path_problem(const filter::FilterError& error) {
    return problem_reply({400, event_path_type, event_path_title, error.message, place_of(error)});
}

HttpReply event_path_problem(const feed::FeedError& error) {
    return problem_reply({400, event_path_type, event_path_title, error.message, {}});
}

HttpReply abandoned_problem(broker::Counters& counters) {
    broker::count(counters.requests_abandoned);
    return busy_problem("the client closed the connection or its sending side, so the request was abandoned");
}

HttpReply full_problem(std::string detail) {
    HttpReply reply = status_reply(507, std::move(detail));
    reply.headers.emplace_back("Retry-After", "5");
    return reply;
}

HttpReply publish_problem(const config::Options& options, broker::PublishRefusal refusal) {
    switch (refusal) {
        case broker::PublishRefusal::closed:
            return busy_problem("the broker is shutting down");
        case broker::PublishRefusal::no_memory:
            return memory_problem(broker::MemoryShortage::temporary);
        case broker::PublishRefusal::no_space:
            return full_problem(
                "the event log's disk is full, so nothing was stored or published; publishing resumes by itself when "
                "there is space");
        case broker::PublishRefusal::unavailable:
            return busy_problem(
                "the event log failed, so it is not known whether this was stored; repeat the request, with its "
                "Idempotency-Key if it had one: what was stored is not delivered twice");
        case broker::PublishRefusal::too_many_new_streams:
            return share_problem("more new streams a minute than limits.address_streams, " +
                                     std::to_string(options.limits.address_streams),
                                 std::chrono::minutes(1));
        case broker::PublishRefusal::too_many_streams:
            return busy_problem("all of limits.streams, " + std::to_string(options.limits.streams) + ", are in use");
        case broker::PublishRefusal::too_many_defined_streams:
            return busy_problem(std::to_string((options.limits.streams + 1) / 2) +
                                " streams are defined, half of limits.streams; delete one first");
        case broker::PublishRefusal::not_looked_up:
        case broker::PublishRefusal::no_room:
            break;
    }
    return busy_problem("the queue has been full for publish.wait; nothing was published");
}

}  // namespace sluice::server
