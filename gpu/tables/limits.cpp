#include "gpu/tables/limits.hpp"

namespace sluice::engine {

namespace {

constexpr std::array<const char*, families> predicates_of_family = {
    "attributes",
    "equal predicates",
    "number_equal predicates",
    "contains predicates",
    "starts_with predicates",
    "ends_with predicates",
    "not_equal predicates",
    "number_not_equal predicates",
    "range predicates",
    "scanned predicates",
    "measured predicates",
};

std::string exceeds(std::uint64_t count, const char* what, std::uint64_t max) {
    return std::to_string(count) + ' ' + what + "; a segment holds at most " + std::to_string(max);
}

// By family, in its order. A range has its place in two sorted lists and in a grid, a pattern in its attribute's
// filter.
constexpr std::array<std::size_t, families> bytes_of_family = {160, 112, 112, 448, 144, 144, 112, 112, 320, 32, 256};
constexpr std::size_t record_word_bytes = 24;  // with its places in the tables that find it
constexpr std::size_t entry_bytes = 64;

}  // namespace

std::size_t predicate_bytes(Family family) { return bytes_of_family[static_cast<std::size_t>(family)]; }

std::size_t segment_bytes(const SegmentLoad& load) {
    std::size_t bytes = load.record_words * record_word_bytes + load.entries * entry_bytes + load.operand_bytes;
    for (std::size_t f = 0; f < families; ++f) bytes += load.predicates[f] * bytes_of_family[f];
    return bytes;
}

SegmentLoad& SegmentLoad::operator+=(const SegmentLoad& other) {
    for (std::size_t f = 0; f < families; ++f) predicates[f] += other.predicates[f];
    record_words += other.record_words;
    entries += other.entries;
    operand_bytes += other.operand_bytes;
    return *this;
}

SegmentLoad load_bound(const NormalForm& filter) {
    SegmentLoad load;
    load.entries = 1;
    for (const Conjunction& conjunction : filter.conjunctions) load.record_words += conjunction.size() + 1;
    for (const Term& term : filter.terms) {
        ++load.of(term.family);
        const bool adds_attribute = term.family != Family::exists && term.family != Family::scanned;
        if (adds_attribute) ++load.of(Family::exists);
    }
    return load;
}

bool SegmentLimits::fit(const SegmentLoad& load) const {
    for (std::size_t f = 0; f < families; ++f)
        if (load.predicates[f] > of(static_cast<Family>(f))) return false;
    return load.record_words <= record_words && load.entries <= entries;
}

std::string SegmentLimits::excess(const SegmentLoad& load) const {
    for (std::size_t f = 0; f < families; ++f) {
        const std::uint64_t max = of(static_cast<Family>(f));
        if (load.predicates[f] > max) return exceeds(load.predicates[f], predicates_of_family[f], max);
    }
    if (load.record_words > record_words) return exceeds(load.record_words, "record words", record_words);
    if (load.entries > entries) return exceeds(load.entries, "subscriptions", entries);
    return {};
}

}  // namespace sluice::engine
