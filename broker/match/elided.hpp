// Conditions as events name them. Pure function; any thread.
#pragma once

#include <cstddef>
#include <string>

namespace sluice::broker {

// Elides the middle of a long condition, since the comparison follows the operand, which may be long.
inline std::string elided(const std::string& text) {
    std::size_t head = 120, tail = 60;
    if (text.size() <= head + tail) return text;
    const auto splits_character = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
    while (head > 0 && splits_character(head)) --head;
    while (tail > 0 && splits_character(text.size() - tail)) --tail;
    return text.substr(0, head) + "…" + text.substr(text.size() - tail);
}

}  // namespace sluice::broker
