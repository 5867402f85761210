#include "broker/net/problems.hpp"

namespace sluice {

namespace {

unsigned status_of(FeedError::Kind kind) {
    switch (kind) {
        case FeedError::Kind::content_type:
            return 415;
        case FeedError::Kind::limit:
            return 413;
        case FeedError::Kind::not_well_formed:
        case FeedError::Kind::encoding:
            return 400;
        case FeedError::Kind::event_path:
            return 500;  // the stream's configuration is at fault
    }
    return 400;
}

}  // namespace

HttpReply feed_problem(const FeedError& error) {
    return problem_reply({status_of(error.kind),
                          "urn:sluice:problem:document",
                          "The document was refused",
                          error.message,
                          {{"line", error.line}, {"column", error.column}, {"offset", error.offset}}});
}

HttpReply filter_problem(const FilterError& error, std::optional<std::size_t> index) {
    Problem problem{
        400,
        "urn:sluice:problem:filter",
        "The filter is not valid",
        error.message,
        {{"line", error.line}, {"column", error.column}, {"offset", error.offset}, {"excerpt", error.excerpt}}};
    if (index) problem.members["filter"] = *index;
    return problem_reply(problem);
}

HttpReply busy_problem(std::string detail) {
    HttpReply reply = status_reply(503, std::move(detail));
    reply.headers.emplace_back("Retry-After", "1");
    return reply;
}

}  // namespace sluice
