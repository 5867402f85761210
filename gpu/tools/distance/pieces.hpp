// Cuts UTF-8 texts into overlapping pieces for bit-parallel matching and the dynamic program, whose pieces need not be
// exact: a longer overlap costs time only. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/edits/characters.hpp"
#include "gpu/operators/edits/parts.hpp"

namespace sluice::edits {

struct Piece {
    std::size_t text;  // its index
    std::string_view utf8;
};

// Makes `least` the smaller of itself and `distance`, which threads may do at the same time: a text's distance is the
// least of its pieces'.
inline void lower(std::uint32_t& least, std::uint32_t distance) {
    const std::atomic_ref<std::uint32_t> shared(least);
    std::uint32_t old = shared.load(std::memory_order_relaxed);
    while (distance < old && !shared.compare_exchange_weak(old, distance, std::memory_order_relaxed)) continue;
}

// At most `parts` pieces of a text. They overlap in at least `overlap` characters, and each begins and ends with whole
// characters.
inline void cut_utf8(std::size_t index, std::string_view text, std::uint64_t overlap, std::uint64_t parts,
                     std::vector<Piece>& pieces) {
    constexpr std::uint64_t character_bytes_max = 4;
    const auto inside = [&](std::size_t at) {
        return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    };
    const std::uint64_t bytes = parts <= 1 || is_ascii(text) ? overlap : overlap * character_bytes_max;
    for (const Part& part : cut_text(text.size(), bytes, parts)) {
        std::size_t begin = part.begin, end = part.begin + part.length;
        while (begin > 0 && inside(begin)) --begin;
        while (inside(end)) ++end;
        pieces.push_back({index, text.substr(begin, end - begin)});
    }
}

// The pieces of all texts. Where `parts` is 0, a piece has about `bytes` bytes, and at least four times the overlap.
inline std::vector<Piece> cut_all(std::span<const std::string_view> texts, std::uint64_t overlap, std::uint64_t parts,
                                  std::uint64_t bytes) {
    std::vector<Piece> pieces;
    const std::uint64_t least = std::max<std::uint64_t>({bytes, 4 * overlap, 1});
    for (std::size_t t = 0; t < texts.size(); ++t)
        cut_utf8(t, texts[t], overlap, parts > 0 ? parts : texts[t].size() / least + 1, pieces);
    return pieces;
}

}  // namespace sluice::edits
