#include "gpu/tools/search/plain_rabin_karp.hpp"

#include <algorithm>
#include <numeric>

namespace sluice::substrings {

PlainRabinKarp::PlainRabinKarp(std::span<const Pattern> patterns, const RabinKarpParameters& parameters)
    : parameters_(parameters), pool_(patterns) {
    std::vector<std::uint32_t> by_length(pool_.size());
    std::iota(by_length.begin(), by_length.end(), 0);
    std::stable_sort(by_length.begin(), by_length.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return pool_.text(a).size() < pool_.text(b).size(); });
    for (const std::uint32_t p : by_length) {
        const std::string_view pattern = pool_.text(p);
        if (pattern.empty()) continue;
        if (lengths_.empty() || lengths_.back().bytes != pattern.size()) {
            lengths_.push_back({pattern.size(), 1, {}, {}});
            for (std::size_t i = 1; i < pattern.size(); ++i)
                lengths_.back().leading_power = lengths_.back().leading_power * parameters_.base % parameters_.modulus;
        }
        lengths_.back().patterns.push_back(p);
        lengths_.back().hashes.push_back(hash(pattern));
    }
}

std::uint32_t PlainRabinKarp::hash(std::string_view text) const {
    std::uint64_t h = 0;
    for (const char c : text) h = (h * parameters_.base + static_cast<unsigned char>(c)) % parameters_.modulus;
    return static_cast<std::uint32_t>(h);
}

void PlainRabinKarp::search(std::string_view text, PartOccurrences& found) const {
    for (const Length& length : lengths_) {
        if (length.bytes <= text.size() && !found.overflow) search(text, length, found);
    }
}

void PlainRabinKarp::search(std::string_view text, const Length& length, PartOccurrences& found) const {
    const std::uint64_t q = parameters_.modulus;
    const std::size_t windows = std::min(found.begins, text.size() - length.bytes + 1);
    std::uint64_t h = hash(text.substr(0, length.bytes));
    for (std::size_t at = 0; at < windows && !found.overflow; ++at) {
        compare(text, at, static_cast<std::uint32_t>(h), length, found);
        if (at + length.bytes == text.size()) return;
        const auto leaving = static_cast<unsigned char>(text[at]),
                   entering = static_cast<unsigned char>(text[at + length.bytes]);
        h = ((h + q - leaving * length.leading_power % q) * parameters_.base + entering) % q;
    }
}

void PlainRabinKarp::compare(std::string_view text, std::size_t at, std::uint32_t hash, const Length& length,
                             PartOccurrences& found) const {
    std::uint32_t equal = 0;  // counted without a branch, so that the compiler compares many hashes at once
    for (const std::uint32_t of_pattern : length.hashes) equal += of_pattern == hash;
    for (std::size_t i = 0; equal > 0; ++i) {
        if (length.hashes[i] != hash) continue;
        --equal;
        const std::uint32_t pattern = length.patterns[i];
        if (text.compare(at, length.bytes, pool_.text(pattern)) == 0) found.add(pattern, at);
    }
}

}  // namespace sluice::substrings
