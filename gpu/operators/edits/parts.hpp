// Cuts a long text into parts that are searched separately (Nakano; Man and Song 2016, section 6). Part i begins at i *
// s and has s + overlap characters, so every substring of up to `overlap` characters lies in one of them. Longer
// substrings are no nearer to a pattern than the empty one (Costs::longest_substring).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sluice::edits {

struct Part {
    std::uint64_t begin, length;
    bool operator==(const Part&) const = default;
};

// Returns at most `parts` (at least 1) parts of a text of n characters, fewer if it is too short. s is a multiple of
// `alignment`. Example: n = 1024, overlap = 64, parts = 4 give s = 240 and 0-303, 240-543, 480-783, 720-1023.
inline std::vector<Part> cut_text(std::uint64_t n, std::uint64_t overlap, std::uint64_t parts,
                                  std::uint64_t alignment = 1) {
    if (n <= overlap || parts <= 1) return {{0, n}};
    const std::uint64_t least = (n - overlap + parts - 1) / parts;
    const std::uint64_t s = (least + alignment - 1) / alignment * alignment;
    std::vector<Part> cut;
    for (std::uint64_t begin = 0; begin + overlap < n; begin += s)
        cut.push_back({begin, std::min(s + overlap, n - begin)});
    return cut;
}

}  // namespace sluice::edits
