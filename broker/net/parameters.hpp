// Reads the query of a request strictly: what an endpoint does not know, or has twice, is an error. Pure; any thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "broker/net/http_types.hpp"

namespace sluice {

// The reply that refuses the query, if it has a parameter that is neither `single` nor `repeatable`, or a single one
// twice.
std::optional<HttpReply> refuse_unknown_parameters(const Query& query, std::initializer_list<std::string_view> single,
                                                   std::string_view repeatable = {});

// The value of a parameter, or what it is by default.
std::string_view parameter(const Query& query, std::string_view name, std::string_view by_default);

HttpReply bad_parameter(std::string_view name, std::string_view value, std::string_view expected);

}  // namespace sluice
