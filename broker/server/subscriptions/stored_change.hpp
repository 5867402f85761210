// Waits until a change of a subscription is stored.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "broker/core/subscriptions/subscription_context.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/server/net/reserved_post.hpp"
#include "broker/store/append_error.hpp"

namespace sluice::server {

// Lets the log's thread wake the coroutine of a connection. Shared by both; wait() is of the connection's thread.
class StoredChange : public std::enable_shared_from_this<StoredChange> {
public:
    explicit StoredChange(const boost::asio::any_io_executor& executor);

    // To be called once.
    broker::Stored callback();
    // Returns once the callback has been called, with what prevents that the change is stored now.
    boost::asio::awaitable<std::optional<store::AppendError>> wait();

private:
    boost::asio::steady_timer timer_;
    bool done_ = false;  // like the next, used by the connection's thread only
    std::optional<store::AppendError> error_;
    PostMemory post_memory_;
};

// The reply that a change is not stored.
HttpReply not_stored_problem(store::AppendError error);

// `reply`, or that the change which it tells of is not stored.
inline HttpReply unless_failed(HttpReply reply, std::optional<store::AppendError> error) {
    return error ? not_stored_problem(*error) : std::move(reply);
}

// Calls `change`, which passes the broker::Stored that it gets to what makes a change, and waits until that is stored.
// Returns the reply that says that it is not.
template <typename Change>
boost::asio::awaitable<std::optional<HttpReply>> until_stored(Change change) {
    const auto stored = std::make_shared<StoredChange>(co_await boost::asio::this_coro::executor);
    change(stored->callback());
    const auto error = co_await stored->wait();
    if (error) co_return not_stored_problem(*error);
    co_return std::nullopt;
}

}  // namespace sluice::server
