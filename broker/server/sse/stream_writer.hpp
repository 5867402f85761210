// Writes the parts of an event stream to its connection. Belongs to the stream's thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "broker/core/delivery/framer.hpp"
#include "broker/server/net/transport.hpp"
#include "broker/server/sse/shared_text.hpp"

namespace sluice::server {

class StreamWriter {
public:
    static constexpr std::size_t deliveries_at_once = 1'024;  // bounds the additional memory needed to write them

    // `chunked`: what it writes is in chunks.
    StreamWriter(Transport& transport, bool chunked)
        : transport_(transport), shared_(SharedText::of(transport.executor())), chunked_(chunked) {}

    // As many of the deliveries as are written at once, one at least: with others, it is no longer than a piece.
    static std::span<const broker::Delivery> first_piece(std::span<const broker::Delivery> deliveries);

    // False: the connection is broken. `at_once`: without waiting, if the system takes it. `is_wide`: many others get
    // these events, too.
    boost::asio::awaitable<bool> write(const broker::Framer& framer, std::span<const broker::Delivery> deliveries,
                                       bool at_once, bool is_wide);
    boost::asio::awaitable<bool> write(const std::string& text);
    // The head of the reply, then text.
    boost::asio::awaitable<bool> begin(std::string head, std::string_view text);
    // The last text. `is_whole`: the client may know that it is.
    boost::asio::awaitable<bool> end(std::string_view text, bool is_whole);

private:
    broker::Pieces frame(const broker::Framer& framer, std::span<const broker::Delivery> deliveries) const;
    std::string chunk(std::string_view text) const;
    boost::asio::awaitable<bool> write_bytes(std::string bytes);

    Transport& transport_;
    SharedText& shared_;
    const bool chunked_;
};

}  // namespace sluice::server
