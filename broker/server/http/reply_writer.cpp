#include "broker/server/http/reply_writer.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "broker/server/net/turns.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t first_collected_bytes = 8u << 10;  // 16 replies to publications take some 6 KB
constexpr std::size_t next_head_bytes = 512;             // few heads are longer
// What must be free for any of it. Too much to count as little (memory_budget.hpp): small requests go before.
constexpr std::size_t room_to_collect_bytes = (64u << 10) + 1;

static_assert(ReplyWriter::collected_bytes_max + ReplyWriter::short_text_bytes < piece_bytes);

}  // namespace

// Behind what is collected there may be a reply that has been written, or a part of one for which there was no memory.
bool ReplyWriter::add(const HttpReply& reply, const ReplyFraming& framing, std::string_view text, bool may_collect) {
    if (is_writing_) return false;
    replies_.resize(collected_);
    append_reply_head(replies_, reply, framing);
    if (may_collect && collect(text)) return true;
    unwritten_ = {asio::buffer(replies_), asio::buffer(text)};
    collected_ = 0;
    if (!transport_.write_now(unwritten_)) return false;
    drop();
    return true;
}

bool ReplyWriter::collect(std::string_view text) {
    if (text.size() > short_text_bytes || replies_.size() + text.size() > collected_bytes_max) return false;
    try {
        if (!make_room_to_collect(text.size())) return false;
        replies_.append(text);
    } catch (const std::bad_alloc&) {
        return false;
    }
    collected_ = replies_.size();
    return true;
}

// For a text and the head of the next reply, which must not be lost for lack of memory: what it tells of has been done.
// Returns false if memory is short.
bool ReplyWriter::make_room_to_collect(std::size_t text_bytes) {
    constexpr auto use = base::MemoryUse::bodies;
    const std::size_t needed = replies_.size() + text_bytes + next_head_bytes;
    std::size_t capacity = replies_.capacity();
    if (needed > capacity) capacity = std::max({first_collected_bytes, needed, 2 * capacity});
    if (capacity > memory_.bytes()) {
        if (!services_.memory.has_room(use, room_to_collect_bytes)) return false;
        if (!memory_) memory_ = services_.memory.charge(use, 0);
        if (!memory_ || !memory_.resize(capacity)) return false;
    }
    replies_.reserve(capacity);
    return true;
}

asio::awaitable<bool> ReplyWriter::write_rest() {
    if (is_writing_) co_return false;
    co_return co_await finish_write();
}

// If the write fails or throws, is_writing() stays true: what follows would be taken for the rest of this reply.
asio::awaitable<bool> ReplyWriter::finish_write() {
    is_writing_ = true;
    const bool written = co_await transport_.write(unwritten_);
    is_writing_ = !written;
    if (written) drop();
    co_return written;
}

// A part of a reply may have left, so is_writing() is true before the rest needs memory.
bool ReplyWriter::write_collected_now() noexcept {
    unwritten_ = {asio::buffer(replies_.data(), std::exchange(collected_, 0)), asio::const_buffer()};
    is_writing_ = !transport_.write_now(unwritten_);
    if (!is_writing_) drop();
    return !is_writing_;
}

asio::awaitable<bool> ReplyWriter::write_collected() {
    if (write_collected_now()) co_return true;
    connection_.set_deadline(Connection::Clock::now() + services_.options.http.request_timeout);
    co_return co_await finish_write();
}

asio::awaitable<bool> ReplyWriter::write_collected_for_handler() {
    const bool written = co_await write_collected();
    connection_.clear_deadline();
    co_return written;
}

void ReplyWriter::write_collected_at_end() noexcept {
    if (has_collected() && !is_writing_) write_collected_now();
}

void ReplyWriter::add_head(const HttpReply& reply, const ReplyFraming& framing) {
    replies_.resize(collected_);
    append_reply_head(replies_, reply, framing);
}

std::string ReplyWriter::take() {
    collected_ = 0;
    std::string taken = std::exchange(replies_, {});
    if (memory_) taken.shrink_to_fit();
    memory_.release();
    return taken;
}

void ReplyWriter::drop() noexcept {
    if (!memory_) return;
    std::string().swap(replies_);
    memory_.release();
}

}  // namespace sluice::server
