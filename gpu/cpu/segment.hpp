// An immutable part of a set of subscriptions, with all that matching it takes: the tables of its predicates and the
// rows of its conjunctions. A program is a short list of segments; segments are merged as the set changes.
// Built by a SegmentBuilder; any thread may match, each with its own Scratch.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "gpu/cpu/access_rows.hpp"
#include "gpu/cpu/bitmap.hpp"
#include "gpu/cpu/scan_cache.hpp"
#include "gpu/cpu/scan_rows.hpp"
#include "gpu/matcher.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice {

// What a row that holds accepts: one subscription of the segment (an entry), or a group of them.
class Target {
public:
    constexpr static Target entry(std::uint32_t index) { return Target(index); }
    constexpr static Target group(std::uint32_t index) { return Target(index | group_flag); }
    constexpr explicit Target(std::uint32_t bits) : bits_(bits) {}

    constexpr std::uint32_t bits() const { return bits_; }
    constexpr bool is_group() const { return (bits_ & group_flag) != 0; }
    constexpr std::uint32_t index() const { return bits_ & ~group_flag; }

private:
    static constexpr std::uint32_t group_flag = 0x80000000u;  // the next bit belongs to ScanRows
    std::uint32_t bits_;
};

// What another processor has found in a segment's access rows for an event of the batch.
struct FoundRow {
    enum Kind : std::uint32_t {
        accepted = 0,           // `row` is the target of a row that holds
        unfinished = 1u << 30,  // `row` is where a row begins whose scanned literals are still to be decided
        unmatched = 1u << 31,   // the event was too much for it: it is still to be matched
    };
    static constexpr std::uint32_t event_mask = unfinished - 1;

    std::uint32_t row, event_and_kind;
};

// Whatever a processor keeps of a segment lives as long as the segment. Any thread may set and get it.
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
    static constexpr std::size_t entries_max = 1u << 30;

    struct Scratch {
        EventState state;
        AccessRows::Scratch access;
        ScanRows::Scratch scan;
        DeferredRows deferred;
        std::vector<Accepted> accepted;
        std::vector<std::uint32_t> last_match;  // by entry: where its last match stands, if it has one
        struct GroupMatch {
            std::uint32_t group, word, events;
        };
        std::vector<GroupMatch> groups;
        std::vector<FoundRow> found;
    };

    // `removed`: the entries that are left out, or null.
    void match(const EventBatch& batch, const Bitmap* removed, ScanCache& scans, Scratch& scratch,
               std::vector<Match>& matches) const;

    // The same where another processor has looked at the access rows, and at the scanned rows, too, if `scan_hits` are
    // given: a hit for each row and word once, its tail not yet decided.
    void finish(const EventBatch& batch, const Bitmap* removed, std::span<const FoundRow> found,
                std::optional<std::span<const ScanHit>> scan_hits, ScanCache& scans, Scratch& scratch,
                std::vector<Match>& matches) const;
    const AccessRows& access_rows() const { return access_; }
    const ScanRows& scan_rows() const { return scan_; }
    Attachment& attachment() const { return attachment_; }

    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
    std::uint32_t find(SubscriptionId id) const;  // the entry, or none
    SubscriptionId entry(std::uint32_t index) const { return entries_[index]; }
    std::span<const std::uint32_t> group(std::uint32_t index) const {
        return std::span(group_entries_).subspan(group_ends_[index], group_ends_[index + 1] - group_ends_[index]);
    }
    std::uint32_t groups() const { return static_cast<std::uint32_t>(group_ends_.size() - 1); }
    const PredicateTables& tables() const { return tables_; }

    // visit(Target, codes) for each conjunction.
    template <class Visit>
    void for_each_row(Visit visit) const {
        const auto each = [&](std::uint32_t target, std::span<const std::uint32_t> codes) {
            visit(Target(target), codes);
        };
        access_.for_each(each);
        scan_.for_each(each);
    }

    // How many of the rows behind access tokens an event looks at, on average: of the events that the segment was built
    // with (0: of none), and of these (whose attributes are those of the segment's program).
    double rows_expected() const { return rows_expected_; }
    double rows_found(std::span<const SampledEvent> events) const;

    std::size_t bytes() const;

private:
    friend class SegmentBuilder;
    class Output;

    void end(const EventBatch& batch, Output& output, ScanCache& scans, Scratch& scratch) const;
    void match_scan_rows(const EventBatch& batch, Output& output, ScanCache& scans, Scratch& scratch) const;

    PredicateTables tables_;
    AccessRows access_;
    ScanRows scan_;
    std::vector<SubscriptionId> entries_;  // ascending by slot
    std::vector<std::uint32_t> group_ends_{
        0};  // entries of group g: group_entries_[group_ends_[g] … group_ends_[g + 1]]
    std::vector<std::uint32_t> group_entries_;
    double rows_expected_ = 0;
    mutable Attachment attachment_;
};

}  // namespace sluice
