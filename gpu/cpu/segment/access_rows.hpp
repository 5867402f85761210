// The conjunctions that an event finds by its access tokens. Rows are stored in buckets by the hash of their token,
// pair or three of tokens; an event looks into the bucket of each of its tokens, pairs and triples. The cost depends on
// the event's tokens and the rows they lead to, not on the number of rows. Every row found is checked literal by
// literal, so unrelated rows in a bucket do no harm. Built once; any thread may match.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cpu/segment/accepted.hpp"
#include "gpu/cpu/segment/access.hpp"
#include "gpu/cpu/segment/deferred_rows.hpp"
#include "gpu/cpu/segment/scan_cache.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice::cpu {

class AccessRows {
public:
    // Lists of tokens: those that lead to rows alone, in pairs, in triples, and in triples of the other half of the
    // attributes.
    static constexpr std::size_t lists = AccessChoice::tokens_max + 1;

    struct Scratch {
        std::array<std::vector<std::uint64_t>, lists> tokens;
        std::vector<std::uint64_t> hashes;
        struct Span {
            std::uint32_t begin, end;
        };
        std::vector<Span> spans;
        std::vector<std::uint32_t> rows;  // where they begin in records_
    };

    // Sets the total number of conjunctions and how their choices are made; to be called before the first add().
    void expect(std::size_t rows, Triples triples) {
        expected_ = rows;
        in_halves_ = triples == Triples::of_one_half;
    }
    // The choice has at least one token.
    void add(const engine::PredicateTables& tables, std::uint32_t target, const AccessChoice& choice,
             std::span<const std::uint32_t> codes);
    void build();

    // Appends the targets of the rows that hold for the event; one may occur twice. Rows that only measured literals
    // can still decide are deferred. Rows that depend on an undecided scanned literal go to scans.undecided().
    void match(const engine::PredicateTables& tables, const engine::EventState& state, std::uint32_t event,
               ScanCache& scans, Scratch& scratch, std::vector<Accepted>& accepted, DeferredRows& deferred) const;

    // The approximate number of rows that the event checks, plus the cost of its look-ups in rows.
    double rows_found(const engine::PredicateTables& tables, const engine::EventState& state, Scratch& scratch) const;

    // Calls visit(target, codes) for each row; the codes are in no particular order.
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

    // An attribute's grid for one number of tokens: its width, and a bit for each level that some row uses.
    struct Grid {
        std::uint32_t width = 1, levels = 0;
    };
    using Grids = std::array<Grid, AccessChoice::tokens_max>;

    // The bucket of a combination of tokens is given by the first bits of its hash, which is the sum of the tokens'
    // hashes. Most combinations that an event looks up lead nowhere. A filter says so: it has one bit for each row (or,
    // by chance, for several), chosen by the hash's last bits. The bit's line is chosen by the hash as well. For
    // triples it is chosen by the hash of the two tokens whose last 32 bits are least, so an event reads one line for
    // all triples that share two tokens.
    struct alignas(64) FilterLine {
        std::array<std::uint64_t, 8> words{};
    };

    // The arrays that were built, for a processor that keeps a copy of them; empty if there are no rows.
    struct Arrays {
        unsigned shift, filter_shift;
        bool in_halves;
        std::span<const FilterLine> filter;
        std::span<const std::uint32_t> offsets, records;
        std::span<const std::uint8_t> uses;
        std::span<const Grids> grids;
    };
    Arrays arrays() const { return {shift_, filter_shift_, in_halves_, filter_, offsets_, records_, uses_, grids_}; }

    // Decides the row that begins at records[row]; its literals that are neither scanned nor measured hold.
    void finish(const engine::PredicateTables& tables, std::uint32_t row, std::uint32_t event, ScanCache& scans,
                std::vector<Accepted>& accepted, DeferredRows& deferred) const;

private:
    static constexpr std::uint32_t last_flag = 0x80000000u;

    struct Draft {
        std::uint64_t hash, line;           // line: the hash that chooses the filter's line
        std::uint32_t target, begin, size;  // of its codes in draft_codes_
    };
    static std::uint64_t hash(std::uint64_t key) { return key * 0x9e3779b97f4a7c15u; }
    static bool by_last_bits(std::uint64_t a, std::uint64_t b) {
        return std::rotl(a, 32) < std::rotl(b, 32);  // compares all bits, so there are no ties
    }
    std::uint64_t bucket(std::uint64_t hash) const { return hash >> shift_; }
    const FilterLine& line(std::uint64_t hash) const { return filter_[hash >> filter_shift_]; }
    static bool test(const FilterLine& line, std::uint64_t hash) {
        return (line.words[hash / 64 % 8] >> hash % 64 & 1) != 0;
    }
    std::size_t list_of(std::uint32_t attribute, std::uint32_t tokens) const;
    template <class Holds>
    void decide(const engine::PredicateTables& tables, std::uint32_t row, std::uint32_t at, std::uint32_t event,
                const Holds& holds, ScanCache& scans, std::vector<Accepted>& accepted, DeferredRows& deferred) const;
    std::span<const std::uint32_t> codes_from(std::uint32_t at) const;
    std::uint64_t note(const engine::PredicateTables& tables, engine::LiteralCode code, std::uint32_t tokens);
    static void collect_cells(std::uint32_t attribute, const engine::NumberPosition& p, const Grid& grid,
                              std::uint32_t tokens, std::vector<std::uint64_t>& keys);
    std::size_t look_ups(const Scratch& scratch) const;
    void look_up(Scratch& scratch) const;
    std::uint64_t* look_up_triples(std::vector<std::uint64_t>& tokens, std::uint64_t* end) const;
    void find(const engine::PredicateTables& tables, const engine::EventState& state, Scratch& scratch) const;
    void probe(Scratch& scratch) const;
    void sift(const engine::PredicateTables& tables, const engine::EventState& state, Scratch& scratch) const;
    void collect_tokens(const engine::PredicateTables& tables, const engine::EventState& state, Scratch& scratch) const;

    std::size_t expected_ = 0;
    bool in_halves_ = false;
    std::vector<Draft> drafts_;  // until build()
    std::vector<std::uint32_t> draft_codes_;

    unsigned shift_ = 63;
    std::size_t rows_ = 0;
    unsigned filter_shift_ = 63;
    std::vector<FilterLine> filter_;      // by the first bits of a line hash
    std::vector<std::uint32_t> offsets_;  // records of bucket b: offsets_[b] … offsets_[b + 1]
    std::vector<std::uint32_t> records_;  // target, codes (the last one flagged)
    std::vector<std::uint8_t> uses_;      // by literal bit: bit k set if the literal belongs in list k
    std::vector<Grids> grids_;            // by attribute
};

}  // namespace sluice::cpu
