// The body of POST /v1/subscriptions/NAME/ack. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/subscriptions/acknowledgement.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

struct AckRequest {
    static constexpr std::size_t entries_max = 65'536;  // of all lists together

    broker::Acknowledgement what;
    std::vector<std::string> other_epochs;  // ids of another log, as they were given
};

// `epoch`: the log's. Returns a reply if the body is not valid.
std::optional<HttpReply> read_ack_request(std::string_view body, std::string_view epoch, AckRequest& request);

}  // namespace sluice::server
