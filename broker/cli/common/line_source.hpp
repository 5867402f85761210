// The lines of a file or of standard input, as they come: for `tail -f log.ndjson | sluice publish -`. Belongs to one
// thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::cli {

class LineSource {
public:
    // "-": standard input. The error says why it can't be read.
    static boost::system::result<LineSource> open(const std::string& path);
    LineSource(LineSource&& other) noexcept;
    LineSource& operator=(LineSource&&) = delete;
    ~LineSource();

    // Readable when more has come.
    int descriptor() const { return descriptor_; }
    // Waits for the first line, and returns it with its end; "": there is none. Without an end: the file ends there, or
    // the line is long.
    std::string_view first_line();
    // What of the lines has come, as much as the room takes, without waiting. Only whole ones, unless one is very long
    // or the file ends. 0: it has ended. None: nothing has come.
    std::optional<std::size_t> read(char* room, std::size_t bytes);
    // Waits for everything that has not been read.
    std::string read_all();

    // Begins anew with what has been read. False: that was too much to be kept, or forget() was called.
    bool rewind();
    void forget();

    // Why reading has failed, which looks like the end; "": it has not.
    const std::string& failure() const { return failure_; }

private:
    explicit LineSource(int descriptor) : descriptor_(descriptor) {}

    std::string_view unread() const { return std::string_view(text_).substr(begin_); }
    std::size_t whole_bytes() const;
    bool is_ready() const;
    void fill();

    int descriptor_;  // -1: moved from
    std::string text_;
    std::size_t begin_ = 0;  // of what has not been read in it
    std::string kept_;       // what has been read, if it is kept
    bool keeps_ = true;
    bool has_ended_ = false;
    std::string failure_;
};

}  // namespace sluice::cli
