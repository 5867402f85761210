#include "broker/server/http/request_reader.hpp"

#include <algorithm>
#include <boost/beast/http/error.hpp>
#include <tuple>
#include <utility>

namespace sluice::server {

namespace {

constexpr std::size_t first_read_bytes = 4'096;  // a small document arrives together with its head
// Of a chunk: no body is as long, and what is computed with its size can't overflow.
constexpr std::size_t endless_bytes = std::size_t{1} << 62;

}  // namespace

RequestReader::RequestReader(std::size_t head_bytes_max)
    : head_bytes_max_(head_bytes_max), input_(head_bytes_max + read_bytes_max) {
    input_.reserve(first_read_bytes);
    renew_parser();
}

void RequestReader::renew_parser() {
    parser_.reset();
    head_memory_.release();
    parser_.emplace(std::piecewise_construct, std::tuple<>(), std::forward_as_tuple(&head_memory_));
}

void RequestReader::next() {
    renew_parser();
    parser_->header_limit(static_cast<std::uint32_t>(head_bytes_max_));
    parser_->body_limit(boost::none);  // bodies are read here
    empty_lines_ = lines_ = line_begin_ = searched_ = 0;
    head_done_ = body_done_ = false;
    body_remaining_ = part_bytes_ = 0;
    chunked_ = {};
    drop_body();
    is_pipelined_ = input_.size() != 0;
    if (!is_pipelined_ && input_.capacity() > read_bytes_max) drop();
}

void RequestReader::drop() {
    input_.clear();
    input_.shrink_to_fit();
    is_wide_ = false;
    drop_body();
}

void RequestReader::narrow() {
    if (is_wide_ && input_.size() == 0) drop();
}

// Swaps, since assigning an empty string would keep the memory.
void RequestReader::drop_body() { std::string().swap(body_); }

// Offers as much room as is known to come or has already arrived: long requests take few reads, short ones little
// memory. What room there is costs nothing.
boost::asio::mutable_buffer RequestReader::prepare(bool wide) {
    const std::uint64_t expected = body_remaining_ + 2 * part_bytes_ + (head_done_ ? body_.size() : input_.size());
    const auto needed = std::clamp<std::uint64_t>(expected, first_read_bytes, read_bytes_max);
    const std::size_t spare = input_.capacity() - input_.size();
    offered_ = wide ? read_bytes_max : std::clamp(spare, static_cast<std::size_t>(needed), read_bytes_max);
    const boost::asio::mutable_buffer room = input_.prepare(offered_);
    is_wide_ = is_wide_ || wide || part_bytes_ != 0;
    return room;
}

void RequestReader::commit(std::size_t bytes) {
    has_filled_ = bytes == offered_;
    input_.commit(bytes);
}

std::optional<std::uint64_t> RequestReader::content_length() const {
    const auto length = parser_->content_length();
    return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

RequestReader::Step RequestReader::refuse(unsigned status, std::string reason) {
    refusal_.status = status;
    refusal_.reason = std::move(reason);
    return Step::refused;
}

RequestReader::Step RequestReader::read_head() {
    const Step begun = skip_empty_lines();
    return begun == Step::done ? find_head_end() : begun;
}

// Step::done: the input may begin with a request line.
RequestReader::Step RequestReader::skip_empty_lines() {
    if (lines_ > 0) return Step::done;
    while (input().starts_with("\r\n")) {
        if (++empty_lines_ > empty_lines_max) return refuse(400, "the request begins with too many empty lines");
        input_.consume(2);
    }
    if (input().empty() || input() == "\r") return Step::more;
    if (!is_token_character(input().front())) return refuse(400, "the request is not well-formed: bad method");
    return Step::done;
}

// Works line by line. Whether a line is refused depends on nothing after it, so a request gets the same answer however
// it is split into pieces.
RequestReader::Step RequestReader::find_head_end() {
    for (;;) {
        const std::size_t line_end_max = lines_ == 0 ? head_bytes_max_ : line_begin_ + field_bytes_max;
        const std::size_t bound = std::min(line_end_max, head_bytes_max_);
        const std::string_view text = input().substr(0, bound);
        const std::size_t end = text.find('\n', std::max(line_begin_, searched_));
        if (end == std::string_view::npos && text.size() < bound) {
            searched_ = text.size();
            return Step::more;
        }
        if (end == std::string_view::npos) {
            return bound == head_bytes_max_
                       ? refuse(431, "a request head has at most " + std::to_string(head_bytes_max_) + " bytes")
                       : refuse(431, "a header field has at most " + std::to_string(field_bytes_max) + " bytes");
        }
        if (end == 0 || text[end - 1] != '\r') {
            return refuse(400, "the request is not well-formed: a line ends with LF alone");
        }
        if (end == line_begin_ + 1) return parse_head(end + 1);
        if (++lines_ > fields_max + 1) {
            return refuse(431, "a request has at most " + std::to_string(fields_max) + " header fields");
        }
        line_begin_ = end + 1;
    }
}

// A higher minor version than the highest that is supported is treated as that one (RFC 9110 §2.5). The parser refuses
// it.
void RequestReader::lower_version(std::size_t head_bytes) {
    const std::string_view line = input().substr(0, std::min(input().find('\r'), head_bytes));
    constexpr std::string_view version = " HTTP/1.";
    if (line.size() <= version.size() || !line.substr(0, line.size() - 1).ends_with(version)) return;
    if (line.back() >= '2' && line.back() <= '9') static_cast<char*>(input_.data().data())[line.size() - 1] = '1';
}

RequestReader::Step RequestReader::parse_head(std::size_t bytes) {
    lower_version(bytes);
    boost::system::error_code error;
    const std::size_t parsed = parser_->put(boost::asio::const_buffer(input_.cdata().data(), bytes), error);
    if (error == http::error::header_limit) {  // Beast joins the lines of a folded field, up to 4 KiB
        return refuse(431, "a header field that is folded over several lines is too long");
    }
    if (error == http::error::bad_version) return refuse(505, "only HTTP/1.0 and HTTP/1.1 are supported");
    if (error == http::error::need_more) return refuse(400, "the request is not well-formed: no HTTP version");
    if (error) return refuse(400, "the request is not well-formed: " + error.message());
    if (parsed != bytes || !parser_->is_header_done()) return refuse(400, "the request is not well-formed");
    input_.consume(bytes);
    head_bytes_ = bytes;
    head_done_ = true;
    body_remaining_ = content_length().value_or(0);
    body_done_ = body_remaining_ == 0 && !is_chunked();
    return Step::done;
}

RequestReader::Step RequestReader::read_body(std::size_t body_bytes_max) {
    if (body_done_) return Step::done;
    const Step step = is_chunked() ? read_chunked_body(body_bytes_max) : read_counted_body(body_bytes_max);
    body_done_ = step == Step::done;
    return step;
}

RequestReader::Step RequestReader::read_body_part() {
    if (body_done_) return Step::done;
    const std::size_t before = body_.size();
    const Step step = is_chunked() ? read_chunked_body(endless_bytes) : read_counted_part();
    part_bytes_ = body_.size() - before;
    body_done_ = step == Step::done;
    return step;
}

RequestReader::Step RequestReader::read_counted_part() {
    const std::size_t taken = std::min<std::uint64_t>(body_remaining_, input_.size());
    body_.append(input().substr(0, taken));
    input_.consume(taken);
    body_remaining_ -= taken;
    return body_remaining_ == 0 ? Step::done : Step::more;
}

RequestReader::Step RequestReader::refuse_large_body(std::size_t body_bytes_max) {
    return refuse(413, "a body of this request has at most " + std::to_string(body_bytes_max) + " bytes");
}

// Grows by doubling, since an announced body may never arrive, but not beyond the announced end. Does not reserve() in
// place, which may round the last step up to a doubling.
void RequestReader::make_room_for_body(std::size_t bytes) {
    const std::size_t needed = body_.size() + bytes;
    if (needed <= body_.capacity()) return;
    const std::uint64_t whole = body_.size() + body_remaining_;
    std::string larger;
    larger.reserve(std::min<std::uint64_t>(whole, std::max(2 * needed, read_bytes_max)));
    larger.append(body_);
    body_.swap(larger);
}

RequestReader::Step RequestReader::read_counted_body(std::size_t body_bytes_max) {
    if (body_.size() + body_remaining_ > body_bytes_max) return refuse_large_body(body_bytes_max);
    const std::size_t taken = std::min<std::uint64_t>(body_remaining_, input_.size());
    make_room_for_body(taken);
    body_.append(input().substr(0, taken));
    input_.consume(taken);
    body_remaining_ -= taken;
    return body_remaining_ == 0 ? Step::done : Step::more;
}

RequestReader::Step RequestReader::read_chunked_body(std::size_t body_bytes_max) {
    std::string_view rest = input();
    const ChunkedBody::Step step = chunked_.read(rest, body_, body_bytes_max);
    input_.consume(input_.size() - rest.size());
    switch (step) {
        case ChunkedBody::Step::more:
            return Step::more;
        case ChunkedBody::Step::done:
            return Step::done;
        case ChunkedBody::Step::too_large:
            return refuse_large_body(body_bytes_max);
        case ChunkedBody::Step::trailer_too_large:
            return refuse(431, "trailers have at most " + std::to_string(trailer_bytes_max) + " bytes");
        case ChunkedBody::Step::malformed:
            break;
    }
    return refuse(400, "the body is not well-formed: " + std::string(chunked_.fault()));
}

}  // namespace sluice::server
