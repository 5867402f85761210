// Renumbers the classes of an alphabet (alphabet.hpp) for a group that has few of them, so that the group's data per
// class does not grow with the characters of all patterns. ASCII characters and `other` keep their numbers. Built once,
// then read by any thread.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/operators/edits/alphabet.hpp"

namespace sluice::edits {

class ClassMap {
public:
    // `distinct`: the group's classes, each once.
    explicit ClassMap(std::span<const std::uint32_t> distinct) : slots_(slots_of(distinct.size())) {
        for (const std::uint32_t c : distinct) {
            if (c > Alphabet::other) slots_[slot(c)] = {c, size_++};
        }
    }

    // Numbers are below size(); classes that the group lacks become `other`.
    std::uint32_t size() const { return size_; }
    std::uint32_t of(std::uint32_t c) const { return c <= Alphabet::other ? c : slots_[slot(c)].number; }
    std::vector<std::uint32_t> of(std::span<const std::uint32_t> classes) const {
        std::vector<std::uint32_t> numbers;
        numbers.reserve(classes.size());
        for (const std::uint32_t c : classes) numbers.push_back(of(c));
        return numbers;
    }

    std::size_t bytes() const { return slots_.size() * sizeof(Slot); }
    static std::size_t bytes_of(std::size_t distinct) { return slots_of(distinct) * sizeof(Slot); }

private:
    struct Slot {
        std::uint32_t c = 0, number = Alphabet::other;  // c == 0: free, as ASCII is never looked up
    };
    // At least half of the slots stay free, so that a look-up is short and terminates.
    static std::size_t slots_of(std::size_t distinct) { return std::bit_ceil(2 * distinct + 2); }
    std::size_t slot(std::uint32_t c) const {
        std::size_t at = c * 0x9E3779B1u & (slots_.size() - 1);
        while (slots_[at].c != 0 && slots_[at].c != c) at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    std::vector<Slot> slots_;
    std::uint32_t size_ = Alphabet::other + 1;
};

}  // namespace sluice::edits
