// Reads FASTA, the one reader of the broker and of all commands of the client. Takes a file in pieces of any size and
// keeps none of them. Belongs to one thread.
//
// A line that begins with '>' is a record's header; the lines up to the next header are its sequence. A sequence has
// letters, '*' and the gap letters '-' and '.', all kept as they are; blanks and tabs in it are left out, and so are
// lines that begin with ';' (old comments). A line ends with LF, CR LF or CR. A UTF-8 byte order mark at the beginning
// does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::text {

class FastaReader {
public:
    struct Part {
        enum class Kind : std::uint8_t {
            header,    // a line without its '>' and its end; begins a record
            residues,  // some letters of the record's sequence
            bad,       // a byte that no sequence has; the rest of its line is skipped
            stray      // the same for any byte of a line before the first record
        };
        Kind kind;
        std::string_view text;     // valid until the next part
        std::uint64_t offset = 0;  // of its first byte in the file
    };
    static constexpr std::size_t split_header_bytes_max = std::size_t{1} << 20;  // the rest is left out

    // The bytes that follow those before, when next() has returned nothing. They must stay until it does so again.
    void give(std::string_view piece, bool is_last);
    // The next part; none: the piece is read.
    std::optional<Part> next();

    // Of the last part, from 1.
    std::uint64_t line() const { return line_; }
    std::uint64_t column_of(const Part& part) const { return part.offset - line_begin_ + 1; }

private:
    enum class State : std::uint8_t { line_begin, header, sequence, skipped };

    std::optional<Part> begin_line();
    std::optional<Part> read_header();
    std::optional<Part> read_sequence();
    std::optional<Part> header_ends();
    void skip_line();
    void end_line();
    std::uint64_t offset() const { return base_ + at_; }

    std::string_view piece_;
    std::uint64_t base_ = 0;  // of the piece
    std::size_t at_ = 0;      // in the piece
    bool is_last_ = false;
    State state_ = State::line_begin;
    std::string header_;  // of a line that goes over several pieces
    std::uint64_t header_begin_ = 0;
    bool has_record_ = false, was_return_ = false;
    std::uint64_t line_ = 1, line_begin_ = 0;
    unsigned mark_bytes_ = 0;  // of the byte order mark
};

// The record's name: its header up to the first blank or tab.
std::string_view fasta_name(std::string_view header);

// Whether a file that begins so is FASTA: its first character is '>', after blanks and empty lines. None: more bytes
// are needed.
std::optional<bool> begins_like_fasta(std::string_view begin);

}  // namespace sluice::text
