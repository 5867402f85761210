// What the client uses of a reply: its status, some header fields and its body. A plain value.
#pragma once

#include <optional>
#include <string>

namespace sluice::cli {

struct HttpReply {
    unsigned status = 0;
    std::string content_type{};
    std::string location{};                         // where a redirect leads
    std::string etag{};                             // with its quotation marks
    std::string server{};                           // what has answered, as it calls itself: "nginx/1.22.1"
    std::optional<unsigned> retry_after_seconds{};  // in how long to try again
    std::optional<double> heartbeat_seconds{};      // how often an event stream shows that it lives
    std::string body{};
    bool had_credentials = false;  // the request
};

}  // namespace sluice::cli
