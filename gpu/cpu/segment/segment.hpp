// An immutable part of a set of subscriptions, with everything needed to match it: the tables of its predicates and the
// rows of its conjunctions. A program is a short list of segments; segments are merged as the set changes.
// Built by a SegmentBuilder; any thread may match, each with its own Scratch.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "gpu/cpu/segment/access_rows.hpp"
#include "gpu/cpu/segment/bitmap.hpp"
#include "gpu/cpu/segment/cluster_rows.hpp"
#include "gpu/cpu/segment/scan_cache.hpp"
#include "gpu/cpu/segment/shared_findings.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice::cpu {

// The target of a row: one subscription of the segment (an entry), or a group of them.
class RowTarget {
public:
    constexpr static RowTarget entry(std::uint32_t index) { return RowTarget(index); }
    constexpr static RowTarget group(std::uint32_t index) { return RowTarget(index | group_flag); }
    constexpr explicit RowTarget(std::uint32_t bits) : bits_(bits) {}

    constexpr std::uint32_t bits() const { return bits_; }
    constexpr bool is_group() const { return (bits_ & group_flag) != 0; }
    constexpr std::uint32_t index() const { return bits_ & ~group_flag; }

private:
    static constexpr std::uint32_t group_flag = 0x80000000u;  // the next bit belongs to ClusterRows
    static_assert(engine::SegmentLimits{}.entries <= group_flag >> 1);
    std::uint32_t bits_;
};

// A row that another processor has found in a segment's access rows for an event of the batch.
struct FoundRow {
    enum Kind : std::uint32_t {
        accepted = 0,           // `row` is the target of a row that holds
        unfinished = 1u << 30,  // `row` is the start of a row whose scanned or measured literals are still undecided
        unmatched = 1u << 31,   // the event exceeded the processor's limits and must still be matched
    };
    static constexpr std::uint32_t event_mask = unfinished - 1;

    std::uint32_t row, event_and_kind;
};

// Data that a processor keeps for a segment lives as long as the segment. Any thread may set and get it.
class Attachment {
public:
    std::shared_ptr<const void> get() const {
        const std::lock_guard lock(mutex_);
        return value_;
    }
    void set(std::shared_ptr<const void> value) {
        const std::lock_guard lock(mutex_);
        value_.swap(value);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const void> value_;
};

class Segment {
public:
    struct Scratch {
        engine::EventState state;
        SharedFindings shared;
        AccessRows::Scratch access;
        ClusterRows::Scratch clusters;
        DeferredRows deferred;
        std::vector<std::uint32_t> deferred_codes;  // of rows that PartlyKnownEvents defers
        std::vector<Accepted> accepted;
        std::vector<std::uint32_t> last_match;  // by entry: the place of its last match, if it has one
        // For larger segments, last_match would take too much memory for each thread; accepted rows are sorted instead.
        std::size_t last_match_max = std::size_t{1} << 24;
        struct GroupMatch {
            std::uint32_t group, word, events;
        };
        std::vector<GroupMatch> groups;
        std::vector<FoundRow> found;
    };

    // `removed`: the entries to leave out; may be null.
    void match(const engine::EventBatch& batch, const Bitmap* removed, ScanCache& scans, Scratch& scratch,
               std::vector<engine::Match>& matches) const;

    // The same when another processor has matched the access rows. If `cluster_hits` is given, it has also matched the
    // cluster rows: one hit for each row and word, with the row's tail still undecided.
    void finish(const engine::EventBatch& batch, const Bitmap* removed, std::span<const FoundRow> found,
                std::optional<std::span<const ClusterHit>> cluster_hits, ScanCache& scans, Scratch& scratch,
                std::vector<engine::Match>& matches) const;
    const AccessRows& access_rows() const { return access_; }
    const ClusterRows& cluster_rows() const { return clusters_; }
    Attachment& attachment() const { return attachment_; }

    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
    std::uint32_t find(engine::SubscriptionId id) const;  // the entry's index, or none
    engine::SubscriptionId entry(std::uint32_t index) const { return entries_[index]; }
    std::span<const std::uint32_t> group(std::uint32_t index) const {
        return std::span(group_entries_).subspan(group_ends_[index], group_ends_[index + 1] - group_ends_[index]);
    }
    std::uint32_t groups() const { return static_cast<std::uint32_t>(group_ends_.size() - 1); }
    const engine::PredicateTables& tables() const { return tables_; }
    const engine::SegmentLoad& load() const { return load_; }

    // Calls visit(RowTarget, codes) for each conjunction.
    template <class Visit>
    void for_each_row(Visit visit) const {
        const auto each = [&](std::uint32_t target, std::span<const std::uint32_t> codes) {
            visit(RowTarget(target), codes);
        };
        access_.for_each(each);
        clusters_.for_each(each);
    }

    // The average number of rows behind access tokens that an event checks. rows_expected() is over the events that the
    // segment was built with (0 if none), rows_found() over these events, whose attributes are those of the segment's
    // program.
    double rows_expected() const { return rows_expected_; }
    double rows_found(std::span<const SampledEvent> events) const;

private:
    friend class SegmentBuilder;
    class Output;

    void end(const engine::EventBatch& batch, Output& output, ScanCache& scans, Scratch& scratch) const;
    void match_cluster_rows(const engine::EventBatch& batch, Output& output, ScanCache& scans, Scratch& scratch) const;

    engine::PredicateTables tables_;
    AccessRows access_;
    ClusterRows clusters_;
    std::vector<engine::SubscriptionId> entries_;  // ascending by slot
    // Group g has entries group_entries_[group_ends_[g]] … group_entries_[group_ends_[g + 1] - 1].
    std::vector<std::uint32_t> group_ends_{0};
    std::vector<std::uint32_t> group_entries_;
    engine::SegmentLoad load_;
    double rows_expected_ = 0;
    mutable Attachment attachment_;
};

}  // namespace sluice::cpu
