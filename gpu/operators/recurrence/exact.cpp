#include "gpu/operators/recurrence/exact.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "gpu/operators/recurrence/reference.hpp"

namespace sluice::recurrence {
namespace {

struct SortedSeries {
    explicit SortedSeries(std::span<const double> series);

    std::vector<double> values;         // ascending
    std::vector<std::uint32_t> column;  // column[r]: the index of values[r] in the series
    std::vector<std::uint32_t> rank;    // rank[column[r]] = r
};

struct Keyed {
    std::uint64_t key;  // ascends with the value
    std::uint32_t column;
};

std::uint64_t ascending_key(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}
double value_of_key(std::uint64_t key) {
    return std::bit_cast<double>(key >> 63 != 0 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

// Radix sort by bytes, skipping bytes that are equal in all keys. A comparison sort takes three times as long on
// readings, whose order is unpredictable.
void sort_by_key(std::vector<Keyed>& items) {
    std::uint32_t counts[8][256] = {};
    for (const Keyed& item : items) {
        for (unsigned byte = 0; byte < 8; ++byte) ++counts[byte][item.key >> 8 * byte & 255];
    }
    std::vector<Keyed> sorted(items.size());
    for (unsigned byte = 0; byte < 8 && !items.empty(); ++byte) {
        if (counts[byte][items[0].key >> 8 * byte & 255] == items.size()) continue;
        std::uint32_t place[256];
        std::exclusive_scan(std::begin(counts[byte]), std::end(counts[byte]), std::begin(place), 0u);
        for (const Keyed& item : items) sorted[place[item.key >> 8 * byte & 255]++] = item;
        items.swap(sorted);
    }
}

SortedSeries::SortedSeries(std::span<const double> series)
    : values(series.size()), column(series.size()), rank(series.size()) {
    std::vector<Keyed> items(series.size());
    for (std::size_t i = 0; i < series.size(); ++i)
        items[i] = {ascending_key(series[i]), static_cast<std::uint32_t>(i)};
    sort_by_key(items);
    for (std::size_t r = 0; r < items.size(); ++r) {
        values[r] = value_of_key(items[r].key);
        column[r] = items[r].column;
        rank[items[r].column] = static_cast<std::uint32_t>(r);
    }
}

// For each row, the range of sorted values at a distance less than epsilon.
struct Ranges {
    std::vector<std::uint32_t> first, end;
    std::vector<std::uint32_t> ending;  // ending[r]: the number of ranges that end at rank r
};

// Rounding preserves order, so the rounded distance is less than epsilon for one range of the sorted values, whose ends
// move up from one value to the next. A value recurs with a greater one exactly if the latter is before the former's
// end. So the number of ranges that end at or before a value gives where its range begins, without a second search.
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

// The tables of a block of columns, which are independent of epsilon.
class Block {
public:
    explicit Block(std::size_t points) : below_(points + 1), members_((points + 63) / 64) {}

    void build(const SortedSeries& sorted, std::size_t first_column) {
        const std::size_t n = sorted.values.size();
        const std::size_t last_column = std::min(n, first_column + BitBlock::columns);
        std::fill(members_.begin(), members_.end(), 0);
        for (std::size_t c = first_column; c < last_column; ++c)
            members_[sorted.rank[c] / 64] |= std::uint64_t{1} << sorted.rank[c] % 64;
        std::uint16_t k = 0;
        std::size_t filled = 0;
        std::fill_n(prefix_[0], BitBlock::words, 0);
        for (std::size_t word = 0; word < members_.size(); ++word) {
            for (std::uint64_t left = members_[word]; left != 0; left &= left - 1) {
                const std::size_t r = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
                while (filled <= r) below_[filled++] = k;
                const std::size_t c = sorted.column[r] - first_column;
                std::copy_n(prefix_[k], BitBlock::words, prefix_[k + 1]);
                prefix_[++k][c / 64] |= std::uint64_t{1} << c % 64;
            }
        }
        std::fill(below_.begin() + static_cast<std::ptrdiff_t>(filled), below_.end(), k);
    }

    BitBlock rows(const Ranges& ranges, std::size_t own_columns) const {
        return {prefix_, below_.data(), ranges.first.data(), ranges.end.data(), ranges.first.size(), own_columns};
    }

private:
    alignas(64) std::uint64_t prefix_[BitBlock::columns + 1][BitBlock::words];
    std::vector<std::uint16_t> below_;
    std::vector<std::uint64_t> members_;  // bit r: whether the value of rank r is in the block
};

LineSums reference_sums(std::span<const double> series, const LineQuestion& question, std::size_t theiler) {
    const Lines lines = reference_lines(series, question.epsilon, theiler);
    const auto stretches = [](const LineLengths& lengths, std::uint64_t shortest) {
        Stretches sums{.points = lengths.points(1)};
        if (shortest == 0) return sums;
        for (std::uint64_t k = shortest; k < lengths.count.size(); ++k) {
            sums.min += (k - shortest + 1) * lengths.count[k];
            sums.next += (k - shortest) * lengths.count[k];
        }
        return sums;
    };
    return {lines.vectors, stretches(lines.vertical, question.v_min), stretches(lines.diagonal, question.l_min)};
}

// Questions answered together share the tables of a block while these are in the cache.
constexpr std::size_t questions_together = 16;

// A question that bit rows answer, with its ranges.
struct Asked {
    const LineQuestion* question;
    LineSums* sums;
    Ranges ranges;
};

void count_blocks(const SortedSeries& sorted, std::span<const Asked> asked, std::size_t threads, CountLines count) {
    std::uint32_t l_min = 0;
    for (const Asked& one : asked) l_min = std::max(l_min, one.question->l_min);
    const std::size_t n = sorted.values.size(), own_columns = BitBlock::columns - l_min;
    const std::size_t blocks = (n + own_columns - 1) / own_columns;
    std::atomic<std::size_t> next{0};
    std::mutex adding;
    const auto work = [&] {
        const auto block = std::make_unique<Block>(n);
        std::vector<std::pair<Stretches, Stretches>> counted(asked.size());
        for (std::size_t b = next++; b < blocks; b = next++) {
            block->build(sorted, b * own_columns);
            for (std::size_t q = 0; q < asked.size(); ++q)
                count(block->rows(asked[q].ranges, own_columns), asked[q].question->v_min, asked[q].question->l_min,
                      counted[q].first, counted[q].second);
        }
        const std::lock_guard lock(adding);
        for (std::size_t q = 0; q < asked.size(); ++q) {
            asked[q].sums->vertical.min += counted[q].first.min;
            asked[q].sums->vertical.next += counted[q].first.next;
            asked[q].sums->diagonal.min += counted[q].second.min;
            asked[q].sums->diagonal.next += counted[q].second.next;
        }
    };
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min(threads, blocks); ++t) others.emplace_back(work);
    work();
}

}  // namespace

void leave_out_theiler_window(std::span<const double> series, double epsilon, std::uint32_t l_min, std::size_t theiler,
                              Stretches& diagonal) {
    const auto leave_out = [&](std::uint64_t length, std::uint64_t lines) {
        diagonal.points -= lines * length;
        if (l_min == 0) return;
        diagonal.min -= length >= l_min ? lines * (length - l_min + 1) : 0;
        diagonal.next -= length > l_min ? lines * (length - l_min) : 0;
    };
    if (theiler == 0 || !(epsilon > 0)) return;
    leave_out(series.size(), 1);  // every value recurs with itself
    for (std::size_t d = 1; d < std::min(theiler, series.size()); ++d) {
        std::uint64_t length = 0;
        for (std::size_t i = 0; i + d < series.size(); ++i) {
            if (std::abs(series[i] - series[i + d]) < epsilon) {
                ++length;
            } else if (length > 0) {
                leave_out(length, 2);
                length = 0;
            }
        }
        if (length > 0) leave_out(length, 2);
    }
}

void exact_line_sums(std::span<const double> series, std::span<const LineQuestion> questions, std::span<LineSums> sums,
                     std::size_t theiler, std::size_t threads, simd::InstructionSet set) {
    const SortedSeries sorted(series);
    std::vector<Asked> asked(std::min(questions.size(), questions_together));
    for (std::size_t q = 0; q < questions.size();) {
        std::size_t together = 0;
        for (; q < questions.size() && together < asked.size(); ++q) {
            const LineQuestion& question = questions[q];
            sums[q] = {};
            sums[q].vectors = series.size();
            if (std::max(question.v_min, question.l_min) > shortest_line_max) {
                sums[q] = reference_sums(series, question, theiler);
            } else if (question.epsilon > 0) {
                Asked& one = asked[together];
                one.question = &question;
                one.sums = &sums[q];
                sums[q].vertical.points = find_ranges(sorted, question.epsilon, one.ranges);
                sums[q].diagonal.points = sums[q].vertical.points;
                if (question.v_min != 0 || question.l_min != 0)
                    ++together;
                else
                    leave_out_theiler_window(series, question.epsilon, 0, theiler, sums[q].diagonal);
            }
        }
        const std::span<const Asked> these(asked.data(), together);
        if (together != 0) count_blocks(sorted, these, threads, count_lines(set));
        for (const Asked& one : these)
            leave_out_theiler_window(series, one.question->epsilon, one.question->l_min, theiler, one.sums->diagonal);
    }
}

}  // namespace sluice::recurrence
