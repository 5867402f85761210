#include "broker/server/sse/stream_writer.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/container/small_vector.hpp>
#include <span>
#include <spdlog/fmt/compile.h>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "broker/server/net/turns.hpp"
#include "gpu/check/check.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t chunk_bytes = 16;  // around its text, at most

// The line before a chunk of so many bytes.
std::string chunk_head(std::size_t bytes) { return fmt::format(FMT_COMPILE("{:x}\r\n"), bytes); }

std::size_t bytes_of(std::span<const broker::Delivery> deliveries) {
    std::size_t bytes = 0;
    for (const broker::Delivery& delivery : deliveries) bytes += delivery.bytes;
    return bytes;
}

}  // namespace

std::span<const broker::Delivery> StreamWriter::first_piece(std::span<const broker::Delivery> deliveries) {
    std::size_t n = 0, bytes = chunk_bytes;
    for (; n < deliveries.size(); ++n) {
        bytes += deliveries[n].bytes;
        if (n != 0 && bytes > piece_bytes) break;
    }
    return deliveries.first(n);
}

// What is shared is written only at once: a slow reader holds the events, whose memory is charged, and no text of them.
asio::awaitable<bool> StreamWriter::write(const broker::Framer& framer, std::span<const broker::Delivery> deliveries,
                                          bool at_once, bool is_wide) {
    const std::string* const shared = at_once && is_wide ? shared_.find(framer, deliveries, chunked_) : nullptr;
    std::size_t written = 0;
    if (shared != nullptr) {
        asio::const_buffer rest = asio::buffer(*shared);
        if (transport_.write_now(std::span(&rest, 1))) co_return true;
        written = shared->size() - rest.size();
    }
    const broker::Pieces pieces = frame(framer, deliveries);
    if (at_once && is_wide && shared == nullptr) shared_.keep(framer, deliveries, chunked_, pieces);
    boost::container::small_vector<asio::const_buffer, 8> buffers;  // enough for one event
    buffers.reserve(pieces.size());
    pieces.each([&buffers, &written](std::string_view text) {
        const std::size_t skipped = std::min(written, text.size());
        written -= skipped;
        buffers.push_back(asio::buffer(text.substr(skipped)));
    });
    if (at_once && shared == nullptr && transport_.write_now(buffers)) co_return true;
    const bool is_written = co_await transport_.write(buffers);
    co_return is_written;
}

broker::Pieces StreamWriter::frame(const broker::Framer& framer, std::span<const broker::Delivery> deliveries) const {
    broker::Pieces pieces;
    pieces.reserve(2 * deliveries.size() + 1);
    if (chunked_) pieces.copy(chunk_head(bytes_of(deliveries)));
    for (const broker::Delivery& delivery : deliveries) {
        const std::size_t before = pieces.bytes();
        framer.write(delivery, pieces);
        SLUICE_CHECK(pieces.bytes() - before == delivery.bytes);
    }
    if (chunked_) pieces.copy("\r\n");
    return pieces;
}

asio::awaitable<bool> StreamWriter::write(const std::string& text) { return write_bytes(chunk(text)); }

asio::awaitable<bool> StreamWriter::begin(std::string head, std::string_view text) {
    return write_bytes(std::move(head) + chunk(text));
}

asio::awaitable<bool> StreamWriter::end(std::string_view text, bool is_whole) {
    std::string bytes = text.empty() ? std::string() : chunk(text);
    if (chunked_ && is_whole) bytes += "0\r\n\r\n";
    return write_bytes(std::move(bytes));
}

asio::awaitable<bool> StreamWriter::write_bytes(std::string bytes) {
    const asio::const_buffer buffer = asio::buffer(bytes);
    const bool written = co_await transport_.write(std::span(&buffer, 1));
    co_return written;
}

std::string StreamWriter::chunk(std::string_view text) const {
    return chunked_ ? chunk_head(text.size()).append(text) + "\r\n" : std::string(text);
}

}  // namespace sluice::server
