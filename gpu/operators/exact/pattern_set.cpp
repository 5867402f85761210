#include "gpu/operators/exact/pattern_set.hpp"

#include <algorithm>

#include "gpu/operators/exact/filter.hpp"

namespace sluice::exact {

PatternSet::LivePart PatternSet::compile(std::vector<IdentifiedPattern> patterns,
                                         std::span<const std::string_view> sample) {
    auto part = std::make_shared<Part>();
    part->patterns = std::move(patterns);
    std::vector<Pattern> views;
    for (const IdentifiedPattern& p : part->patterns) views.push_back({p.text, p.place});
    part->searcher = make_filter_searcher(views, sample);
    return {std::move(part), 0};
}

std::vector<IdentifiedPattern> PatternSet::live(std::size_t first_part) const {
    std::vector<IdentifiedPattern> patterns;
    for (std::size_t i = first_part; i < parts_.size(); ++i) {
        for (const IdentifiedPattern& p : parts_[i].part->patterns) {
            if (!is_removed(p.id)) patterns.push_back(p);
        }
    }
    return patterns;
}

PatternSet PatternSet::added(std::vector<IdentifiedPattern> patterns) const {
    PatternSet set = *this;
    if (patterns.empty()) return set;
    if (!parts_.empty() && parts_.back().size() + patterns.size() <= small_part_patterns) {
        const std::vector<IdentifiedPattern> last = live(parts_.size() - 1);
        patterns.insert(patterns.end(), last.begin(), last.end());
        set.parts_.pop_back();
    }
    set.parts_.push_back(compile(std::move(patterns), {}));
    std::stable_sort(set.parts_.begin(), set.parts_.end(),
                     [](const LivePart& a, const LivePart& b) { return a.size() > b.size(); });
    return set;
}

PatternSet PatternSet::removed(std::span<const std::uint32_t> ids) const {
    PatternSet set = *this;
    std::vector<std::uint32_t> sorted(ids.begin(), ids.end());
    std::sort(sorted.begin(), sorted.end());
    for (LivePart& part : set.parts_) {
        for (const IdentifiedPattern& p : part.part->patterns)
            part.removed += !is_removed(p.id) && std::binary_search(sorted.begin(), sorted.end(), p.id);
    }
    for (const std::uint32_t id : ids) {
        if (set.removed_.size() <= id / 64) set.removed_.resize(id / 64 + 1, 0);
        set.removed_[id / 64] |= std::uint64_t{1} << id % 64;
    }
    return set;
}

std::size_t PatternSet::first_to_merge() const {
    std::size_t first = parts_.size(), after = 0;
    for (std::size_t i = parts_.size(); i-- > 0; after += parts_[i].size()) {
        const bool like_size = after > 0 && parts_[i].size() <= 2 * after;
        if (like_size || parts_[i].removed > parts_[i].size()) first = i;
    }
    return first;
}

PatternSet PatternSet::merged(std::span<const std::string_view> sample) const {
    PatternSet set = *this;
    const std::size_t first = first_to_merge();
    set.parts_.resize(first);
    if (std::vector<IdentifiedPattern> patterns = live(first); !patterns.empty())
        set.parts_.push_back(compile(std::move(patterns), sample));
    return set;
}

void PatternSet::search(std::span<const std::string_view> texts, Results& results) const {
    const Counters before = results.counters;
    for (const LivePart& part : parts_) {
        const std::size_t first = results.hits.size();
        part.part->searcher->search(texts, results);
        const auto begin = results.hits.begin() + static_cast<std::ptrdiff_t>(first);
        for (auto hit = begin; hit != results.hits.end(); ++hit) hit->pattern = part.part->patterns[hit->pattern].id;
        if (part.removed == 0) continue;
        const auto end = std::remove_if(begin, results.hits.end(), [&](Hit hit) { return is_removed(hit.pattern); });
        results.counters.hits -= static_cast<std::uint64_t>(results.hits.end() - end);
        results.hits.erase(end, results.hits.end());
    }
    results.counters.texts = before.texts + texts.size();
    results.counters.bytes = before.bytes;
    for (const std::string_view text : texts) results.counters.bytes += text.size();
}

std::size_t PatternSet::size() const {
    std::size_t size = 0;
    for (const LivePart& part : parts_) size += part.size();
    return size;
}

}  // namespace sluice::exact
