// Finds what a subscriber is told about its events: the alignments of align() and align-global(), if it asks for them
// (annotate=alignment; Myers and Miller, linear memory), and the conditions that were decided by an estimate,
// determinism and laminarity of long series (gpu/operators/recurrence/evaluate.hpp). Computed from the events' values,
// not by the engine, and once for all subscribers. Belongs to its subscriber. Read-only; several threads may use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "broker/match/annotations.hpp"
#include "broker/match/batch_values.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"
#include "gpu/tables/term.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::broker {

// What has been found in one batch, for all subscribers. Has views of data owned by their annotators.
struct BatchFindings {
    explicit BatchFindings(MatchedValues matched = {}) : values(matched) {}

    // By condition or attribute, and an event, as 0 and its number, or a group of values, as its id and 0.
    using Key = std::tuple<std::uint64_t, std::size_t, std::string_view>;
    struct Aligned {
        std::uint64_t cells = 0;  // letters times letters
        bool is_done = false;
        std::optional<FoundAlignment> best;  // without filter and leaf; none: the condition does not hold
    };

    std::map<Key, Aligned> aligned;      // by condition
    std::map<Key, std::size_t> longest;  // by attribute: the length of the longest series that may be estimated, or 0
    std::uint64_t cells = 0;             // of all alignments
    BatchValues values;
};

class Annotator {
public:
    // A batch is not delivered while it is being aligned. Limits its cells, for all subscribers, to this multiple of
    // cells_max.
    static constexpr std::uint64_t batch_share = 32;

    // `leaves[i]` are the leaves of the subscriber's filter i. At most `cells_max` cells are aligned for one event of
    // the subscriber; alignments beyond that, or beyond the batch's limit, are omitted, with the reason. No value: the
    // subscriber does not ask for alignments.
    Annotator(const std::vector<std::vector<filter::Leaf>>& leaves, std::optional<std::uint64_t> cells_max);

    // Whether there is nothing to tell about any event.
    bool is_idle() const { return !cells_max_ && estimable_.empty(); }
    std::size_t estimates_max() const { return estimable_.size(); }  // for one event

    // The annotations of event number `e` of the batch, which the filters (ascending) accept; null: there are none.
    // Alignments and estimated conditions are in the order of appearance, the latter without repetition.
    std::shared_ptr<const Annotations> annotate(const feed::Event& event, std::size_t e,
                                                std::span<const std::uint32_t> filters, BatchFindings& batch) const;

private:
    struct Condition {
        std::uint32_t filter;
        std::string leaf;
        std::string attribute;
    };
    struct Alignable : Condition {
        alignment::Scheme scheme;
        alignment::Mode mode;
        std::vector<alignment::Code> query;
        operators::Bounds bounds;
    };
    struct Estimable : Condition {
        std::size_t exact_points;  // it is estimated for longer series
    };
    struct Place;  // an event of a batch
    using Texts = std::vector<std::vector<alignment::Code>>;

    std::vector<FoundAlignment> alignments(const Place& place, std::span<const std::uint32_t> filters) const;
    std::optional<FoundAlignment> align(const Alignable& condition, const Place& place,
                                        std::uint64_t& cells_left) const;
    static Texts encode(const Alignable& condition, std::span<const engine::Value> values, std::uint64_t& cells);
    static std::optional<FoundAlignment> best(const Alignable& condition, const Texts& texts);
    std::vector<std::string> estimates(const Place& place, std::span<const std::uint32_t> filters) const;
    static std::size_t longest_series(const std::string& attribute, const Place& place);

    std::vector<Alignable> alignable_;
    std::vector<Estimable> estimable_;
    std::optional<std::uint64_t> cells_max_;
};

}  // namespace sluice::broker
