// Alignments for those who ask (annotate=alignment): of each align() and align-global() of a subscriber's filters that
// holds for an event, score, place and CIGAR, by Myers and Miller in linear memory. A condition that several
// subscribers share is aligned once for an event. Belongs to its subscriber; read-only, used by the thread that
// delivers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/operators/alignment/pair.hpp"
#include "gpu/tables/term.hpp"
#include "protocol/feed/event.hpp"
#include "protocol/feed/extractor.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice {

// The alignments of one batch, for all subscribers.
struct FoundAlignments {
    struct Found {
        std::uint64_t cells = 0;             // letters times letters
        std::optional<std::string> members;  // of a JSON object, once aligned; "" where the condition does not hold
    };

    std::map<std::pair<std::size_t, std::string_view>, Found> found;  // by number of the event and condition
    std::uint64_t cells = 0;                                          // of them all
};

class Annotator {
public:
    // Nobody gets anything of a batch while it is aligned: this many times cells_max, for all subscribers.
    static constexpr std::uint64_t batch_share = 32;

    // `leaves[i]` are those of the subscriber's filter i. No more than `cells_max` cells are aligned for one event of
    // the subscriber; what is beyond that, or beyond the batch's share, is left out, and says so.
    Annotator(const std::vector<std::vector<Leaf>>& leaves, std::uint64_t cells_max);

    // A JSON array for event number `e` of the batch, which the filters (ascending) accept:
    //   {"filter": 0, "leaf": "align(s, 'ACGT') >= 4", "value": 0, "score": 4, "query_start": 1, "query_end": 4,
    //    "text_start": 7, "text_end": 10, "cigar": "4="}
    // `value` is the index among the attribute's values: of several that hold, the best. Letters count from 1, white
    // space not at all; an alignment of nothing has no places; of a long leaf the middle is left out. Left out:
    // "omitted" with the reason, no score.
    std::string alignments(const Event& event, std::size_t e, std::span<const std::uint32_t> filters,
                           FoundAlignments& found) const;

private:
    struct Condition {
        std::uint32_t filter;
        std::string leaf;
        std::uint32_t attribute;
        alignment::Scheme scheme;
        alignment::Mode mode;
        std::vector<alignment::Code> query;
        Bounds bounds;
    };

    static std::string find(const Condition& condition, const std::vector<std::vector<alignment::Code>>& texts);
    std::string members_of(const Condition& condition, std::span<const Value> values, std::size_t event,
                           std::uint64_t& cells_left, FoundAlignments& batch) const;

    std::vector<Condition> conditions_;
    std::vector<std::string> attributes_;
    Extractor extractor_;
    std::uint64_t cells_max_;
};

}  // namespace sluice
