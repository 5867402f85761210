// Finds the places of a text where a pattern may be within k edits. Of a pattern cut into k + 1 pieces, k edits leave
// one untouched (Wu and Manber 1992), so that piece stands in the text exactly. Each piece is known by four or eight
// of its bytes, those that fewest other pieces have; the text's are looked up in a bitmap, then in a hash table, then
// the whole piece is compared. Built once, then read by any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sluice::approximate {

class PieceFilter {
public:
    // A piece of `pattern` that begins after `characters` of its characters stands at byte `at` of the text.
    struct Candidate {
        std::uint32_t pattern, characters;
        std::size_t at;
    };

    // The least bytes of a piece.
    static constexpr std::size_t piece_bytes_min = 4;

    // `pattern` has m > k characters and (k + 1) * piece_bytes_min bytes or more. False, and nothing is added, if one
    // of its pieces would have too few bytes.
    bool add(std::uint32_t pattern, std::string_view utf8, std::size_t m, std::uint32_t k);
    // After the last add, before the first scan.
    void build();
    bool empty() const { return pieces_.empty(); }

    // Appends the candidates of `text`, by place; how many pieces were compared.
    std::size_t scan(std::string_view text, std::vector<Candidate>& found) const;

private:
    struct Piece {
        std::uint32_t pattern, characters;  // before it in the pattern
        std::uint32_t begin, bytes;         // in bytes_
        std::uint32_t gram = 0;             // where its gram begins
        std::uint32_t next = 0;             // the next piece with that gram, plus one
    };
    // Pieces by grams of `width` bytes.
    struct Grams {
        explicit Grams(std::size_t gram_width) : width(gram_width) {}

        std::size_t width;
        std::unordered_map<std::uint64_t, std::uint32_t> count;  // while building
        std::vector<std::uint32_t> pieces;
        struct Slot {
            std::uint64_t gram;
            std::uint32_t first;  // piece plus one, 0: free
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

}  // namespace sluice::approximate
