// The byte stream of one connection, independent of its kind: TCP, a Unix socket or TLS. Sessions use only this
// interface. Belongs to the connection's thread; cancel() or close(), on the same thread, ends pending operations.
#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace sluice::server {

// For co_await: gives the error as a value.
inline constexpr auto no_throw = boost::asio::as_tuple(boost::asio::use_awaitable);

class Transport {
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    virtual boost::asio::any_io_executor executor() = 0;
    virtual std::string peer() const = 0;  // for logs, such as 192.0.2.1:50000; "" if it is gone

    // Called once, before anything is read or written. Returns false if the connection can't be used. `begin` is called
    // when the client has begun, if much work comes then; false: it must not.
    virtual boost::asio::awaitable<bool> open(const std::function<bool()>& begin) = 0;
    // Whom the client has proved to be while it was opened, or "".
    virtual std::string user() const = 0;

    // Reads into `room`, which must not be empty, and returns the number of bytes. 0: no more will come, or it was
    // cancelled.
    virtual boost::asio::awaitable<std::size_t> read_some(boost::asio::mutable_buffer room) = 0;
    // Waits until bytes have arrived or the connection has ended, and then until it is this coroutine's turn.
    virtual boost::asio::awaitable<void> wait_to_read() = 0;
    // Writes what the connection takes at once, and drops it from the buffers. Returns whether that was all; else the
    // rest is left to write(). Most short texts leave at once, and even then write() takes a turn of the thread.
    bool write_now(std::span<boost::asio::const_buffer> buffers) noexcept {
        std::size_t written = write_some_now(buffers), left = 0;
        for (boost::asio::const_buffer& buffer : buffers) {
            const std::size_t n = std::min(written, buffer.size());
            buffer += n;
            written -= n;
            left += buffer.size();
        }
        return left == 0;
    }
    // Writes everything, in turns if it is long. Returns false if the connection is broken.
    virtual boost::asio::awaitable<bool> write(std::span<const boost::asio::const_buffer> buffers) = 0;

    // Calls the function once, when bytes have arrived, the connection has ended or the wait was cancelled.
    virtual void on_input(std::function<void()> function) = 0;
    // Drops bytes that have arrived, without copying them. Returns false if no more will come.
    virtual bool drop_arrived() = 0;
    // Whether the peer has ended the connection or its side of it, even if unread bytes precede the end.
    virtual bool peer_has_left() = 0;

    virtual void end_sending() noexcept = 0;  // the peer sees the end, but may continue to send
    virtual void cancel() noexcept = 0;       // ends pending operations
    virtual void close() noexcept = 0;
    virtual void abort() noexcept = 0;  // closes it, dropping data that the peer has not received

private:
    // Returns how many bytes it has written, maybe 0.
    virtual std::size_t write_some_now(std::span<const boost::asio::const_buffer> buffers) noexcept = 0;
};

}  // namespace sluice::server
