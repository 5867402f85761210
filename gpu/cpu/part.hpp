// The parts of a set, the names that they use, and the merging of several parts into one, within a segment's limits. A
// part belongs to one thread; segments and merge sources are shared and immutable.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/cpu/cpu_program.hpp"
#include "gpu/cpu/segment/event_sample.hpp"
#include "gpu/operators/device_family.hpp"
#include "gpu/tables/name_table.hpp"

namespace sluice::cpu {

struct Names {
    engine::NameTable attributes, scanned;

    explicit Names(std::uint64_t epoch = 0) : attributes(epoch), scanned(epoch) {}

    struct Snapshot {
        std::shared_ptr<const engine::Dictionary> attributes, scanned;
    };
    std::size_t bytes() const { return attributes.bytes() + scanned.bytes(); }
    Snapshot snapshot() { return {attributes.snapshot(), scanned.snapshot()}; }
};

// A segment of the set, and its removed entries.
struct Part {
    std::shared_ptr<const Segment> segment;
    Bitmap removed;
    std::size_t removed_count = 0;
    std::shared_ptr<const Bitmap> published;  // `removed` as the last program saw it; null: nothing removed

    explicit Part(std::shared_ptr<const Segment> s) : segment(std::move(s)), removed(segment->size()) {}
    // The same with a bitmap made before, of the segment's size: never throws.
    Part(std::shared_ptr<const Segment> s, Bitmap none) noexcept : segment(std::move(s)), removed(std::move(none)) {}

    std::size_t live() const { return segment->size() - removed_count; }
    // At most what a segment of the live entries has.
    engine::SegmentLoad load() const {
        engine::SegmentLoad load = segment->load();
        load.entries = live();
        return load;
    }
    // Estimated, of a segment of the live entries.
    std::size_t live_bytes() const { return segment->size() == 0 ? 0 : bytes() / segment->size() * live(); }
    std::size_t bytes() const { return engine::segment_bytes(segment->load()); }
    bool is_hollow() const { return removed_count > 64 && 3 * removed_count > segment->size(); }

    bool remove(engine::SubscriptionId id) {
        const std::uint32_t entry = segment->find(id);
        if (entry == engine::none || removed.test(entry)) return false;
        removed.set(entry);
        ++removed_count;
        published.reset();
        return true;
    }

    ProgramPart publish() {
        if (removed_count > 0 && !published) published = std::make_shared<Bitmap>(removed);
        return {segment, published};
    }
};

// The input of a merge: a shared segment and a copy of its removed entries at the start of the merge.
struct MergeSource {
    std::shared_ptr<const Segment> segment;
    std::shared_ptr<const Bitmap> removed;
};

std::vector<MergeSource> sources_of(std::span<Part> parts);

// Parts first … end - 1.
struct PartRange {
    std::size_t first = 0, end = 0;

    bool empty() const { return first == end; }
};
// The parts to merge; empty if there are none. They fit into one segment, have at most `live_max` subscriptions and
// `words_max` record words, and none is `busy`. Without limits they are the tail of the list: the parts before it are
// large enough compared with those after. Where limits cut the tail short and it has nothing to merge, the list without
// its last part is looked at in the same way. So a hollow part that fits together with no other is rebuilt alone.
PartRange find_mergeable(std::span<const Part> parts, const engine::SegmentLimits& limits, std::size_t live_max,
                         std::uint64_t words_max, const std::function<bool(const Part&)>& busy);
// Divides the sources, in their order, into runs that fit into one segment each.
std::vector<std::vector<MergeSource>> divide(const std::vector<MergeSource>& sources,
                                             const engine::SegmentLimits& limits);

// `devices` as in SegmentBuilder::build; may be null.
std::shared_ptr<const Segment> merge(const std::vector<MergeSource>& sources,
                                     const std::shared_ptr<operators::OperatorDevices>& devices,
                                     std::span<const SampledEvent> events = {});
// The same, but replaces the ids of the names still in use by those that `names` gives them.
std::shared_ptr<const Segment> merge_renamed(const std::vector<MergeSource>& sources,
                                             const std::shared_ptr<operators::OperatorDevices>& devices,
                                             const Names::Snapshot& old, Names& names);

}  // namespace sluice::cpu
