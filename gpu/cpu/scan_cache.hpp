// Calls EventBatch::scan at most once for each (scanned predicate, event) of a batch. Lives for one match; one thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "gpu/cpu/accepted.hpp"

namespace sluice::cpu {

class ScanCache {
public:
    explicit ScanCache(const engine::EventBatch& batch) : batch_(batch) {}

    // Whether the literal holds for the event; no value: undecided.
    std::optional<bool> holds(std::uint32_t scanned, bool negated, std::uint32_t event) {
        std::optional<bool> answer = ask(scanned, event);
        if (answer) *answer = *answer != negated;
        return answer;
    }

    // The rows of the current segment that undecided literals would decide. The segment empties the list.
    std::vector<Accepted>& undecided() { return undecided_; }

private:
    // The answers of a predicate for the 32 events of a word.
    struct Word {
        std::uint64_t key = none;  // predicate and word
        std::uint32_t asked = 0, decided = 0, holds = 0;
    };
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    static constexpr std::size_t words_min = 64;

    std::optional<bool> ask(std::uint32_t scanned, std::uint32_t event) {
        if (!batch_.scan) return false;
        const std::uint64_t key = std::uint64_t{scanned} << 32 | event / 32;
        if (words_.empty() || words_[recent_].key != key) recent_ = find_or_add(key);
        Word& word = words_[recent_];
        const std::uint32_t bit = 1u << event % 32;
        if ((word.asked & bit) == 0) {
            const std::optional<bool> answer = batch_.scan(scanned, event);
            word.asked |= bit;
            if (answer) word.decided |= bit;
            if (answer.value_or(false)) word.holds |= bit;
        }
        if ((word.decided & bit) == 0) return std::nullopt;
        return (word.holds & bit) != 0;
    }

    std::size_t find_or_add(std::uint64_t key) {
        if (2 * used_ >= words_.size()) grow();
        const std::size_t at = place(key);
        if (words_[at].key == none) {
            words_[at].key = key;
            ++used_;
        }
        return at;
    }

    // The word, or the free place for it.
    std::size_t place(std::uint64_t key) const {
        const std::size_t mask = words_.size() - 1;
        std::size_t at = key * 0x9e3779b97f4a7c15u >> (64 - std::countr_zero(words_.size()));
        while (words_[at].key != key && words_[at].key != none) at = (at + 1) & mask;
        return at;
    }

    void grow() {
        std::vector<Word> old(std::max(words_min, 2 * words_.size()));
        old.swap(words_);
        for (const Word& word : old)
            if (word.key != none) words_[place(word.key)] = word;
    }

    const engine::EventBatch& batch_;
    std::vector<Word> words_;  // a power of two, at most half of them used
    std::size_t used_ = 0, recent_ = 0;
    std::vector<Accepted> undecided_;
};

}  // namespace sluice::cpu
