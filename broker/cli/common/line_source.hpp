// A file or standard input as it comes, line by line or otherwise: for `tail -f log.ndjson | sluice publish -`. Belongs
// to one thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/cli/common/gunzip_stream.hpp"

namespace sluice::cli {

class LineSource {
public:
    enum class Gzip : std::uint8_t { unpacked, kept };

    // "-": standard input. `bytes_max`: of a line. What is compressed by gzip is decompressed as it is read, unless
    // that is to be kept. The error says why it can't be read.
    static boost::system::result<LineSource> open(const std::string& path, std::size_t bytes_max,
                                                  Gzip gzip = Gzip::unpacked);
    LineSource(LineSource&& other) noexcept;
    LineSource& operator=(LineSource&&) = delete;
    ~LineSource();

    // Readable when more has come.
    int descriptor() const { return descriptor_; }
    // Waits for the next line, and returns it with its end without taking it; "": there is none. Without an end: the
    // text ends there, or the line is long. Lines come without the byte order mark that the text may begin with.
    std::string_view first_line();
    // Takes the next line, with its end, without waiting. None: it has not come whole. "": there are no more.
    std::optional<std::string> next_line();
    // Whether next_line() has something to read or to tell.
    bool is_ready();
    // Whether there is exactly one more line, as far as that shows without waiting.
    bool has_one_line();
    // Takes the next bytes, so many of them unless the text ends, after waiting for them and for whether there are
    // more.
    std::string read(std::size_t bytes);
    bool has_more() const { return !has_ended_ || !unread().empty(); }  // as far as has been read

    // Why reading has failed, which looks like the end; "": it has not. A line that was not whole then is left out.
    const std::string& failure() const { return failure_; }
    bool is_too_large() const { return is_too_large_; }  // which is the failure

private:
    LineSource(int descriptor, std::size_t bytes_max, Gzip gzip)
        : descriptor_(descriptor), bytes_max_(bytes_max), gzip_(gzip) {}

    std::string_view unread() const { return std::string_view(text_).substr(begin_); }
    std::optional<std::size_t> line_end();
    bool has_come() const;
    void fill();
    void begin();
    void unpack_piece();
    void read_piece(std::string& to);
    void fail(std::string why, std::size_t end);
    void refuse_size(const std::string& what);
    std::size_t end_of_whole_lines() const;

    int descriptor_;  // -1: moved from
    std::size_t bytes_max_;
    Gzip gzip_;
    std::optional<GunzipStream> gunzip_{};  // none: it is not compressed, or that is not known yet
    std::string text_;
    std::size_t begin_ = 0;     // of what has not been taken in it
    std::size_t searched_ = 0;  // between `begin_` and here no line ends
    std::uint64_t lines_ = 0;   // that have been taken
    bool has_begun_ = false, has_ended_ = false, is_too_large_ = false;
    std::string failure_;
};

}  // namespace sluice::cli
