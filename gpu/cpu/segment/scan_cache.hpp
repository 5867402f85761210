// Calls EventBatch::scan at most once for each (scanned predicate, event) of a batch. Lives for one match; one thread,
// which keeps the memory for its next match: a batch may ask about tens of thousands of predicates.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "gpu/cpu/segment/accepted.hpp"

namespace sluice::cpu {

class ScanCache {
    // The answers of a predicate for the 32 events of a word.
    struct Word {
        std::uint64_t key = 0;    // predicate and word
        std::uint32_t batch = 0;  // the word is in use if that is the current one
        std::uint32_t asked = 0, decided = 0, holds = 0;
    };

public:
    class Memory {
        friend class ScanCache;
        std::vector<Word> words_;  // a power of two, at most half of them used
        std::uint32_t batch_ = 0;
    };

    // The memory must outlive it, and serves one ScanCache at a time.
    ScanCache(const engine::EventBatch& batch, Memory& memory) : batch_(batch), memory_(memory) {
        const bool is_large = words().size() > kept_max;
        if (is_large || ++memory_.batch_ == 0) {
            std::vector<Word>().swap(words());
            memory_.batch_ = 1;
        }
    }

    // Whether the literal holds for the event; no value: undecided.
    std::optional<bool> holds(std::uint32_t scanned, bool negated, std::uint32_t event) {
        std::optional<bool> answer = ask(scanned, event);
        if (answer) *answer = *answer != negated;
        return answer;
    }

    // The rows of the current segment that undecided literals would decide. The segment empties the list.
    std::vector<Accepted>& undecided() { return undecided_; }

private:
    static constexpr std::size_t words_min = 64;
    static constexpr std::size_t kept_max = std::size_t{1} << 17;  // 4 MiB

    std::optional<bool> ask(std::uint32_t scanned, std::uint32_t event) {
        if (!batch_.scan) return false;
        const std::uint64_t key = std::uint64_t{scanned} << 32 | event / 32;
        if (used_ == 0 || words()[recent_].key != key) recent_ = find_or_add(key);
        Word& word = words()[recent_];
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
        if (2 * used_ >= words().size()) grow();
        const std::size_t at = place(key);
        if (!is_used(words()[at])) {
            words()[at] = {key, memory_.batch_, 0, 0, 0};
            ++used_;
        }
        return at;
    }

    // The word, or the free place for it.
    std::size_t place(std::uint64_t key) const {
        const std::size_t mask = words().size() - 1;
        std::size_t at = key * 0x9e3779b97f4a7c15u >> (64 - std::countr_zero(words().size()));
        while (is_used(words()[at]) && words()[at].key != key) at = (at + 1) & mask;
        return at;
    }

    void grow() {
        std::vector<Word> old(std::max(words_min, 2 * words().size()));
        old.swap(words());
        for (const Word& word : old)
            if (is_used(word)) words()[place(word.key)] = word;
    }

    bool is_used(const Word& word) const { return word.batch == memory_.batch_; }
    std::vector<Word>& words() { return memory_.words_; }
    const std::vector<Word>& words() const { return memory_.words_; }

    const engine::EventBatch& batch_;
    Memory& memory_;
    std::size_t used_ = 0, recent_ = 0;
    std::vector<Accepted> undecided_;
};

}  // namespace sluice::cpu
