// Publishes a file line by line, each a document of its own, as the lines come. Belongs to one thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/common/console.hpp"
#include "broker/cli/common/line_source.hpp"

namespace sluice::cli {

// Whether a document of this media type has a JSON value a line.
bool is_ndjson(std::string_view content_type);

// Whether a text that begins with this line has a JSON object a line, as far as that shows.
bool looks_like_ndjson(std::string_view first_line);

struct PublishedLines {
    std::optional<boost::json::object> summary{};  // the broker's; none: it did not get so far, which has been reported
    std::size_t refused = 0;                       // of the documents, which have been reported
    bool is_complete = false;                      // the broker has taken all of them, or refused them
};

// Sends what the source has to `target`, and reports what is refused of it, by `name`, as it is told. Tries again if a
// busy broker says so before it has taken anything.
PublishedLines publish_lines(LineSource& source, const HttpServer& server, const std::string& target,
                             const std::vector<std::string>& headers, const Console& console, const std::string& name);

}  // namespace sluice::cli
