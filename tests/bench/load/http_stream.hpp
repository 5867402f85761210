// HTTP/1.1 replies out of the bytes of one connection: just what the load program needs of them, at little cost. Does
// no input or output; belongs to one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::load {

class HttpStream {
public:
    enum class Event : unsigned char { need_more, header, body, end, malformed };

    // Appends received bytes to this.
    std::string& input() { return input_; }

    // The next thing in the input. After `header`, status() is the reply's; after `body`, piece() is some of its body,
    // until the next call. A body without a length lasts as long as the connection.
    Event next();

    int status() const { return status_; }
    std::string_view piece() const { return piece_; }

private:
    enum class State : unsigned char { header, chunk_size, chunk_data, chunk_end, fixed, until_close };

    bool take_line(std::string_view& line);
    Event take_header();
    Event take_chunk_size();
    Event take_data(State after);
    void compact();

    std::string input_;
    std::size_t used_ = 0;  // of input_
    State state_ = State::header;
    std::size_t left_ = 0;  // of the chunk or body
    int status_ = 0;
    std::string_view piece_;
};

}  // namespace sluice::load
