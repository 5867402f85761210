#include "gpu/cpu/form_table.hpp"

#include <algorithm>

namespace sluice::cpu {

namespace {

// Sorts the literals and removes duplicates. Returns false if a literal occurs beside its negation (they differ only in
// bit 0).
bool canonical(std::vector<std::uint32_t>& codes) {
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    return std::adjacent_find(codes.begin(), codes.end(),
                              [](std::uint32_t a, std::uint32_t b) { return (a ^ b) == 1; }) == codes.end();
}

}  // namespace

std::uint64_t FormTable::hash(std::span<const std::uint32_t> words) {
    std::uint64_t h = words.size();
    for (const std::uint32_t word : words) h = (h ^ word) * 0x9fb21c651e98df25u, h ^= h >> 32;
    return engine::mix(h);
}

std::uint32_t FormTable::finish(std::size_t begin) {
    const auto made = std::span(words_).subspan(begin);
    const std::uint64_t h = hash(made);
    const std::uint32_t known = index_.find(h, [&](std::uint32_t form) {
        const auto other = words(form).first(std::min(words(form).size(), begin - begins_[form]));
        return std::equal(other.begin(), other.end(), made.begin(), made.end());
    });
    if (known != engine::none) {
        words_.resize(begin);
        return known;
    }
    begins_.push_back(begin);
    index_.insert(h, size() - 1, [this](std::uint32_t form) { return hash(words(form)); });
    return size() - 1;
}

std::uint32_t FormTable::intern(std::vector<std::uint32_t>& codes) {
    const std::size_t begin = words_.size();
    if (canonical(codes)) {
        words_.push_back(1);
        words_.push_back(static_cast<std::uint32_t>(codes.size()));
        words_.insert(words_.end(), codes.begin(), codes.end());
    } else {
        words_.push_back(0);
    }
    return finish(begin);
}

std::uint32_t FormTable::intern(std::vector<std::vector<std::uint32_t>>& conjunctions) {
    if (conjunctions.size() == 1) return intern(conjunctions.front());
    std::erase_if(conjunctions, [](std::vector<std::uint32_t>& codes) { return !canonical(codes); });
    std::sort(conjunctions.begin(), conjunctions.end());
    conjunctions.erase(std::unique(conjunctions.begin(), conjunctions.end()), conjunctions.end());
    if (!conjunctions.empty() && conjunctions.front().empty()) conjunctions.resize(1);
    const std::size_t begin = words_.size();
    words_.push_back(static_cast<std::uint32_t>(conjunctions.size()));
    for (const auto& codes : conjunctions) {
        words_.push_back(static_cast<std::uint32_t>(codes.size()));
        words_.insert(words_.end(), codes.begin(), codes.end());
    }
    return finish(begin);
}

}  // namespace sluice::cpu
