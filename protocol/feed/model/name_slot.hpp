// A place in small tables for the name of an element or an attribute. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::feed {

inline constexpr std::size_t name_slots = 64;

// Most names of an element's children have different ones: these factors keep those that feeds have apart.
constexpr std::size_t name_slot(std::string_view name) {
    if (name.empty()) return 0;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(name[i]); };
    return (9u * at(0) + 6u * at(name.size() / 2) + 11u * name.size()) % name_slots;
}

// The slot as a bit: a set of names, as a union of bits, rules out most other names without comparing any. None for an
// empty name.
constexpr std::uint64_t name_bit(std::string_view name) {
    return name.empty() ? 0 : std::uint64_t{1} << name_slot(name);
}

}  // namespace sluice::feed
