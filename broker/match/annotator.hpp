// Computes alignments for subscribers that ask for them (annotate=alignment): score, position and CIGAR of each align()
// and align-global() in a subscriber's filters that holds for an event (Myers and Miller, linear memory). A condition
// that several subscribers share is aligned once per event. Belongs to its subscriber. Read-only; several matching
// threads may use it at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/operators/alignment/scheme.hpp"
#include "gpu/tables/term.hpp"
#include "protocol/feed/model/event.hpp"
#include "protocol/feed/values/extractor.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::broker {

// The alignments of one batch, for all subscribers.
struct FoundAlignments {
    struct Found {
        std::uint64_t cells = 0;             // letters times letters
        std::optional<std::string> members;  // of a JSON object, once aligned; "" if the condition does not hold
    };

    // By event number and condition. If events share the condition's values, also by the id of their value group.
    std::map<std::pair<std::size_t, std::string_view>, std::shared_ptr<Found>> found;
    std::map<std::pair<std::uint64_t, std::string_view>, std::shared_ptr<Found>> of_groups;
    std::uint64_t cells = 0;  // of all alignments
    feed::ValueGroups groups;
};

class Annotator {
public:
    // A batch is not delivered while it is being aligned. Limits its cells, for all subscribers, to this multiple of
    // cells_max.
    static constexpr std::uint64_t batch_share = 32;

    // `leaves[i]` are the leaves of the subscriber's filter i. At most `cells_max` cells are aligned for one event of
    // the subscriber. Alignments beyond that, or beyond the batch's limit, are omitted, with the reason.
    Annotator(const std::vector<std::vector<filter::Leaf>>& leaves, std::uint64_t cells_max);

    // A JSON array for event number `e` of the batch, which the filters (ascending) accept:
    //   {"filter": 0, "leaf": "align(s, 'ACGT') >= 4", "value": 0, "score": 4, "query_start": 1, "query_end": 4,
    //    "text_start": 7, "text_end": 10, "cigar": "4="}
    // `value` is the index among the attribute's values; if several satisfy the condition, that of the best. Letters
    // count from 1, without white space. An empty alignment has no positions. The middle of a long leaf is elided. An
    // omitted alignment has "omitted" with the reason, and no score.
    std::string alignments(const feed::Event& event, std::size_t e, std::span<const std::uint32_t> filters,
                           FoundAlignments& found) const;

private:
    struct Condition {
        std::uint32_t filter;
        std::string leaf;
        std::uint32_t attribute;
        alignment::Scheme scheme;
        alignment::Mode mode;
        std::vector<alignment::Code> query;
        operators::Bounds bounds;
    };

    using Texts = std::vector<std::vector<alignment::Code>>;

    static std::string find(const Condition& condition, const Texts& texts);
    static Texts encode(const Condition& condition, std::span<const engine::Value> values);
    static FoundAlignments::Found& look_up(const Condition& condition, const engine::ValueGroup& values,
                                           std::size_t event, FoundAlignments& batch);
    // `values` include the condition's values and possibly others. The group's id is 0 if they belong to the event
    // alone.
    std::string members_of(const Condition& condition, const engine::ValueGroup& values, std::size_t event,
                           std::uint64_t& cells_left, FoundAlignments& batch) const;

    std::vector<Condition> conditions_;
    std::vector<std::string> attributes_;
    feed::Extractor extractor_;
    std::uint64_t cells_max_;
};

}  // namespace sluice::broker
