// Reads a file of texts, a line each, or of FASTA a record each, or a file that is one text, in batches of bounded
// size. A long text comes in pieces that overlap, unless whole texts are wanted. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/common/joined_fasta.hpp"
#include "broker/cli/workbench/input_file.hpp"

namespace sluice::cli {

// Why bytes are not text: "the text has a NUL byte", and where.
struct TextFault {
    std::string what;
    std::size_t at;  // the first such byte
};
// `noun`: "text". Text is UTF-8 without NUL bytes.
std::optional<TextFault> find_text_fault(std::string_view bytes, const std::string& noun);

class TextReader {
public:
    struct Options {
        bool one_text = false;                        // the whole file; a final line end does not count
        bool plain = false;                           // FASTA is read as other files are
        bool whole = false;                           // texts are not cut, and thus limited
        std::uint64_t overlap = 0;                    // of pieces, in characters
        std::size_t texts_max = 1;                    // of a batch
        std::size_t piece_bytes = piece_bytes_usual;  // the size from which a text is cut, and of a batch
    };
    // The whole text of 2^22 characters that the published measurements use is one piece.
    static constexpr std::size_t piece_bytes_usual = std::size_t{8} << 20;
    static constexpr std::size_t whole_bytes_max = std::size_t{1} << 24;

    struct Piece {
        std::uint64_t text;  // its number, from 1 on
        std::string utf8;
        bool begins, ends;                  // whether it is the text's first piece, its last
        std::optional<std::string> record;  // of FASTA: its name
    };

    // "-": standard input. Gzip is decompressed.
    TextReader(std::string path, const Options& options);

    // The next pieces, which all belong to different texts; none at the end or after an error.
    std::vector<Piece> read();

    // Empty, or "texts.txt:2: the text has a NUL byte, byte 3 of the line".
    const std::string& error() const { return error_; }
    std::size_t error_line() const { return error_line_; }  // 0: none

    bool is_fasta() const { return fasta_.has_value(); }  // known from the first read() on
    // So far.
    std::uint64_t texts() const { return texts_; }
    std::uint64_t characters() const { return characters_; }
    // The share of the file that was read, and how many bytes it has on the disk; nothing if the size is unknown.
    std::optional<double> share_read() const;
    std::optional<std::uint64_t> file_bytes() const { return file_bytes_; }

private:
    bool fill();
    bool read_chunk();
    void notice_error();
    bool begin();
    bool join();
    void take(std::vector<Piece>& batch);
    bool check(bool complete);
    void emit(std::vector<Piece>& batch, std::size_t bytes, bool ends);
    void drop(std::size_t bytes);
    void fail(const std::string& what, std::size_t at);
    std::string record_name();

    std::string path_;
    Options options_;
    InputFile file_;
    std::optional<std::uint64_t> file_bytes_;  // as it is stored
    std::uint64_t texts_ = 0, characters_ = 0;
    std::string error_;
    std::size_t error_line_ = 0;

    bool has_begun_ = false;
    std::optional<JoinedFasta> fasta_;  // makes a line of each record
    std::string raw_;                   // of FASTA: the bytes to be joined
    bool raw_ended_ = false;
    std::string chunk_;  // read, from next_ on not yet taken
    std::size_t next_ = 0;
    bool at_end_ = false;
    std::string text_;                         // what is left of the current text
    bool in_text_ = false;                     // whether a text has begun
    bool is_cut_ = false;                      // whether pieces of it were given
    std::size_t seen_ = 0;                     // the bytes of text_ that were in the piece before
    std::size_t checked_ = 0;                  // the bytes of text_ that are known to be text
    std::size_t line_ = 1, byte_in_line_ = 0;  // of the beginning of text_
};

}  // namespace sluice::cli
