#include "gpu/cpu/segment/form_table.hpp"

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

std::uint32_t FormTable::intern_made() {
    const std::uint64_t h = hash(made_);
    const std::uint32_t known = index_.find(h, [&](std::uint32_t form) {
        const auto other = words(form);
        return std::equal(other.begin(), other.end(), made_.begin(), made_.end());
    });
    if (known != engine::none) return known;
    index_.make_room([this](std::uint32_t form) { return hash(words(form)); });
    begins_.push_back(words_.size());
    try {
        words_.insert(words_.end(), made_.begin(), made_.end());
    } catch (...) {
        begins_.pop_back();
        throw;
    }
    index_.insert(h, size() - 1);
    return size() - 1;
}

std::uint32_t FormTable::intern(std::vector<std::uint32_t>& codes) {
    made_.clear();
    if (canonical(codes)) {
        made_.push_back(1);
        made_.push_back(static_cast<std::uint32_t>(codes.size()));
        made_.insert(made_.end(), codes.begin(), codes.end());
    } else {
        made_.push_back(0);
    }
    return intern_made();
}

std::uint32_t FormTable::intern(std::vector<std::vector<std::uint32_t>>& conjunctions) {
    if (conjunctions.size() == 1) return intern(conjunctions.front());
    std::erase_if(conjunctions, [](std::vector<std::uint32_t>& codes) { return !canonical(codes); });
    std::sort(conjunctions.begin(), conjunctions.end());
    conjunctions.erase(std::unique(conjunctions.begin(), conjunctions.end()), conjunctions.end());
    if (!conjunctions.empty() && conjunctions.front().empty()) conjunctions.resize(1);
    made_.clear();
    made_.push_back(static_cast<std::uint32_t>(conjunctions.size()));
    for (const auto& codes : conjunctions) {
        made_.push_back(static_cast<std::uint32_t>(codes.size()));
        made_.insert(made_.end(), codes.begin(), codes.end());
    }
    return intern_made();
}

}  // namespace sluice::cpu
