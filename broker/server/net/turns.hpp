// Turns for long transfers. The connections of an I/O thread that have much to read or write take turns: one piece is
// transferred each time the thread has served everything else that was ready. So short requests wait for one piece
// only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "broker/server/net/reserved_post.hpp"

namespace sluice::server {

inline constexpr std::size_t piece_bytes = 64u << 10;  // shorter transfers take no turn

// The turns of one io_context with one thread; belongs to that thread.
class Turns final : public boost::asio::execution_context::service {
public:
    using key_type = Turns;
    static boost::asio::execution_context::id id;

    explicit Turns(boost::asio::execution_context& context);

    // Calls the function later, after those passed before. It must not throw.
    void wait(std::function<void()> function);

private:
    struct Queue {
        std::deque<std::function<void()>> waiting;
        PostMemory post_memory;
    };

    void shutdown() noexcept override { queue_->waiting.clear(); }
    void post_next();

    boost::asio::io_context& io_;
    const std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
};

// Waits until it is this coroutine's turn. The executor must be an io_context's.
boost::asio::awaitable<void> take_turn(boost::asio::any_io_executor executor);

}  // namespace sluice::server
