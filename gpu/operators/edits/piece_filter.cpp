#include "gpu/operators/edits/piece_filter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/operators/edits/characters.hpp"

namespace sluice::edits {

namespace {

std::uint64_t gram_at(const char* at, std::size_t width) {
    std::uint64_t gram = 0;
    if (width == 8)
        std::memcpy(&gram, at, 8);
    else
        std::memcpy(&gram, at, 4);
    return gram;
}

// A hash whose highest bits are well mixed.
std::uint64_t mixed(std::uint64_t gram) {
    gram *= 0x9E3779B97F4A7C15u;
    return (gram ^ gram >> 32) * 0xD6E8FEB86659FD93u;
}

}  // namespace

bool PieceFilter::add(std::uint32_t pattern, std::string_view utf8, std::size_t m, std::uint32_t k) {
    std::vector<Piece> pieces;
    std::size_t begin = 0, character = 0;
    for (std::size_t i = 0; i <= k; ++i) {
        const std::size_t characters_before = character, first_byte = begin;
        for (const std::size_t end = m * (i + 1) / (k + 1); character < end; ++character)
            begin += first_character(utf8.substr(begin)).bytes;
        if (begin - first_byte < piece_bytes_min) return false;
        pieces.push_back({pattern, static_cast<std::uint32_t>(characters_before),
                          static_cast<std::uint32_t>(bytes_.size() + first_byte),
                          static_cast<std::uint32_t>(begin - first_byte)});
    }
    bytes_ += utf8;
    for (Piece& piece : pieces) {
        Grams& grams = piece.bytes >= long_.width ? long_ : short_;
        std::uint32_t fewest = ~0u;
        for (std::uint32_t at = piece.begin; at + grams.width <= piece.begin + piece.bytes; ++at) {
            const auto found = grams.count.find(gram_at(bytes_.data() + at, grams.width));
            const std::uint32_t count = found == grams.count.end() ? 0 : found->second;
            if (count < fewest) {
                fewest = count;
                piece.gram = at - piece.begin;
            }
        }
        ++grams.count[gram_at(bytes_.data() + piece.begin + piece.gram, grams.width)];
        grams.pieces.push_back(static_cast<std::uint32_t>(pieces_.size()));
        pieces_.push_back(piece);
    }
    return true;
}

void PieceFilter::build() {
    build(short_);
    build(long_);
}

void PieceFilter::build(Grams& grams) {
    // Two slots and at least 16 bits per gram, so that most look-ups end at the bitmap.
    const std::size_t slots = std::bit_ceil(2 * grams.count.size() + 2);
    const std::size_t bits = std::max<std::size_t>(8 * slots, 64);
    grams.slots.assign(slots, {0, 0});
    grams.bitmap.assign(bits / 64, 0);
    grams.slot_shift = static_cast<unsigned>(64 - std::countr_zero(slots));
    grams.bitmap_shift = static_cast<unsigned>(64 - std::countr_zero(bits));
    for (const std::uint32_t p : grams.pieces) {
        Piece& piece = pieces_[p];
        const std::uint64_t gram = gram_at(bytes_.data() + piece.begin + piece.gram, grams.width);
        const std::uint64_t hash = mixed(gram);
        grams.bitmap[hash >> grams.bitmap_shift >> 6] |= std::uint64_t{1} << (hash >> grams.bitmap_shift & 63);
        std::size_t slot = hash >> grams.slot_shift;
        while (grams.slots[slot].first != 0 && grams.slots[slot].gram != gram) slot = (slot + 1) & (slots - 1);
        piece.next = grams.slots[slot].first;
        grams.slots[slot] = {gram, p + 1};
    }
    grams.count = {};
}

std::size_t PieceFilter::scan(std::string_view text, std::vector<Candidate>& found) const {
    return scan(short_, text, found) + scan(long_, text, found);
}

std::size_t PieceFilter::scan(const Grams& grams, std::string_view text, std::vector<Candidate>& found) const {
    if (grams.pieces.empty()) return 0;
    std::size_t compared = 0;
    for (std::size_t at = 0; at + grams.width <= text.size(); ++at) {
        const std::uint64_t gram = gram_at(text.data() + at, grams.width);
        const std::uint64_t hash = mixed(gram);
        if ((grams.bitmap[hash >> grams.bitmap_shift >> 6] >> (hash >> grams.bitmap_shift & 63) & 1) == 0) continue;
        std::size_t slot = hash >> grams.slot_shift;
        while (grams.slots[slot].first != 0 && grams.slots[slot].gram != gram)
            slot = (slot + 1) & (grams.slots.size() - 1);
        for (std::uint32_t p = grams.slots[slot].first; p != 0; p = pieces_[p - 1].next) {
            const Piece& piece = pieces_[p - 1];
            ++compared;
            if (at < piece.gram || at - piece.gram + piece.bytes > text.size()) continue;
            const std::size_t begin = at - piece.gram;
            if (std::memcmp(text.data() + begin, bytes_.data() + piece.begin, piece.bytes) == 0)
                found.push_back({piece.pattern, piece.characters, begin});
        }
    }
    return compared;
}

}  // namespace sluice::edits
