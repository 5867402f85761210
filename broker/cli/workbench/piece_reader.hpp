// Reads a file of any size in pieces that overlap, so that a search in each piece finds what crosses their seams. Of
// FASTA, the pieces are of the joined sequences (joined_fasta.hpp). Keeps one piece in memory. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/cli/common/joined_fasta.hpp"
#include "broker/cli/workbench/input_file.hpp"

namespace sluice::cli {

struct FilePiece {
    std::string_view bytes;    // valid until the next piece is read
    std::size_t own = 0;       // the rest of the bytes, at most the overlap, are the next piece's, too
    std::uint64_t offset = 0;  // in the (decompressed) file, or in the joined sequences
};

enum class FileKind : std::uint8_t { detect, plain };   // detect: FASTA by its name or its first character, else plain
enum class LetterCase : std::uint8_t { as_is, lower };  // lower: pieces have a to z in the place of A to Z

class PieceReader {
public:
    // `path`, `is_stopped`: as for InputFile. A piece has `own_bytes` of its own, as long as there are so many.
    PieceReader(const std::string& path, std::size_t own_bytes, std::size_t overlap_bytes,
                std::function<bool()> is_stopped = {}, FileKind kind = FileKind::plain,
                LetterCase letter_case = LetterCase::as_is);

    // None at the end, after an error, and when stopped.
    std::optional<FilePiece> next();
    const std::string& error() const { return file_.error(); }  // empty: none
    // Null: the file is not FASTA. Known from the first piece on. Has the records of the last piece, and maybe an
    // error.
    const JoinedFasta* fasta() const { return fasta_ ? &*fasta_ : nullptr; }
    const InputFile& file() const { return file_; }

private:
    void fill();
    void detect();
    void fill_joined();

    std::size_t own_bytes_, capacity_;
    std::unique_ptr<char[]> buffer_;
    InputFile file_;
    std::size_t own_ = 0, size_ = 0;  // of the last piece: its own bytes, and all
    std::uint64_t offset_ = 0;
    LetterCase letter_case_;
    bool is_detected_;
    std::optional<JoinedFasta> fasta_;
    std::string raw_;              // of FASTA: the bytes to be joined
    bool ends_at_record_ = false;  // the piece does, and needs no overlap
};

}  // namespace sluice::cli
