// Reads a file of any size in pieces that overlap, so that a search in each piece finds what crosses their seams. Keeps
// one piece in memory. Belongs to one thread.
#pragma once

#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::cli {

struct FilePiece {
    std::string_view bytes;  // valid until the next piece is read
    std::size_t own = 0;     // the rest of the bytes, at most the overlap, are the next piece's, too
    std::uint64_t offset = 0;
};

class PieceReader {
public:
    // `path`: "-" is standard input. A piece has `own_bytes` of its own, as long as there are so many. While it waits
    // for input, the reader calls `is_stopped` at least every 0.1 s, and ends when that returns true.
    PieceReader(const std::string& path, std::size_t own_bytes, std::size_t overlap_bytes,
                std::function<bool()> is_stopped = {});
    ~PieceReader();
    PieceReader(const PieceReader&) = delete;
    PieceReader& operator=(const PieceReader&) = delete;

    // None at the end, after an error, and when stopped.
    std::optional<FilePiece> next();
    const boost::system::error_code& error() const { return error_; }

private:
    void fill();
    bool wait_for_input() const;

    std::function<bool()> is_stopped_;
    std::size_t own_bytes_, capacity_;
    std::unique_ptr<char[]> buffer_;
    int file_;
    bool has_ended_ = false;
    std::size_t own_ = 0, size_ = 0;  // of the last piece: its own bytes, and all
    std::uint64_t offset_ = 0;
    boost::system::error_code error_;
};

// The size of a regular file; none of others, of standard input, and of those that can't be opened.
std::optional<std::uint64_t> known_size(const std::string& path);

}  // namespace sluice::cli
