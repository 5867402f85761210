// The body of a request whose handler reads it itself, part by part and however long it is, and the reply, which it may
// begin before the body has ended. Belongs to the connection's thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/server/http/http_types.hpp"

namespace sluice::server {

class DocumentReplies;

class BodyStream {
public:
    using Clock = std::chrono::steady_clock;

    // Why nothing more of the body can be read.
    enum class End : std::uint8_t {
        complete,  // all of it has been
        peer_left,
        refused,    // its framing is not well-formed
        late,       // the deadline has passed
        draining,   // the broker is shutting down
        revoked,    // the user or its rights have changed
        displaced,  // others needed the connection while nothing came
        no_memory,  // to go on
    };

    BodyStream() = default;
    BodyStream(const BodyStream&) = delete;
    BodyStream& operator=(const BodyStream&) = delete;
    virtual ~BodyStream() = default;

    // Waits until more of the body has come, and appends it to `into`; with the End, the last of it may be. No End:
    // there may be more, even if nothing was appended. `deadline`: of this wait; max(): it may last for ever, unless
    // others need the connection.
    virtual boost::asio::awaitable<std::optional<End>> read(std::string& into, Clock::time_point deadline) = 0;
    // Ends a read() that waits, without an End.
    virtual void interrupt() noexcept = 0;
    // Whether no more of the body should be read, though there may be.
    virtual std::optional<End> asked_to_end() const = 0;
    virtual std::size_t memory_bytes() const = 0;  // of its buffers
    virtual void narrow() = 0;                     // frees those that a large part has needed, if they are empty

    // The reply to a request whose body ended so.
    virtual HttpReply refusal(End end) const = 0;

    // Writes the head of a reply whose body follows by write(). What the handler returns must then have
    // HttpReply::is_written. False: the connection is broken.
    virtual boost::asio::awaitable<bool> begin_reply(HttpReply reply) = 0;
    virtual boost::asio::awaitable<bool> write(std::string_view text) = 0;
    virtual boost::asio::awaitable<bool> end_reply() = 0;

    // Those of a handler that answers each document of the body, while it runs; null: it does not.
    DocumentReplies* document_replies = nullptr;
};

}  // namespace sluice::server
