// The parts that a set consists of, the names that they go by, and how several parts become one. A part belongs to one
// thread; segments and sources are shared and don't change.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/cpu/cpu_program.hpp"
#include "gpu/cpu/event_sample.hpp"
#include "gpu/tables/name_table.hpp"

namespace sluice {

struct Names {
    NameTable attributes, scanned;

    explicit Names(std::uint64_t epoch = 0) : attributes(epoch), scanned(epoch) {}

    struct Snapshot {
        std::shared_ptr<const Dictionary> attributes, scanned;
    };
    Snapshot snapshot() { return {attributes.snapshot(), scanned.snapshot()}; }
};

// A segment of the set, and what has been removed from it.
struct Part {
    std::shared_ptr<const Segment> segment;
    Bitmap removed;
    std::size_t removed_count = 0;
    std::shared_ptr<const Bitmap> published;  // what the last program saw of `removed`; null: nothing removed

    explicit Part(std::shared_ptr<const Segment> s) : segment(std::move(s)), removed(segment->size()) {}

    std::size_t live() const { return segment->size() - removed_count; }
    bool is_hollow() const { return removed_count > 64 && 3 * removed_count > segment->size(); }

    bool remove(SubscriptionId id) {
        const std::uint32_t entry = segment->find(id);
        if (entry == none || removed.test(entry)) return false;
        removed.set(entry);
        ++removed_count;
        published.reset();
        return true;
    }

    CpuProgram::Part publish() {
        if (removed_count > 0 && !published) published = std::make_shared<Bitmap>(removed);
        return {segment, published};
    }
};

// What a merge reads: shared segments and a copy of what was removed when it began.
struct MergeSource {
    std::shared_ptr<const Segment> segment;
    std::shared_ptr<const Bitmap> removed;
};

// `devices`, or null: as SegmentBuilder has them.
std::shared_ptr<const Segment> merge(const std::vector<MergeSource>& sources,
                                     const std::shared_ptr<OperatorDevices>& devices,
                                     std::span<const SampledEvent> events = {});
// The same with ids of new names instead of the old ones', for those names that are in use.
std::shared_ptr<const Segment> merge_renamed(const std::vector<MergeSource>& sources,
                                             const std::shared_ptr<OperatorDevices>& devices,
                                             const Names::Snapshot& old, Names& names);

}  // namespace sluice
