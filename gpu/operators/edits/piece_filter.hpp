// Finds the places of a text where a pattern may be within k edits. If a pattern is cut into k + 1 pieces, k edits
// leave one of them untouched (Wu and Manber 1992), so that piece occurs exactly in the text. Each piece is identified
// by a gram: the four or eight of its bytes that the fewest other pieces share. Each gram of the text is looked up in a
// bitmap, then in a hash table, and then the whole piece is compared. Built once, then read by any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sluice::edits {

class PieceFilter {
public:
    // The piece of `pattern` that begins after `characters` of its characters occurs at byte `at` of the text.
    struct Candidate {
        std::uint32_t pattern, characters;
        std::size_t at;
    };

    // The minimum bytes of a piece.
    static constexpr std::size_t piece_bytes_min = 4;

    // `pattern` must have m > k characters. Returns false and adds nothing if one of its k + 1 pieces would have fewer
    // than piece_bytes_min bytes.
    bool add(std::uint32_t pattern, std::string_view utf8, std::size_t m, std::uint32_t k);
    // Must be called after the last add() and before the first scan().
    void build();
    bool empty() const { return pieces_.empty(); }

    // Appends the candidates of `text`, those of each gram width in order of place. Returns how many pieces it
    // compared.
    std::size_t scan(std::string_view text, std::vector<Candidate>& found) const;

private:
    struct Piece {
        std::uint32_t pattern, characters;  // characters: those before it in the pattern
        std::uint32_t begin, bytes;         // in bytes_
        std::uint32_t gram = 0;             // the offset of its gram in the piece
        std::uint32_t next = 0;             // the next piece with that gram, plus one
    };
    // The pieces whose grams have `width` bytes.
    struct Grams {
        explicit Grams(std::size_t gram_width) : width(gram_width) {}

        std::size_t width;
        std::unordered_map<std::uint64_t, std::uint32_t> count;  // only while building
        std::vector<std::uint32_t> pieces;
        struct Slot {
            std::uint64_t gram;
            std::uint32_t first;  // piece plus one; 0: free
        };
        std::vector<Slot> slots;
        std::vector<std::uint64_t> bitmap;
        unsigned slot_shift = 0, bitmap_shift = 0;
    };

    void build(Grams& grams);
    std::size_t scan(const Grams& grams, std::string_view text, std::vector<Candidate>& found) const;

    std::string bytes_;
    std::vector<Piece> pieces_;
    Grams short_{4}, long_{8};
};

}  // namespace sluice::edits
