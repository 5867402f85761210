// Requests to the broker whose replies are JSON objects.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/common/console.hpp"

namespace sluice::cli {

// Reports everything else than a success: no connection, a refusal (of what is called `name`), and a reply that no
// Sluice broker sends. A reply without a body is an empty object. A refusal with the status `unreported` is not
// reported.
struct Answer {
    bool is_ok = false;
    unsigned status = 0;  // 0: no reply
    boost::json::object body;
    std::string etag;
    std::size_t bytes = 0;  // of the body as it came
    std::string refusal;    // the body of a refusal that has been reported
};
Answer ask(const HttpServer& server, const HttpRequest& request, const std::string& name, const Console& console,
           unsigned unreported = 0);

// All of a list that the broker sends page by page, such as "/v1/streams", from the member `name` of each page; `name`
// is the name in messages, too. None: what is wrong has been reported.
std::optional<boost::json::array> ask_pages(const HttpServer& server, const std::string& path, const std::string& name,
                                            const Console& console);

}  // namespace sluice::cli
