// A request as an endpoint sees it, and what the endpoint answers. Plain values.
#pragma once

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/verb.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/http/problem.hpp"
#include "protocol/http/query.hpp"

namespace sluice {

namespace http = boost::beast::http;

class EventStream;

struct HttpRequest {
    http::verb method = http::verb::get;
    std::string_view path;
    const http::fields* headers = nullptr;
    Query query;
    std::string body;

    // "" when there is no such header.
    std::string_view header(http::field name) const {
        const auto found = headers->find(name);
        return found == headers->end() ? std::string_view() : std::string_view(found->value());
    }
};

struct HttpReply {
    unsigned status = 200;
    std::string_view content_type = "application/json";
    std::vector<std::pair<std::string_view, std::string>> headers;
    std::string body;
    std::shared_ptr<EventStream> stream;  // takes over the connection, instead of a body
    bool closes = false;                  // the connection: where the next request begins is in doubt
};

inline HttpReply problem_reply(const Problem& problem) {
    return {problem.status, "application/problem+json", {}, to_json(problem), nullptr};
}

// A problem of no type of its own: what the status says, and the detail.
inline HttpReply status_reply(unsigned status, std::string detail) {
    return problem_reply({status, "about:blank", "", std::move(detail), {}});
}

}  // namespace sluice
