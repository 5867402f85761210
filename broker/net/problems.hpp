// Errors of the protocol folder, and refusals of the broker, as replies. Pure; any thread.
#pragma once

#include "broker/net/http_types.hpp"
#include "protocol/feed/feed_error.hpp"
#include "protocol/filter/filter_error.hpp"

namespace sluice {

HttpReply feed_problem(const FeedError& error);
HttpReply filter_problem(const FilterError& error);
// 503, to be tried again.
HttpReply busy_problem(std::string detail);

}  // namespace sluice
