// The fields If-Match and If-None-Match of a request that changes a subscription (RFC 9110 §13). Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/server/http/http_types.hpp"

namespace sluice::server {

// An entity tag of a version.
std::string etag_of(std::uint64_t version);

struct Precondition {
    bool must_exist = false;              // If-Match
    bool must_not_exist = false;          // If-None-Match: *
    std::vector<std::uint64_t> versions;  // it must have one of them; none: whichever it has
    std::optional<HttpReply> refusal{};

    // `version`: of what is there; 0: nothing.
    bool holds(std::uint64_t version) const;
    bool is_any() const { return !must_exist && !must_not_exist; }
};
Precondition read_precondition(const HttpRequest& request);

// 412
HttpReply failed_precondition(const std::string& name, std::uint64_t version);

}  // namespace sluice::server
