// The codings of a request's body (RFC 9110 §8.4). Pure function; any thread.
#pragma once

#include <string>
#include <vector>

#include "broker/server/http/http_types.hpp"

namespace sluice::server {

// The elements of all Content-Encoding fields, in order and in lower case, without empty ones and "identity".
std::vector<std::string> content_codings(const HeadFields& headers);

}  // namespace sluice::server
