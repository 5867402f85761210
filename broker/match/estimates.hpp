// Tells subscribers which conditions of their filters were decided by an estimate for an event: determinism and
// laminarity of long series (gpu/operators/recurrence/evaluate.hpp). Found from the event's values, not from the
// engine, and only for subscribers with such conditions. Belongs to its subscriber. Read-only; several threads may use
// it at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "protocol/feed/model/event.hpp"
#include "protocol/feed/values/extractor.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::broker {

// The longest series in a batch's events, for all subscribers, by event number or value group, the length that matters,
// and attribute.
struct FoundSeries {
    using Key = std::tuple<std::uint64_t, std::size_t, std::string>;

    std::map<Key, std::size_t> longest, longest_of_group;
    feed::ValueGroups groups;
};

class Estimates {
public:
    // Null if no condition can be estimated. `leaves[i]` are the leaves of filter i.
    static std::unique_ptr<const Estimates> make(const std::vector<std::vector<filter::Leaf>>& leaves);

    std::size_t size() const { return conditions_.size(); }

    // The conditions of these filters (ascending) whose value was estimated for event number `e` of the batch, in order
    // of appearance, without repetition. The middle of a long one is elided.
    std::vector<std::string> conditions(const feed::Event& event, std::size_t e, std::span<const std::uint32_t> filters,
                                        FoundSeries& found) const;

private:
    struct Condition {
        std::uint32_t filter;
        std::string leaf;
        std::uint32_t attribute;
        std::size_t exact_points;  // it is estimated for longer series
    };

    Estimates(const std::vector<std::vector<filter::Leaf>>& leaves, std::vector<std::string> attributes);
    std::vector<std::size_t> measure(const feed::Event& event, std::size_t e, FoundSeries& found) const;

    std::vector<std::string> attributes_;
    std::vector<std::size_t> exact_points_;  // by attribute: the least of its conditions
    feed::Extractor extractor_;
    std::vector<Condition> conditions_;
};

// A JSON array of the conditions; empty if there are none.
std::string estimated_json(const std::vector<std::string>& conditions);

}  // namespace sluice::broker
