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

}  // namespace

SegmentLoad& SegmentLoad::operator+=(const SegmentLoad& other) {
    for (std::size_t f = 0; f < families; ++f) predicates[f] += other.predicates[f];
    record_words += other.record_words;
    entries += other.entries;
    return *this;
}

SegmentLoad load_bound(const std::vector<Terms>& filter) {
    SegmentLoad load;
    load.entries = 1;
    for (const Terms& terms : filter) {
        load.record_words += terms.size() + 1;
        for (const Term& term : terms) {
            ++load.of(term.family);
            const bool adds_attribute = term.family != Family::exists && term.family != Family::scanned;
            if (adds_attribute) ++load.of(Family::exists);
        }
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
