// What an I/O thread does once at the end of a turn, when all that was ready has been served, for all of it that asked:
// work that costs as much for many messages as for one.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "broker/server/net/reserved_post.hpp"

namespace sluice::server {

// The end of the turns of one io_context with one thread; belongs to that thread.
class TurnEnd final : public boost::asio::execution_context::service {
public:
    using key_type = TurnEnd;
    static boost::asio::execution_context::id id;

    explicit TurnEnd(boost::asio::execution_context& context);
    static TurnEnd& of(const boost::asio::any_io_executor& executor);  // it must be an io_context's; takes a lock

    // Calls the function once at the end of this turn, however often it is asked for. No coroutine runs then. The
    // function must not throw, and must live until then. Allocates nothing.
    void call(const std::function<void()>& function);

private:
    struct State {
        const std::function<void()>* function = nullptr;  // null: nothing has been asked for
        PostMemory post_memory;
    };

    void shutdown() noexcept override { state_->function = nullptr; }

    boost::asio::io_context& io_;
    const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace sluice::server
