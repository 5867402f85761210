// Distinct filters in canonical form, while a segment is being built: filters with the same form share it and are
// matched once. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/tables/hash.hpp"

namespace sluice::cpu {

// Conjunctions of literal codes as a sequence of words: their count, then for each its size and its codes.
class FormTable {
public:
    // Conjunctions are sets of literals in any order. Contradictory ones are dropped; an empty one makes the form true.
    std::uint32_t intern(std::vector<std::vector<std::uint32_t>>& conjunctions);
    // The form of one conjunction. If one of these throws, the table is as before.
    std::uint32_t intern(std::vector<std::uint32_t>& codes);

    // The words of the records of all conjunctions: for each a target and its codes.
    std::uint64_t record_words() const { return words_.size() - begins_.size(); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(begins_.size()); }
    std::uint32_t conjunctions(std::uint32_t form) const { return words_[begins_[form]]; }

    // Calls visit(std::span<const std::uint32_t> codes) for each conjunction of the form.
    template <class Visit>
    void for_each(std::uint32_t form, Visit visit) const {
        const std::uint32_t* at = &words_[begins_[form]];
        for (std::uint32_t left = *at++; left > 0; --left) {
            const std::uint32_t size = *at++;
            visit(std::span(at, size));
            at += size;
        }
    }

private:
    std::span<const std::uint32_t> words(std::uint32_t form) const {
        const std::size_t end = form + 1 < begins_.size() ? begins_[form + 1] : words_.size();
        return std::span(words_).subspan(begins_[form], end - begins_[form]);
    }
    static std::uint64_t hash(std::span<const std::uint32_t> words);
    std::uint32_t intern_made();

    std::vector<std::uint32_t> made_;  // the words of the form being interned
    std::vector<std::uint32_t> words_;
    std::vector<std::size_t> begins_;
    engine::HashIndex index_;
};

}  // namespace sluice::cpu
