// Why a filter selects an event or does not: what the filter and each of its conditions say of it, and the values that
// they read. Plain values and pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/filter/filter.hpp"

namespace sluice::broker {

// Why an answer is not known, as replies spell it. The last three are also reasons of gaps.
struct Unknown {
    static constexpr std::string_view not_needed = "not-needed";  // each alternative with the condition fails anyway
    static constexpr std::string_view over_budget = "over-budget";
    static constexpr std::string_view context = "context";          // it looks at siblings, which were not retained
    static constexpr std::string_view undelivered = "undelivered";  // the event's document can't be read again
};

struct LeafFinding {
    std::optional<bool> holds{};
    std::string_view reason{};  // why it is not known
    // The strings that its path selects, in document order; none for a scanned condition.
    std::vector<std::string> values{};         // the first ones, shortened
    std::optional<std::size_t> value_count{};  // of all; no value: they were not read
    std::vector<double> computed{};            // of a computed condition, by value; NaN: the value has none
};

struct Explanation {
    std::optional<bool> matched{};
    std::string_view reason{};          // why it is not known
    std::vector<LeafFinding> leaves{};  // as in the filter
};

// A conjunction of the filter's normal form.
struct Alternative {
    std::optional<bool> holds{};
    std::vector<std::uint32_t> failed{};  // leaves because of which it does not hold
};

// In the order of the filter's conjunctions.
std::vector<Alternative> alternatives_of(const filter::Filter& filter, std::span<const LeafFinding> leaves);

// A sentence: "not matched: price < 90 does not hold (price is 120)", "matched: alternative 2 holds", counted from 1.
std::string because(const filter::Filter& filter, const Explanation& explanation);

}  // namespace sluice::broker
