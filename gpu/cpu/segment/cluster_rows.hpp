// The conjunctions that no access token finds well: wide ranges, negations, few distinct operands. They are decided for
// a whole batch at once: each distinct literal has a mask of 32 events per word, and a row is the AND of its literals'
// masks. Rows are stored in blocks with the same number of literals, column by column. A block is skipped if its access
// literal (one that all its rows contain or imply) holds for no event of the batch. Masks are made where events or
// blocks that are not skipped need them, so that the other rows cost a batch nothing.
// Built once; any thread may match, each with its own Scratch.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gpu/cpu/segment/accepted.hpp"
#include "gpu/cpu/segment/access.hpp"
#include "gpu/cpu/segment/cluster_kernel.hpp"
#include "gpu/cpu/segment/deferred_rows.hpp"
#include "gpu/cpu/segment/scan_cache.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice::cpu {

class ClusterRows {
public:
    // Literals with a mask beyond this go to the row's tail, followed by the scanned and then the measured literals.
    static constexpr std::size_t row_literals_max = 128;

    struct Scratch {
        std::size_t words = 1;             // of the current chunk of the batch
        std::vector<std::uint32_t> masks;  // masks[words * literal + w], in the pages made for the chunk
        std::vector<std::uint32_t> valid;  // valid[w]: the events that exist
        std::vector<ClusterHit> hits;
        std::vector<Accepted> accepted;

        // What holds only if its number is that of the chunk is stale otherwise, so that nothing need be cleared.
        std::uint64_t chunk = 0;
        std::vector<std::uint64_t> made, finished;  // by page of masks
        std::size_t unfinished = 0;                 // pages
        std::vector<std::uint64_t> has_numbers;     // by index in ranges_: some event has numbers of the attribute
        std::vector<std::uint64_t> may_run;         // by index in led_blocks_
        std::vector<std::uint32_t> pages, ranges;   // those made; those that have numbers
        std::vector<std::uint32_t> runs;            // those that may run
        std::vector<std::uint32_t> bounds;          // masks of range bounds, of ranges that have numbers
        std::uint64_t blocks_run = 0;               // ever
    };

    void add(std::uint32_t target, const AccessChoice& choice, std::span<const std::uint32_t> codes);
    void build(const engine::PredicateTables& tables);

    bool empty() const { return targets_.empty(); }
    std::size_t words_at_once() const;  // how many words of a batch to match at a time

    // One chunk of a batch: begin, then set for each event, then match.
    void begin(std::size_t events, Scratch& scratch) const;
    void set(const engine::EventState& state, std::size_t event, Scratch& scratch) const;
    void leave_out(std::size_t event, Scratch& scratch) const;  // instead of set(): no row holds for it
    // Calls accept(std::span<Accepted>) with the rows that hold, some at a time, each (row, word) of the batch once.
    // `first_event` is the chunk's first event. Rows that only measured literals can still decide are deferred.
    template <class Accept>
    void match(const engine::PredicateTables& tables, std::size_t first_event, ScanCache& scans, Scratch& scratch,
               DeferredRows& deferred, Accept accept) const {
        finish_ranges(scratch);
        constexpr std::size_t hits_max = ClusterBlock::rows_max * words_max;  // per block
        scratch.hits.resize(2 * hits_max);
        std::size_t hits = 0;
        const auto flush = [&] {
            const std::size_t accepted = resolve(tables, first_event, hits, scans, scratch, deferred);
            accept(std::span<const Accepted>(scratch.accepted).first(accepted));
            hits = 0;
        };
        const auto run_block = [&](std::uint32_t block) {
            hits += run(block, scratch, hits);
            if (hits >= hits_max) flush();
        };
        for (const std::uint32_t block : other_blocks_) {
            if (may_hold(block, scratch)) run_block(block);
        }
        for (const std::uint32_t led : scratch.runs) {
            for (std::uint32_t b = led_blocks_[led].first; b < led_blocks_[led].second; ++b) run_block(b);
        }
        flush();
    }

    // Calls visit(target, codes) for each row.
    template <class Visit>
    void for_each(Visit visit) const {
        std::vector<std::uint32_t> codes;
        for (const ClusterBlock& block : blocks_) {
            for (std::uint32_t row = block.first_row; row < block.first_row + block.rows; ++row) {
                row_codes(block, row, codes);
                visit(targets_[row] & ~tail_flag, codes);
            }
        }
    }

    // For a processor that keeps a copy: the codes of the literals that have a mask, by number; number 0 always holds.
    std::span<const std::uint32_t> literals() const { return literals_; }
    std::size_t rows() const { return targets_.size(); }
    // Calls visit(access, numbers) for each row, in order, with the row's literals that have masks. `access` (0: none)
    // holds whenever the row does. It is not among `numbers`, although it may also be a literal of the row.
    template <class Visit>
    void for_each_numbered(Visit visit) const {
        std::vector<std::uint32_t> numbers;
        for (const ClusterBlock& block : blocks_) {
            for (std::uint32_t row = block.first_row; row < block.first_row + block.rows; ++row, numbers.clear()) {
                for (std::uint32_t j = 0; j < block.literals; ++j) numbers.push_back(column(block, row, j));
                for (const std::uint32_t code : tail(row)) {
                    if ((code & late_flag) == 0) numbers.push_back(code);
                }
                visit(block.access, std::span<const std::uint32_t>(numbers));
            }
        }
    }
    // Appends the rows that hold, given hits that account for all literals with masks.
    void finish(const engine::PredicateTables& tables, std::span<const ClusterHit> hits, ScanCache& scans,
                DeferredRows& deferred, std::vector<Accepted>& accepted) const;

private:
    // In tail_codes_: set for the code of a literal without a mask; otherwise the entry is a literal's number.
    static constexpr std::uint32_t late_flag = 0x80000000u;
    static_assert(2 * engine::families * engine::SegmentLimits{}.predicates < late_flag);
    static constexpr std::size_t words_max = 16;
    static constexpr std::uint32_t page_literals = 1024;     // whose masks are made together
    static constexpr std::uint32_t tail_flag = 0x40000000u;  // in targets_
    static_assert(engine::SegmentLimits{}.entries <= tail_flag);

    struct Draft {
        std::uint32_t target, access, begin, size, tail;  // access: literal or 0; tail: its begin in codes
        bool implied;                                     // as in ClusterBlock

        std::uint32_t columns() const { return tail - (access != 0 && !implied ? 1 : 0); }
    };
    // A literal of a range, with its bounds as ranks among those that cluster rows use.
    struct RangeMask {
        std::uint32_t literal, lo, hi;
        bool negated;
        bool leads = false;  // to blocks
    };
    struct RangeMasks {  // of one attribute
        std::uint32_t attribute;
        std::vector<std::uint32_t> los, his;  // ranks in the tables, ascending
        std::vector<RangeMask> ranges;        // by literal
        std::size_t first_bound;              // in Scratch::bounds, counted in masks
    };
    // x != c is `x exists` and not `all x are c`.
    struct NotEqualMask {
        std::uint32_t literal, exists;
        bool negated;
    };

    std::uint32_t literal(std::uint32_t code);
    std::uint32_t find(std::uint32_t code) const {
        return index_.find(engine::mix(code), [&](std::uint32_t i) { return literals_[i] == code; });
    }
    void choose_access(const engine::PredicateTables& tables);
    std::uint32_t most_shared(const Draft& draft) const;
    void build_blocks();
    void note_pages(std::span<const Draft> rows);
    void lead_to_blocks();
    void append_block(std::span<const Draft> rows, bool narrow);
    void build_range_masks(const engine::PredicateTables& tables);
    std::uint32_t* mask(std::uint32_t literal, Scratch& scratch) const;
    void make_page(std::uint32_t page, Scratch& scratch) const;
    void finish_page(std::uint32_t page, Scratch& scratch) const;
    std::size_t pages() const { return (literals_.size() - 1) / page_literals + 1; }
    void lead(std::uint32_t literal, Scratch& scratch) const;
    void set_bounds(std::uint32_t range, const engine::NumberPosition& position, std::size_t event,
                    Scratch& scratch) const;
    template <class Words>
    void finish_ranges(const RangeMasks& masks, Words words, Scratch& scratch) const;
    void finish_ranges(Scratch& scratch) const;
    bool may_hold(std::uint32_t block, Scratch& scratch) const;
    std::size_t run(std::uint32_t block, Scratch& scratch, std::size_t hits) const;
    std::size_t resolve(const engine::PredicateTables& tables, std::size_t first_event, std::size_t hits,
                        ScanCache& scans, Scratch& scratch, DeferredRows& deferred) const;
    std::uint32_t column(const ClusterBlock& block, std::uint32_t row, std::uint32_t j) const;
    void row_codes(const ClusterBlock& block, std::uint32_t row, std::vector<std::uint32_t>& codes) const;
    std::span<const std::uint32_t> tail(std::uint32_t row) const;
    std::uint32_t decide_tail(const engine::PredicateTables& tables, const ClusterHit& hit, std::size_t first_event,
                              ScanCache& scans, const Scratch& scratch, DeferredRows& deferred) const;
    std::uint32_t decide_late(const engine::PredicateTables& tables, const ClusterHit& hit, ScanCache& scans,
                              DeferredRows& deferred) const;

    std::vector<Draft> drafts_;  // until build()
    std::vector<std::uint32_t> draft_codes_;
    // Until build(): by literal, the rows it could be access literal of.
    std::vector<std::uint32_t> led_{0};

    std::vector<std::uint32_t> literals_{engine::none};  // codes; literal 0 always holds
    engine::HashIndex index_;
    // Both ascending. Of number 0 and negated literals, masks begin with all bits set.
    std::vector<std::uint32_t> full_literals_{0};
    std::vector<NotEqualMask> not_equals_;
    std::vector<RangeMasks> ranges_;
    std::vector<std::uint32_t> ranges_of_;  // by attribute: index in ranges_, or none
    std::size_t bounds_ = 0;

    std::vector<ClusterBlock> blocks_;
    std::vector<std::uint32_t> block_pages_, first_page_{0};  // block b needs those from first_page_[b] on
    // Blocks whose access literal an event has to make true, by index of that literal; the others.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> led_blocks_;  // from first to second
    std::vector<std::uint32_t> leads_to_;                              // by literal: index in led_blocks_, or none
    std::vector<std::uint32_t> other_blocks_;
    std::vector<std::uint16_t> columns16_;  // literal numbers, if all are this small
    std::vector<std::uint32_t> columns32_;
    std::vector<std::uint32_t> targets_;                          // by row
    std::vector<std::pair<std::uint32_t, std::uint32_t>> tails_;  // (row, begin in tail_codes_), ascending
    std::vector<std::uint32_t> tail_codes_;                       // literal numbers, or late_flag | code…
};

}  // namespace sluice::cpu
