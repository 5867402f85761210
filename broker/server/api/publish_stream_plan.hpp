// What POST /v1/publish asks for, beside what each of its documents does. Pure; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/server/http/http_types.hpp"
#include "protocol/wire/http/record_splitter.hpp"

namespace sluice::server {

struct PublishStreamPlan {
    wire::RecordFraming framing = wire::RecordFraming::lines;
    std::string record_type;  // the media type of a document
    std::string key;          // the request's Idempotency-Key; empty: it has none
    bool streams_reply = false;
    std::uint64_t first_number = 1;
};

// Takes the parameters that documents do not have out of the request's query. Returns the reply that refuses it, if
// any.
std::optional<HttpReply> read_stream_plan(HttpRequest& request, PublishStreamPlan& plan);

}  // namespace sluice::server
