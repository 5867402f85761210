#include "gpu/cpu/part.hpp"

#include "gpu/cpu/segment/segment_builder.hpp"

namespace sluice::cpu {

std::vector<MergeSource> sources_of(std::span<Part> parts) {
    std::vector<MergeSource> list;
    for (Part& part : parts) {
        const ProgramPart published = part.publish();
        list.push_back({published.segment, published.removed});
    }
    return list;
}

PartRange find_mergeable(std::span<const Part> parts, const engine::SegmentLimits& limits, std::size_t live_max,
                         std::uint64_t words_max, const std::function<bool(const Part&)>& busy) {
    bool is_limited = true;
    for (std::size_t end = parts.size(); end > 0 && is_limited; --end) {
        std::size_t first = end, live = 0;
        is_limited = false;
        engine::SegmentLoad load;
        for (std::size_t i = end; i-- > 0;) {
            load += parts[i].load();
            if (busy(parts[i]) || live + parts[i].live() > live_max || load.record_words > words_max) break;
            is_limited = !limits.fit(load);
            if (is_limited) break;
            if (2 * parts[i].live() <= live || parts[i].is_hollow()) first = i;
            live += parts[i].live();
        }
        if (first != end) return {first, end};
    }
    return {};
}

std::vector<std::vector<MergeSource>> divide(const std::vector<MergeSource>& sources,
                                             const engine::SegmentLimits& limits) {
    std::vector<std::vector<MergeSource>> runs;
    engine::SegmentLoad load;
    for (const MergeSource& source : sources) {
        load += source.segment->load();
        if (runs.empty() || !limits.fit(load)) {
            runs.emplace_back();
            load = source.segment->load();
        }
        runs.back().push_back(source);
    }
    return runs;
}

std::shared_ptr<const Segment> merge(const std::vector<MergeSource>& sources,
                                     const std::shared_ptr<operators::OperatorDevices>& devices,
                                     std::span<const SampledEvent> events) {
    SegmentBuilder builder;
    for (const MergeSource& source : sources) builder.absorb(*source.segment, source.removed.get());
    return builder.build(events, devices);
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
    return builder.build({}, devices);
}

}  // namespace sluice::cpu
