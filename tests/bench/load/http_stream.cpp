#include "tests/bench/load/http_stream.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace sluice::load {

namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

}  // namespace

bool HttpStream::take_line(std::string_view& line) {
    const auto end = input_.find("\r\n", used_);
    if (end == std::string::npos) return false;
    line = std::string_view(input_).substr(used_, end - used_);
    used_ = end + 2;
    return true;
}

void HttpStream::compact() {
    piece_ = {};
    if (used_ == input_.size()) {
        input_.clear();
        used_ = 0;
    } else if (used_ > 1u << 16) {
        input_.erase(0, used_);
        used_ = 0;
    }
}

HttpStream::Event HttpStream::next() {
    compact();
    switch (state_) {
        case State::header:
            return take_header();
        case State::chunk_size:
            return take_chunk_size();
        case State::chunk_data:
            return take_data(State::chunk_end);
        case State::chunk_end: {
            std::string_view line;
            if (!take_line(line)) return Event::need_more;
            state_ = State::chunk_size;
            return line.empty() ? next() : Event::malformed;
        }
        case State::fixed:
            if (left_ > 0) return take_data(State::fixed);
            state_ = State::header;
            return Event::end;
        case State::until_close:
            left_ = input_.size() - used_;
            return take_data(State::until_close);
    }
    return Event::malformed;
}

HttpStream::Event HttpStream::take_header() {
    while (input_.compare(used_, 2, "\r\n") == 0) used_ += 2;
    const auto end = input_.find("\r\n\r\n", used_);
    if (end == std::string::npos) return Event::need_more;
    const auto header = lower(std::string_view(input_).substr(used_, end + 2 - used_));
    used_ = end + 4;
    if (!header.starts_with("http/1.1 ") || header.size() < 12) return Event::malformed;
    std::from_chars(header.data() + 9, header.data() + 12, status_);
    constexpr std::string_view length = "\r\ncontent-length:";
    state_ = State::until_close;
    if (header.find("\r\ntransfer-encoding: chunked\r\n") != std::string::npos) {
        state_ = State::chunk_size;
    } else if (const auto at = header.find(length); at != std::string::npos) {
        const auto digits = header.find_first_not_of(' ', at + length.size());
        left_ = 0;
        std::from_chars(header.data() + digits, header.data() + header.size(), left_);
        state_ = State::fixed;
    }
    return Event::header;
}

HttpStream::Event HttpStream::take_chunk_size() {
    std::string_view line;
    if (!take_line(line)) return Event::need_more;
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), left_, 16);
    if (parsed.ec != std::errc{}) return Event::malformed;
    if (left_ > 0) {
        state_ = State::chunk_data;
        return next();
    }
    state_ = State::fixed;  // nothing left; the empty line after it is consumed before the next header
    return next();
}

HttpStream::Event HttpStream::take_data(State after) {
    const auto size = std::min(left_, input_.size() - used_);
    if (size == 0) return Event::need_more;
    piece_ = std::string_view(input_).substr(used_, size);
    used_ += size;
    left_ -= size;
    if (left_ == 0) state_ = after;
    return Event::body;
}

}  // namespace sluice::load
