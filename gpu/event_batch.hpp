// The events that are matched together, as values by attribute. Filled by one thread, then read-only; views point into
// memory that whoever fills the batch keeps alive until it has been matched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sluice {

struct OperatorWork;
struct Match;

// One value of one attribute. `attribute` is an id of the Program that will match the batch (Program::attributes()).
struct Value {
    std::uint32_t attribute = 0;
    std::string_view text;
    double number = 0;  // XPath's number(text); NaN where the text is no number
};

// `values[first[e]] … values[first[e + 1] - 1]` are the values of event e, in ascending order of attribute; several
// values of one attribute stand side by side, in document order. Event e is bit e % 32 of mask word e / 32.
struct EventBatch {
    static constexpr std::size_t events_max = 1024;

    std::vector<Value> values;
    std::vector<std::uint32_t> first{0};

    // Decides a scanned predicate: `scanned` is an index into Program::scanned(), `event` one of this batch. Called
    // from the matching thread, at most once for a pair, and only for pairs that still matter. No value: that would
    // take too long. Empty: all false.
    std::function<std::optional<bool>(std::uint32_t scanned, std::uint32_t event)> scan;

    // The most that a measured predicate may take for one text, as estimated (gpu/operators/cost.hpp). The naive
    // backend takes the time that it takes.
    double operator_ns_max = std::numeric_limits<double>::infinity();

    // If not null, what a predicate would have been needed for that is not decided because it would take too long is
    // appended: subscriptions and events, the same ones possibly more than once. They are no match by that predicate.
    std::vector<Match>* undecided = nullptr;

    // Called between pieces of work that may each take long. An exception from here ends the match.
    std::function<void()> pause;

    // If not null, what the batch's measured predicates take is added to it (gpu/operators/work.hpp).
    OperatorWork* work = nullptr;

    std::size_t size() const { return first.size() - 1; }
    std::size_t words() const { return (size() + 31) / 32; }
    std::span<const Value> event(std::size_t e) const {
        return std::span(values).subspan(first[e], first[e + 1] - first[e]);
    }

    // Closes the event whose values have been appended to `values`.
    void end_event() { first.push_back(static_cast<std::uint32_t>(values.size())); }
    void clear() {
        values.clear();
        first.assign(1, 0);
    }
};

}  // namespace sluice
