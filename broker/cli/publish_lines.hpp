// Publishes a file line by line, each a document of its own, as the lines come. Belongs to one thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/common/console.hpp"
#include "broker/cli/common/line_source.hpp"

namespace sluice::cli {

// What makes a document too large for anyone.
constexpr std::string_view no_broker_takes = ", which no broker takes as one document (limits.document_bytes)";

// Whether a document of this media type has a JSON value a line.
bool is_ndjson(std::string_view content_type);

// Whether a text that begins with this line has a JSON object a line, as far as that shows.
bool looks_like_ndjson(std::string_view first_line);

struct LineRequests {
    std::string stream_target;  // of POST /v1/publish, which gets the lines
    std::string line_target;    // of POST /v1/events, which gets those that are sent by themselves
    std::string line_type;      // the media type of a line
    std::vector<std::string> headers{};
};

struct PublishedLines {
    std::optional<boost::json::object> summary{};  // the broker's; none: it did not get so far, which has been reported
    std::uint64_t refused = 0;                     // lines, which have been reported
    std::string refused_item{};                    // "line 7: REASON", of the first one of lines that were accepted
    bool is_complete = false;                      // the broker has taken all of the lines, or refused them
};

// Sends what the source has, and reports what is refused of it, by `name`, as it is told. Lines that the broker has no
// room for now are sent again by themselves, and the summary counts them as if that had not happened. A source that has
// one line is sent as one document. While an Interrupt lives, it ends as at the end of the source once that is
// requested.
PublishedLines publish_lines(LineSource& source, const HttpServer& server, const LineRequests& requests,
                             const Console& console, const std::string& name);

}  // namespace sluice::cli
