// Reads the query of a request strictly: unknown and duplicate parameters are errors. Pure; any thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "broker/server/http/http_types.hpp"

namespace sluice::server {

// Returns the reply that refuses the query if a parameter is neither in `single` nor `repeatable`, or if one in
// `single` is repeated.
std::optional<HttpReply> refuse_unknown_parameters(const wire::Query& query,
                                                   std::initializer_list<std::string_view> single,
                                                   std::string_view repeatable = {});

// The value of a parameter, or the default.
std::string_view parameter(const wire::Query& query, std::string_view name, std::string_view by_default);

HttpReply bad_parameter(std::string_view name, std::string_view value, std::string_view expected);

}  // namespace sluice::server
