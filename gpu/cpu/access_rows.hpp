// The conjunctions that an event finds by its access tokens. Rows stand in buckets by the hash of their token or pair
// of tokens; an event looks into the bucket of each token, and of each pair of tokens, that it has. The cost follows
// the event's tokens and the rows they lead to, not how many rows there are. A row found is decided literal by literal,
// so that what else a bucket holds does no harm. Built once; any thread may match.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cpu/accepted.hpp"
#include "gpu/cpu/access.hpp"
#include "gpu/cpu/deferred_rows.hpp"
#include "gpu/cpu/scan_cache.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice {

class AccessRows {
public:
    struct Scratch {
        std::array<std::vector<std::uint64_t>, AccessChoice::tokens_max> tokens;  // that lead to rows alone, in pairs …
        std::vector<std::uint64_t> hashes;
        struct Span {
            std::uint32_t begin, end;
        };
        std::vector<Span> spans;
        std::vector<std::uint32_t> rows;  // where in records_ they begin
    };

    // How many conjunctions there are in all; before the first is added.
    void expect(std::size_t rows) { expected_ = rows; }
    // The choice is of one token or more.
    void add(const PredicateTables& tables, std::uint32_t target, const AccessChoice& choice,
             std::span<const std::uint32_t> codes);
    void build();

    // Appends what the event makes hold; the same twice is possible. Rows that only measured literals can still decide
    // are deferred.
    void match(const PredicateTables& tables, const EventState& state, std::uint32_t event, ScanCache& scans,
               Scratch& scratch, std::vector<Accepted>& accepted, DeferredRows& deferred) const;

    // How many rows the event looks at, about, together with what its look-ups cost.
    double rows_found(const PredicateTables& tables, const EventState& state, Scratch& scratch) const;

    // visit(target, codes) for each row; the codes are in no particular order.
    template <class Visit>
    void for_each(Visit visit) const {
        std::vector<std::uint32_t> codes;
        for (std::size_t at = 0; at < records_.size(); codes.clear()) {
            const std::uint32_t target = records_[at++];
            do codes.push_back(records_[at] & ~last_flag);
            while ((records_[at++] & last_flag) == 0);
            visit(target, codes);
        }
    }

    std::size_t bytes() const;

private:
    static constexpr std::uint32_t last_flag = 0x80000000u;

    struct Draft {
        std::uint64_t key;
        std::uint32_t target, begin, size;  // of its codes in draft_codes_
    };
    // An attribute's grid for one number of tokens: its width, and the levels that some row uses, one bit each.
    struct Grid {
        std::uint32_t width = 1, levels = 0;
    };
    using Grids = std::array<Grid, AccessChoice::tokens_max>;

    // The bucket is the hash's first bits; the three bits after them choose the bucket's filter bit.
    static std::uint64_t hash(std::uint64_t key) { return key * 0x9e3779b97f4a7c15u; }
    std::uint64_t bucket(std::uint64_t hash) const { return hash >> shift_; }
    std::uint8_t filter_bit(std::uint64_t hash) const {
        return static_cast<std::uint8_t>(1u << (hash >> (shift_ - 3) & 7));
    }
    std::span<const std::uint32_t> codes_from(std::uint32_t at) const;
    std::uint64_t note(const PredicateTables& tables, LiteralCode code, std::uint32_t tokens);
    static void collect_cells(std::uint32_t attribute, const NumberPosition& p, const Grid& grid, std::uint32_t tokens,
                              std::vector<std::uint64_t>& keys);
    bool passes(std::uint64_t hash) const { return (filter_[bucket(hash)] & filter_bit(hash)) != 0; }
    std::size_t look_ups(const Scratch& scratch) const;
    void look_up(Scratch& scratch) const;
    void find(const PredicateTables& tables, const EventState& state, Scratch& scratch) const;
    void probe(Scratch& scratch) const;
    void sift(const PredicateTables& tables, const EventState& state, Scratch& scratch) const;
    void collect_tokens(const PredicateTables& tables, const EventState& state, Scratch& scratch) const;

    std::size_t expected_ = 0;
    std::vector<Draft> drafts_;  // until build()
    std::vector<std::uint32_t> draft_codes_;

    unsigned shift_ = 63;
    std::size_t rows_ = 0;
    std::vector<std::uint8_t>
        filter_;  // by bucket: which of eight classes of hashes it has, so that most probes end here
    std::vector<std::uint32_t> offsets_;  // records of bucket b: offsets_[b] … offsets_[b + 1]
    std::vector<std::uint32_t> records_;  // target, codes (the last one flagged)
    std::vector<std::uint8_t> uses_;      // by bit: bit k is set if it leads to rows as one of k + 1 tokens
    std::vector<Grids> grids_;            // by attribute
};

}  // namespace sluice
