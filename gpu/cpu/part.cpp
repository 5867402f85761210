#include "gpu/cpu/part.hpp"

#include "gpu/cpu/segment_builder.hpp"

namespace sluice::cpu {

std::vector<MergeSource> sources_of(std::span<Part> parts) {
    std::vector<MergeSource> list;
    for (Part& part : parts) {
        const CpuProgram::Part published = part.publish();
        list.push_back({published.segment, published.removed});
    }
    return list;
}

std::size_t find_tail(std::span<const Part> parts, std::size_t live_max, const std::function<bool(const Part&)>& busy) {
    std::size_t first = parts.size(), live = 0;
    for (std::size_t i = parts.size(); i-- > 0;) {
        if (busy(parts[i]) || live + parts[i].live() > live_max) break;
        if (2 * parts[i].live() <= live || parts[i].is_hollow()) first = i;
        live += parts[i].live();
    }
    return first;
}

std::shared_ptr<const Segment> merge(const std::vector<MergeSource>& sources,
                                     const std::shared_ptr<operators::OperatorDevices>& devices,
                                     std::span<const SampledEvent> events) {
    SegmentBuilder builder;
    for (const MergeSource& source : sources) builder.absorb(*source.segment, source.removed.get());
    return std::move(builder).build(events, devices);
}

std::shared_ptr<const Segment> merge_renamed(const std::vector<MergeSource>& sources,
                                             const std::shared_ptr<operators::OperatorDevices>& devices,
                                             const Names::Snapshot& old, Names& names) {
    SegmentBuilder builder;
    for (const MergeSource& source : sources) {
        builder.absorb(*source.segment, source.removed.get(), [&](engine::Family family, std::uint32_t name) {
            return family == engine::Family::scanned
                       ? names.scanned.intern(old.scanned->names[name], old.scanned->conditions[name])
                       : names.attributes.intern(old.attributes->names[name]);
        });
    }
    return std::move(builder).build({}, devices);
}

}  // namespace sluice::cpu
