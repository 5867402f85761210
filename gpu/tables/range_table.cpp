#include "gpu/tables/range_table.hpp"

#include <algorithm>
#include <bit>

namespace sluice::engine {

namespace {

std::uint32_t rank(const std::vector<double>& bounds, double x) {
    return static_cast<std::uint32_t>(std::lower_bound(bounds.begin(), bounds.end(), x) - bounds.begin());
}

}  // namespace

std::uint64_t RangeTable::hash(const Range& r) {
    const std::uint64_t lo = std::bit_cast<std::uint64_t>(r.lo + 0.0), hi = std::bit_cast<std::uint64_t>(r.hi + 0.0);
    return mix(mix(lo ^ (r.attribute * 0x9e3779b97f4a7c15u)) + hi);
}

std::uint32_t RangeTable::intern(const Range& range) {
    const std::uint64_t h = hash(range);
    const std::uint32_t known = index_.find(h, [&](std::uint32_t i) {
        return ranges_[i].attribute == range.attribute && ranges_[i].lo == range.lo && ranges_[i].hi == range.hi;
    });
    if (known != none) return known;
    index_.make_room([this](std::uint32_t i) { return hash(ranges_[i]); });
    const auto index = static_cast<std::uint32_t>(ranges_.size());
    ranges_.push_back(range);
    index_.insert(h, index);
    return index;
}

// Sorts each attribute's bounds once and replaces them by their ranks in that order.
void RangeTable::freeze() {
    struct Bound {
        double value;
        std::uint32_t range;
        bool is_hi;
    };
    std::vector<std::vector<Bound>> by_attribute;
    for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
        const Range& r = ranges_[i];
        if (r.attribute >= by_attribute.size()) by_attribute.resize(r.attribute + 1);
        by_attribute[r.attribute].push_back({r.lo, i, false});
        by_attribute[r.attribute].push_back({r.hi, i, true});
    }
    std::vector<RankedRange> ranked(ranges_.size());
    std::vector<std::vector<double>> bounds(by_attribute.size());
    for (std::uint32_t a = 0; a < by_attribute.size(); ++a) {
        std::sort(by_attribute[a].begin(), by_attribute[a].end(),
                  [](const Bound& x, const Bound& y) { return x.value < y.value; });
        for (const Bound& bound : by_attribute[a]) {
            if (bounds[a].empty() || bounds[a].back() != bound.value) bounds[a].push_back(bound.value);
            RankedRange& range = ranked[bound.range];
            range.attribute = a;
            (bound.is_hi ? range.hi : range.lo) = static_cast<std::uint32_t>(bounds[a].size() - 1);
        }
        bounds[a].shrink_to_fit();
    }
    ranked_.swap(ranked);
    bounds_.swap(bounds);
}

void RangeTable::seal() noexcept {
    ranges_ = std::vector<Range>();
    index_ = HashIndex();
}

Range RangeTable::range(std::uint32_t index) const {
    if (!ranges_.empty()) return ranges_[index];
    const RankedRange& r = ranked_[index];
    return {r.attribute, bounds_[r.attribute][r.lo], bounds_[r.attribute][r.hi]};
}

NumberPosition RangeTable::locate(std::uint32_t attribute, double least, double greatest) const {
    const std::vector<double>& b = bounds_[attribute];
    NumberPosition p;
    p.hi_begin = rank(b, least);
    p.lo_end = least == greatest ? p.hi_begin : rank(b, greatest);
    if (p.lo_end < b.size() && b[p.lo_end] == greatest) ++p.lo_end;
    return p;
}

}  // namespace sluice::engine
