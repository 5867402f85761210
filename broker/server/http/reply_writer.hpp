// Writes the replies of a connection, in their order. While the next request has begun to arrive, short replies are
// collected, so that the requests of a pipeline get theirs in few writes. Before a connection waits for anything, what
// is collected must be written: a reply never waits with a later request. Belongs to the connection's thread.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/server/http/body_stream.hpp"
#include "broker/server/http/document_replies.hpp"
#include "broker/server/http/http_text.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/server/net/connection_services.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/transport.hpp"

namespace sluice::server {

class ReplyWriter {
public:
    static constexpr std::size_t short_text_bytes = 4u << 10;  // a reply whose text is longer is not collected
    // Of replies that are collected. With another short one, they are still written at once (piece_bytes in turns.hpp).
    static constexpr std::size_t collected_bytes_max = 56u << 10;

    // The arguments must outlive this object.
    ReplyWriter(ConnectionServices& services, Transport& transport, Connection& connection)
        : services_(services), transport_(transport), connection_(connection) {}

    // Adds a reply with this text, which must live until it is written. `may_collect`: the next request has begun to
    // arrive. Returns false if write_rest() must follow.
    bool add(const HttpReply& reply, const ReplyFraming& framing, std::string_view text, bool may_collect);
    // Writes what has not left at once. The caller has set the deadline. Returns false if the connection is broken.
    boost::asio::awaitable<bool> write_rest();

    // Whether replies have been collected and are not written.
    bool has_collected() const { return collected_ != 0; }
    // Writes them, if need be until http.request_timeout. Returns false if the connection is broken. Precondition:
    // has_collected().
    boost::asio::awaitable<bool> write_collected();
    // The same for a handler, which has no deadline.
    boost::asio::awaitable<bool> write_collected_for_handler();
    // Writes as much of them as the connection takes at once, before it is closed.
    void write_collected_at_end() noexcept;

    // Adds the head of a reply whose body a takeover writes; take() returns what that must write first.
    void add_head(const HttpReply& reply, const ReplyFraming& framing);
    std::string take();

    // Whether a write is under way, or has failed: nothing else can be written.
    bool is_writing() const { return is_writing_; }

private:
    bool collect(std::string_view text);
    bool make_room_to_collect(std::size_t text_bytes);
    bool write_collected_now() noexcept;
    boost::asio::awaitable<bool> finish_write();
    void drop() noexcept;  // frees the memory that only collecting needs. Precondition: nothing is collected.

    ConnectionServices& services_;
    Transport& transport_;
    Connection& connection_;
    std::string replies_;                                 // those that are collected, then the head of the last reply
    std::size_t collected_ = 0;                           // the size of those that are collected
    std::array<boost::asio::const_buffer, 2> unwritten_;  // of a write that has begun
    base::MemoryCharge memory_;                           // of `replies_`, while replies are collected
    bool is_writing_ = false;
};

inline bool has_document_replies(const HttpRequest& request) {
    return request.body_stream != nullptr && request.body_stream->document_replies != nullptr;
}

// An endpoint that is marked as prompt (endpoints.hpp) calls these before it waits for anything, and does not go on if
// the connection is broken: `if (has_earlier_replies(request) && !co_await write_earlier_replies(request)) …`. They
// also see to the replies to earlier documents of the same request.
inline bool has_earlier_replies(const HttpRequest& request) {
    return (request.replies != nullptr && request.replies->has_collected()) ||
           (has_document_replies(request) && request.body_stream->document_replies->has_unwritten());
}
inline boost::asio::awaitable<bool> write_earlier_replies(const HttpRequest& request) {
    if (has_document_replies(request)) return request.body_stream->document_replies->write_unwritten();
    return request.replies->write_collected_for_handler();
}

}  // namespace sluice::server
