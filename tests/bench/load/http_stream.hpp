// Parses HTTP/1.1 replies from the bytes of one connection: only the parts that the load program needs, at little cost.
// Does no input or output; belongs to one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::load {

class HttpStream {
public:
    enum class Event : unsigned char { need_more, header, body, end, malformed };

    // The input, to which received bytes are to be appended.
    std::string& input() { return input_; }

    // Returns the next event in the input. After `header`, status() is the reply's; after `body`, piece() is part of
    // its body, until the next call. A body without a length lasts as long as the connection.
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
