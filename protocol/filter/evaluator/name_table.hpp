// Numbers the names in a document. The texts given to it must outlive it. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/filter/evaluator/label.hpp"

namespace sluice::xpath {

class NameTable {
public:
    NameTable() { recent_.fill(no_name); }

    std::uint32_t intern(std::string_view name) {
        std::uint32_t& recent = recent_[recent_place(name)];
        if (recent == no_name || texts_[recent] != name) recent = intern_rare(name);
        return recent;
    }
    std::uint32_t find(std::string_view name) const;  // no_name: unknown
    void clear();                                     // keeps the memory
    std::string_view text(std::uint32_t name) const { return texts_[name]; }

    std::size_t bytes() const { return texts_.capacity() * sizeof texts_[0] + slots_.capacity() * sizeof slots_[0]; }

private:
    struct Slot {
        std::uint32_t hash = 0, name = no_name;
    };

    // A cache of recent names, indexed by a few of their letters: most names occur again and again.
    static constexpr std::size_t recent_names = 256;
    static std::size_t recent_place(std::string_view name) {
        if (name.empty()) return 0;
        const auto letter = [&](std::size_t at) { return static_cast<unsigned char>(name[at]); };
        const std::size_t mixed =
            name.size() * 31 + letter(0) * 7u + letter(name.size() / 2) * 5u + letter(name.size() - 1);
        return mixed % recent_names;
    }

    std::uint32_t intern_rare(std::string_view name);
    std::size_t place(std::uint32_t hash, std::string_view name) const;
    void grow();

    std::array<std::uint32_t, recent_names> recent_;
    std::vector<std::string_view> texts_;
    std::vector<Slot> slots_;  // a power of two, at most half of them used; empty without names
};

}  // namespace sluice::xpath
