// Explains what a filter says of single events. First the filter decides the event, as for a subscriber that is alone;
// then its conditions do, one by one: the indexed ones, the scanned ones, and the computed ones, and of the latter two
// only those that are in an alternative which the others have not refuted. So the answers of the conditions never
// contradict the filter's, but where budgets are exceeded they may leave open what the filter decides. Belongs to one
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "broker/match/batch_matcher.hpp"
#include "broker/match/explanation.hpp"
#include "protocol/feed/model/event.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::broker {

class EventExplainer {
public:
    static constexpr std::size_t values_max = 10;              // of a condition
    static constexpr std::size_t value_bytes_max = 200;        // of a value, without the mark that it was shortened
    static constexpr std::size_t values_bytes_max = 1u << 20;  // of an event; beyond it, values are counted only

    // `pause` is called before each piece of work, and again and again within long ones; an exception from it ends the
    // explanation. limits.event_time bounds the estimates of all computed conditions together: once for deciding the
    // filter, and once for its conditions. The filter outlives this object.
    EventExplainer(const filter::Filter& filter, const BatchLimits& limits, std::function<void()> pause);

    // `has_siblings`: the event's document is there, and not just the event itself.
    Explanation explain(const feed::Event& event, bool has_siblings);
    // Of an event whose document can't be read again.
    Explanation undelivered() const;

private:
    struct OverBudget : std::exception {};
    using Leaves = std::vector<std::uint32_t>;

    std::vector<std::optional<bool>> decide(const feed::Event& event, std::span<const engine::Disjunction> filters);
    void decide_filter(const feed::Event& event);
    void decide_indexed(const feed::Event& event);
    void decide_needed(const feed::Event& event, bool (filter::Leaf::*is)() const);
    void read_values(const feed::Event& event, const Leaves& leaves);
    void compute(const feed::Event& event);
    void spend(double ns);

    const filter::Filter& filter_;
    const std::function<void()> pause_;
    const double ns_max_;
    double spent_ns_ = 0;
    BatchMatcher matcher_;
    Explanation found_;
    std::size_t values_bytes_ = 0;
};

}  // namespace sluice::broker
