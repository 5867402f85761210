#include "gpu/tables/range_table.hpp"

#include <algorithm>
#include <bit>

namespace sluice {

namespace {

void sort_distinct(std::vector<double>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    numbers.shrink_to_fit();
}

std::uint32_t lower(const std::vector<double>& numbers, double x) {
    return static_cast<std::uint32_t>(std::lower_bound(numbers.begin(), numbers.end(), x) - numbers.begin());
}

std::uint32_t upper(const std::vector<double>& numbers, double x) {
    return static_cast<std::uint32_t>(std::upper_bound(numbers.begin(), numbers.end(), x) - numbers.begin());
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
    const std::uint32_t index = size();
    ranges_.push_back(range);
    index_.insert(h, index, [this](std::uint32_t i) { return hash(ranges_[i]); });
    return index;
}

void RangeTable::freeze() {
    for (const Range& r : ranges_) {
        if (r.attribute >= bounds_.size()) bounds_.resize(r.attribute + 1);
        bounds_[r.attribute].los.push_back(r.lo);
        bounds_[r.attribute].his.push_back(r.hi);
    }
    for (Bounds& b : bounds_) {
        sort_distinct(b.los);
        sort_distinct(b.his);
    }
    ranked_.reserve(ranges_.size());
    for (const Range& r : ranges_) {
        const Bounds& b = bounds_[r.attribute];
        ranked_.push_back({r.attribute, lower(b.los, r.lo), lower(b.his, r.hi)});
    }
    ranges_ = {};
    index_ = {};
    frozen_ = true;
}

Range RangeTable::range(std::uint32_t index) const {
    if (!frozen_) return ranges_[index];
    const RankedRange& r = ranked_[index];
    return {r.attribute, bounds_[r.attribute].los[r.lo], bounds_[r.attribute].his[r.hi]};
}

NumberPosition RangeTable::locate(std::uint32_t attribute, double least, double greatest) const {
    const Bounds& b = bounds_[attribute];
    NumberPosition p;
    p.lo_end = upper(b.los, greatest);
    p.lo_least = least == greatest ? p.lo_end : upper(b.los, least);
    p.hi_begin = lower(b.his, least);
    return p;
}

std::uint32_t RangeTable::last_lo_inside(const RankedRange& r) const {
    const Bounds& b = bounds_[r.attribute];
    return std::max(r.lo + 1, upper(b.los, b.his[r.hi])) - 1;
}

std::size_t RangeTable::bytes() const {
    std::size_t sum = ranges_.capacity() * sizeof(Range) + index_.bytes() + ranked_.capacity() * sizeof(RankedRange) +
                      bounds_.capacity() * sizeof(Bounds);
    for (const Bounds& b : bounds_) sum += (b.los.capacity() + b.his.capacity()) * sizeof(double);
    return sum;
}

}  // namespace sluice
