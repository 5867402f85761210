#include "gpu/operators/recurrence/sorted_series.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace sluice::recurrence {
namespace {

// Ascends with the value.
std::uint64_t ascending_key(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}

// Radix sort by bytes, skipping bytes that are equal in all keys. A comparison sort takes three times as long on
// readings, whose order is unpredictable.
template <bool with_columns>
void sort_by_key(std::vector<double>& values, std::vector<std::uint32_t>& columns) {
    const std::size_t n = values.size();
    std::vector<std::array<std::uint32_t, 256>> counts(8);
    for (const double value : values) {
        const std::uint64_t key = ascending_key(value);
        for (unsigned byte = 0; byte < 8; ++byte) ++counts[byte][key >> 8 * byte & 255];
    }
    std::vector<double> sorted(n);
    std::vector<std::uint32_t> sorted_columns(with_columns ? n : 0);
    for (unsigned byte = 0; byte < 8 && n != 0; ++byte) {
        std::array<std::uint32_t, 256>& place = counts[byte];
        if (place[ascending_key(values[0]) >> 8 * byte & 255] == n) continue;
        std::exclusive_scan(place.begin(), place.end(), place.begin(), 0u);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t at = place[ascending_key(values[i]) >> 8 * byte & 255]++;
            sorted[at] = values[i];
            if constexpr (with_columns) sorted_columns[at] = columns[i];
        }
        values.swap(sorted);
        columns.swap(sorted_columns);
    }
}

// Replaces each range by the intersection of `length` ranges from it on, by doubling. Returns the number of rows that
// have so many.
std::size_t intersect(Ranges& ranges, std::size_t rows, std::size_t length) {
    for (std::size_t done = 1; done < length && rows != 0;) {
        const std::size_t step = std::min(done, length - done);
        rows -= std::min(rows, step);
        for (std::size_t i = 0; i < rows; ++i) ranges.first[i] = std::max(ranges.first[i], ranges.first[i + step]);
        for (std::size_t i = 0; i < rows; ++i) ranges.end[i] = std::min(ranges.end[i], ranges.end[i + step]);
        done += step;
    }
    return rows;
}

std::uint64_t sizes(const Ranges& ranges, std::size_t rows) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += std::max(ranges.first[i], ranges.end[i]) - ranges.first[i];
    return sum;
}

}  // namespace

SortedSeries::SortedSeries(std::span<const double> series, bool with_columns)
    : values(series.begin(), series.end()), column(with_columns ? series.size() : 0) {
    std::iota(column.begin(), column.end(), 0u);
    (with_columns ? sort_by_key<true> : sort_by_key<false>)(values, column);
}

std::uint64_t count_points(const SortedSeries& sorted, double epsilon) {
    std::uint64_t points = 0;
    std::size_t first = 0, end = 0;
    for (const double x : sorted.values) {
        while (end < sorted.values.size() && sorted.values[end] - x < epsilon) ++end;
        while (first < end && x - sorted.values[first] >= epsilon) ++first;
        points += end - first;
    }
    return points;
}

// The rounded distance is less than epsilon for one range of the sorted values, whose ends move up from one value to
// the next. A value recurs with a greater one exactly if the latter is before the former's end. So the number of ranges
// that end at or before a value gives where its range begins, without a second search.
std::uint64_t find_ranges(const SortedSeries& sorted, double epsilon, Ranges& ranges) {
    const std::size_t n = sorted.values.size();
    ranges.first.resize(n);
    ranges.end.resize(n);
    ranges.ending.assign(n + 1, 0);
    std::size_t end = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const double x = sorted.values[r];
        while (end < n && sorted.values[end] - x < epsilon) ++end;
        ranges.end[sorted.column[r]] = static_cast<std::uint32_t>(end);
        ++ranges.ending[end];
    }
    std::uint64_t points = 0;
    std::uint32_t first = 0;
    for (std::size_t r = 0; r < n; ++r) {
        first += ranges.ending[r];
        ranges.first[sorted.column[r]] = first;
        points += ranges.end[sorted.column[r]] - first;
    }
    return points;
}

void count_vertical(Ranges& ranges, std::uint32_t v_min, Stretches& vertical) {
    const std::size_t rows = intersect(ranges, ranges.first.size(), std::max<std::uint32_t>(v_min, 1));
    vertical.min += sizes(ranges, rows);
    vertical.next += sizes(ranges, intersect(ranges, rows, 2));
}

}  // namespace sluice::recurrence
