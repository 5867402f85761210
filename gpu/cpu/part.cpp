#include "gpu/cpu/part.hpp"

#include "gpu/cpu/segment_builder.hpp"

namespace sluice {

std::shared_ptr<const Segment> merge(const std::vector<MergeSource>& sources,
                                     const std::shared_ptr<OperatorDevices>& devices,
                                     std::span<const SampledEvent> events) {
    SegmentBuilder builder;
    for (const MergeSource& source : sources) builder.absorb(*source.segment, source.removed.get());
    return std::move(builder).build(events, devices);
}

std::shared_ptr<const Segment> merge_renamed(const std::vector<MergeSource>& sources,
                                             const std::shared_ptr<OperatorDevices>& devices,
                                             const Names::Snapshot& old, Names& names) {
    SegmentBuilder builder;
    for (const MergeSource& source : sources) {
        builder.absorb(*source.segment, source.removed.get(), [&](Family family, std::uint32_t name) {
            return family == Family::scanned ? names.scanned.intern(old.scanned->names[name])
                                             : names.attributes.intern(old.attributes->names[name]);
        });
    }
    return std::move(builder).build({}, devices);
}

}  // namespace sluice
