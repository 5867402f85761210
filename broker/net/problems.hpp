// Errors of the protocol folder, and refusals of the broker, as replies. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "broker/net/http_types.hpp"
#include "protocol/feed/feed_error.hpp"
#include "protocol/filter/filter_error.hpp"

namespace sluice {

HttpReply feed_problem(const FeedError& error);
// `index`: which filter of several is at fault.
HttpReply filter_problem(const FilterError& error, std::optional<std::size_t> index = {});
// 503, to be tried again.
HttpReply busy_problem(std::string detail);

}  // namespace sluice
