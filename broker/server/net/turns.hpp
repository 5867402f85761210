// Turns for long transfers, and for those that can wait. The connections of an I/O thread take turns: one piece is
// transferred each time the thread has served everything else that was ready, or several shorter transfers that
// together made a piece when they asked for their turns. What has come for them since is transferred, too, so short
// requests wait for one piece, or for up to 16 transfers that have grown, each to a piece at most.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <deque>
#include <memory>

#include "broker/server/net/reserved_post.hpp"

namespace sluice::server {

inline constexpr std::size_t piece_bytes = 64u << 10;  // shorter transfers that can't wait take no turn
// A transfer counts as at least this much: a system call costs about as much as the transfer of some kilobytes.
inline constexpr std::size_t turn_bytes_min = piece_bytes / 16;

// The turns of one io_context with one thread; belongs to that thread.
class Turns final : public boost::asio::execution_context::service {
public:
    using key_type = Turns;
    static boost::asio::execution_context::id id;

    explicit Turns(boost::asio::execution_context& context);

    // Resumes the coroutine that waits.
    using Resume = boost::asio::async_result<boost::asio::use_awaitable_t<>, void()>::handler_type;

    // Calls it later, after those passed before. `bytes` are to be transferred then, as far as is known now.
    void wait(Resume resume, std::size_t bytes);

private:
    struct Waiting {
        Resume resume;
        std::size_t bytes;
    };
    struct Queue {
        std::deque<Waiting> waiting;
        PostMemory post_memory;
    };

    void shutdown() noexcept override { queue_->waiting.clear(); }
    void post_next();
    void serve(Queue& queue);

    boost::asio::io_context& io_;
    const std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
};

// Waits until it is this coroutine's turn to transfer about so many bytes. The executor must be an io_context's.
boost::asio::awaitable<void> take_turn(boost::asio::any_io_executor executor, std::size_t bytes = piece_bytes);

}  // namespace sluice::server
