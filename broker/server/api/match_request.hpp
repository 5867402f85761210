// The body of POST /v1/match. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "broker/server/http/http_types.hpp"

namespace sluice::server {

// Tries a filter on a document, or on a stream's retained events.
struct Trial {
    std::string filter;
    std::string document;
    std::string content_type;
    std::string event_path;
    std::string stream = "default";
    std::string repair;       // empty: the stream's
    std::string since;        // a time or a duration; not checked
    bool is_of_past = false;  // has `since` instead of a document
};

// Returns a reply if the body is not valid for this endpoint.
std::optional<HttpReply> read_trial(const std::string& body, Trial& trial);

// Upper bound of the memory for the parsed body: its texts once more, and a value for each mark that may begin one.
std::size_t json_memory_max(std::string_view body);

}  // namespace sluice::server
