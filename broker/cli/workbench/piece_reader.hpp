// Reads a file of any size in pieces that overlap, so that a search in each piece finds what crosses their seams. Of
// FASTA, the pieces are of the joined sequences (joined_fasta.hpp). Keeps one piece in memory. Belongs to one thread.
#pragma once

#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/cli/common/joined_fasta.hpp"

namespace sluice::cli {

struct FilePiece {
    std::string_view bytes;    // valid until the next piece is read
    std::size_t own = 0;       // the rest of the bytes, at most the overlap, are the next piece's, too
    std::uint64_t offset = 0;  // in the file, or in the joined sequences
};

enum class FileKind : std::uint8_t { detect, plain };  // detect: FASTA by its name or its first character, else plain

class PieceReader {
public:
    // `path`: "-" is standard input. A piece has `own_bytes` of its own, as long as there are so many. While it waits
    // for input, the reader calls `is_stopped` at least every 0.1 s, and ends when that returns true.
    PieceReader(const std::string& path, std::size_t own_bytes, std::size_t overlap_bytes,
                std::function<bool()> is_stopped = {}, FileKind kind = FileKind::plain);
    ~PieceReader();
    PieceReader(const PieceReader&) = delete;
    PieceReader& operator=(const PieceReader&) = delete;

    // None at the end, after an error, and when stopped.
    std::optional<FilePiece> next();
    const boost::system::error_code& error() const { return error_; }
    // Null: the file is not FASTA. Known from the first piece on. Has the records of the last piece, and maybe an
    // error.
    const JoinedFasta* fasta() const { return fasta_ ? &*fasta_ : nullptr; }
    std::uint64_t bytes_read() const { return bytes_read_; }

private:
    void fill();
    void detect();
    void fill_joined();
    std::size_t read_some(char* to, std::size_t room);
    bool wait_for_input() const;

    std::function<bool()> is_stopped_;
    std::size_t own_bytes_, capacity_;
    std::unique_ptr<char[]> buffer_;
    int file_;
    bool has_ended_ = false;
    std::size_t own_ = 0, size_ = 0;  // of the last piece: its own bytes, and all
    std::uint64_t offset_ = 0, bytes_read_ = 0;
    bool is_detected_;
    std::optional<JoinedFasta> fasta_;
    std::string raw_;              // of FASTA: the bytes to be joined
    bool ends_at_record_ = false;  // the piece does, and needs no overlap
    boost::system::error_code error_;
};

// The size of a regular file; none of others, of standard input, and of those that can't be opened.
std::optional<std::uint64_t> known_size(const std::string& path);

}  // namespace sluice::cli
