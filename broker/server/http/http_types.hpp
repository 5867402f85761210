// A request as an endpoint sees it, and the endpoint's reply. Plain values.
#pragma once

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/verb.hpp>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/server/net/principal.hpp"
#include "protocol/wire/http/query.hpp"

namespace sluice::wire {
struct Problem;
}

namespace sluice::server {

namespace http = boost::beast::http;
// Of a request. Allocated together, as a session's requests follow each other (RequestReader).
using HeadFields = http::basic_fields<std::pmr::polymorphic_allocator<char>>;

class AddressUse;
class BodyStream;
struct Departure;
class ReplyWriter;
class Takeover;
class Transport;
class TurnEnd;

// The first field of this name, or "". Compares the numbers that the parser gave the names: find() compares texts,
// which takes longer unless the fields are many.
inline std::string_view field_value(const HeadFields& fields, http::field name) {
    for (const auto& field : fields)
        if (field.name() == name) return field.value();
    return {};
}

struct HttpRequest {
    http::verb method = http::verb::get;
    std::string_view path;
    std::string_view name{};  // the part of the path that names an object, if any
    std::string_view part{};  // likewise, of what belongs to that object
    const HeadFields* headers = nullptr;
    wire::Query query;
    std::string body;
    const Principal* principal = nullptr;  // who sent it
    AddressUse* address_use = nullptr;     // the use by its address; lives until the reply or event stream has ended
    // Notes when, while the handler runs, the client disconnects or closes its sending side. Null unless the endpoint
    // is watched (endpoints.cpp).
    std::shared_ptr<Departure> departure;
    Transport* transport = nullptr;     // that it came by; null in tests of endpoints alone
    base::MemoryCharge memory;          // of the body, and of a long reply until it is written
    ReplyWriter* replies = nullptr;     // that may hold replies to earlier requests; null in tests of endpoints alone
    BodyStream* body_stream = nullptr;  // what its handler reads instead of `body`, if the route says so
    TurnEnd* turn_end = nullptr;        // of its I/O thread; null in tests of endpoints alone

    // Whether the client has disconnected or closed its sending side. On the connection's thread.
    bool has_left() const;
    // Whether that has been noted while the handler runs. Any thread.
    bool is_abandoned() const;
    // "" if the header is absent.
    std::string_view header(http::field field) const { return field_value(*headers, field); }
};

struct HttpReply {
    unsigned status = 200;
    std::string_view content_type = "application/json";
    std::vector<std::pair<std::string_view, std::string>> headers;
    std::string body;
    std::shared_ptr<Takeover> takeover;                // takes the connection over, instead of a body
    bool closes = false;                               // ends the connection: the next request's start is uncertain
    bool has_taken = false;                            // what it has was taken for it, and is lost if it isn't written
    bool is_written = false;                           // its handler has done so, by HttpRequest::body_stream
    std::shared_ptr<const std::string> shared_body{};  // instead of `body`

    std::string_view text() const { return shared_body ? std::string_view(*shared_body) : std::string_view(body); }
};

HttpReply problem_reply(const wire::Problem& problem);

// A problem without its own type: the status and a detail.
HttpReply status_reply(unsigned status, std::string detail);

}  // namespace sluice::server
