// A batch of events that are matched together, as values by attribute. One thread fills it; then it is read-only. Its
// views point into memory that the filling code keeps alive until the batch has been matched.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sluice::operators {
struct OperatorWork;
struct Bounds;
}  // namespace sluice::operators

namespace sluice::engine {

struct Match;
struct Measure;

// One value of one attribute. `attribute` is an id of the Program that will match the batch (Program::attributes()).
struct Value {
    std::uint32_t attribute = 0;
    std::string_view text;
    double number = 0;  // XPath's number(text); NaN if the text is not a number
};

// Values that several events share, such as those of the elements around an item, ordered like an event's own values.
// Owned by whoever fills the batch.
struct ValueGroup {
    std::uint64_t id = 0;  // from new_id(); what is computed for a group may be kept under it for later batches
    std::span<const Value> values;
    // The number of events that may have the group, in this batch and in others, as far as known. Its budget for
    // measured predicates is that of so many events (EventBatch::group_ns_max).
    std::uint32_t events = 1;

    // Never returns the same id twice. Any thread.
    static std::uint64_t new_id() {
        static std::atomic<std::uint64_t> last = 0;
        return last.fetch_add(1, std::memory_order_relaxed) + 1;
    }
};

// `values[first[e]] … values[first[e + 1] - 1]` are event e's own values, in ascending order of attribute; several
// values of one attribute stand side by side, in document order. Event e is bit e % 32 of mask word e / 32.
// An event may also have values in groups: groups[shares[first_share[e]]] and so on, each group at most once. All
// values that an event has of one attribute are its own, or are all in one group.
struct EventBatch {
    static constexpr std::size_t events_max = 1024;

    std::vector<Value> values;
    std::vector<std::uint32_t> first{0};
    std::vector<ValueGroup> groups;
    std::vector<std::uint32_t> shares, first_share{0};

    // An attribute whose values would take too long to read for an event. Its predicates are undecided; values in the
    // batch are ignored. Such events should be rare: each is compared with every subscription, on the CPU.
    struct Unknown {
        std::uint32_t event = 0, attribute = 0;
        friend bool operator<(const Unknown& a, const Unknown& b) {
            return a.event != b.event ? a.event < b.event : a.attribute < b.attribute;
        }
    };
    std::vector<Unknown> unknown;  // ascending

    // Decides a scanned predicate: `scanned` is an index into Program::scanned(), `event` one of this batch. Called
    // from the matching thread, at most once per pair, and only for pairs that still matter. Returns no value if the
    // decision would take too long. If empty, every scanned predicate is false.
    std::function<std::optional<bool>(std::uint32_t scanned, std::uint32_t event)> scan;

    // The most time that one measured predicate may take for one text, and that all predicates of a family may take for
    // one event. Both are compared with estimates (gpu/operators/cost.hpp). A group of values has a budget of its own,
    // for all batches: event_ns_max for each of its events, but at most group_ns_max. The naive backend has no such
    // limits.
    double operator_ns_max = std::numeric_limits<double>::infinity();
    double event_ns_max = std::numeric_limits<double>::infinity();
    double group_ns_max = std::numeric_limits<double>::infinity();

    // Sets `owners` to those of a measured predicate. Called only where the predicates of an event or group exceed
    // their budget: half of it then goes to the owners concerned in equal shares, the cheapest predicates first, and
    // what is left to the cheapest predicates of all. If empty, or for a predicate without owners, there are no shares.
    std::function<void(std::uint32_t attribute, const Measure& measure, const operators::Bounds& bounds,
                       std::vector<std::uint64_t>& owners)>
        owners_of;

    // If not null, receives the subscriptions and events whose match depends on a predicate that was left undecided
    // because it would take too long; the same pair may appear more than once. An undecided predicate makes no match.
    std::vector<Match>* undecided = nullptr;

    // Called before a piece of work that may take long, with its estimated duration. An exception from it ends the
    // match.
    std::function<void(double ns)> pause;

    // If not null, the work of the batch's measured predicates is added to it (gpu/operators/work.hpp).
    operators::OperatorWork* work = nullptr;

    // If not null, set to true if a device has matched a part of the batch; the caller sets it to false before.
    // Operators on a device do not set it: `work` has their times.
    bool* on_device = nullptr;

    std::size_t size() const { return first.size() - 1; }
    std::size_t words() const { return (size() + 31) / 32; }
    std::span<const Value> event(std::size_t e) const {
        return std::span(values).subspan(first[e], first[e + 1] - first[e]);
    }

    // The groups that the event has values in, as indexes into `groups`.
    std::span<const std::uint32_t> groups_of(std::size_t e) const {
        return std::span(shares).subspan(first_share[e], first_share[e + 1] - first_share[e]);
    }

    bool is_known(std::uint32_t event, std::uint32_t attribute) const {
        return !std::binary_search(unknown.begin(), unknown.end(), Unknown{event, attribute});
    }
    bool is_wholly_known(std::size_t event) const {
        const auto at = std::lower_bound(unknown.begin(), unknown.end(), Unknown{static_cast<std::uint32_t>(event), 0});
        return at == unknown.end() || at->event != event;
    }

    // Ends the event whose values have been appended to `values` and whose groups have been appended to `shares`.
    void end_event() {
        first.push_back(static_cast<std::uint32_t>(values.size()));
        first_share.push_back(static_cast<std::uint32_t>(shares.size()));
    }
    void clear() {
        values.clear();
        first.assign(1, 0);
        groups.clear();
        shares.clear();
        first_share.assign(1, 0);
        unknown.clear();
    }
};

}  // namespace sluice::engine
