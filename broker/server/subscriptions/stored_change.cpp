#include "broker/server/subscriptions/stored_change.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>
#include <utility>

#include "broker/server/api/problems.hpp"
#include "broker/server/http/busy_problems.hpp"

namespace sluice::server {

namespace asio = boost::asio;

StoredChange::StoredChange(const asio::any_io_executor& executor)
    : timer_(executor, asio::steady_timer::time_point::max()) {}

broker::Stored StoredChange::callback() {
    return [self = shared_from_this()](std::optional<store::AppendError> error) {
        post_reserved(self->timer_.get_executor(), self->post_memory_, [self, error] {
            self->error_ = error;
            self->done_ = true;
            self->timer_.cancel();
        });
    };
}

asio::awaitable<std::optional<store::AppendError>> StoredChange::wait() {
    while (!done_) co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return error_;
}

HttpReply not_stored_problem(store::AppendError error) {
    const std::string until = "the change is in force, but not stored yet, and is stored as soon as that is possible: ";
    if (error == store::AppendError::no_space) return full_problem(until + "the event log's disk is full");
    return busy_problem(until + "the event log failed");
}

}  // namespace sluice::server
