// A bit for a name: a set of names, as a union of bits, rules out most other names without comparing any.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::feed {

// One bit of 64; none for an empty name. Most names of an element's children have different ones.
constexpr std::uint64_t name_bit(std::string_view name) {
    if (name.empty()) return 0;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(name[i]); };
    return std::uint64_t{1} << ((at(0) + 5u * at(name.size() / 2) + 11u * name.size()) % 64);
}

}  // namespace sluice::feed
