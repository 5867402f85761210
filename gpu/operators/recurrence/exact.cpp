#include "gpu/operators/recurrence/exact.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/operators/recurrence/sorted_series.hpp"
#include "gpu/simd/on_threads.hpp"

namespace sluice::recurrence {
namespace {

// rank[i]: the place of series value i in the sorted series.
std::vector<std::uint32_t> ranks_of(const SortedSeries& sorted) {
    std::vector<std::uint32_t> rank(sorted.column.size());
    for (std::size_t r = 0; r < rank.size(); ++r) rank[sorted.column[r]] = static_cast<std::uint32_t>(r);
    return rank;
}

// The tables of a block of columns, which are independent of epsilon.
class Block {
public:
    explicit Block(std::size_t points) : below_(points + 1), members_((points + 63) / 64) {}

    void build(const SortedSeries& sorted, std::span<const std::uint32_t> rank, std::size_t first_column) {
        const std::size_t n = rank.size();
        const std::size_t last_column = std::min(n, first_column + BitBlock::columns);
        std::fill(members_.begin(), members_.end(), 0);
        for (std::size_t c = first_column; c < last_column; ++c)
            members_[rank[c] / 64] |= std::uint64_t{1} << rank[c] % 64;
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

    // Rows first_row … first_row + own_rows - 1, or to the end of the matrix.
    BitBlock rows(const Ranges& ranges, std::size_t first_row, std::size_t own_rows, std::size_t own_columns) const {
        const std::size_t left = ranges.first.size() - first_row;
        return {prefix_,
                below_.data(),
                ranges.first.data() + first_row,
                ranges.end.data() + first_row,
                left,
                std::min(own_rows, left),
                own_columns};
    }

private:
    alignas(64) std::uint64_t prefix_[BitBlock::columns + 1][BitBlock::words];
    std::vector<std::uint16_t> below_;
    std::vector<std::uint64_t> members_;  // bit r: whether the value of rank r is in the block
};

// Calls run(length) for each run of points on diagonal d: cells (i, i + d).
template <class Run>
void runs_on_diagonal(std::span<const double> series, double epsilon, std::size_t d, Run run) {
    std::uint64_t length = 0;
    for (std::size_t i = 0; i + d < series.size(); ++i) {
        if (std::abs(series[i] - series[i + d]) < epsilon) {
            ++length;
        } else if (length > 0) {
            run(length);
            length = 0;
        }
    }
    if (length > 0) run(length);
}

// Diagonals of at least more points than bit rows support, cell by cell. The matrix is symmetric. Returns false if
// stopped.
bool count_long_diagonals(std::span<const double> series, const LineQuestion& question, std::size_t theiler,
                          const GoOn& go_on, Stretches& diagonal) {
    constexpr std::uint64_t cells_at_once = std::uint64_t{1} << 24;
    const std::uint64_t n = series.size(), l_min = question.l_min;
    std::uint64_t cells = 0, next = cells_at_once;
    for (std::size_t d = theiler; d < n; ++d) {
        const std::uint64_t lines = d == 0 ? 1 : 2;
        runs_on_diagonal(series, question.epsilon, d, [&](std::uint64_t length) {
            diagonal.min += length >= l_min ? lines * (length - l_min + 1) : 0;
            diagonal.next += length > l_min ? lines * (length - l_min) : 0;
        });
        cells += n - d;
        if (!go_on || cells < next) continue;
        next = cells + cells_at_once;
        if (!go_on(static_cast<double>(cells) / (static_cast<double>(n) * static_cast<double>(n + 1) / 2)))
            return false;
    }
    return true;
}

// Questions answered together share the tables of a block while these are in the cache.
constexpr std::size_t questions_together = 16;

// Between two looks at whether to go on: 2^27 cells of each question, a few milliseconds.
constexpr std::size_t rows_at_once = std::size_t{1} << 18;

// A question about diagonals that bit rows answer, with its ranges.
struct Asked {
    const LineQuestion* question;
    LineSums* sums;
    Ranges ranges;
};

// Counts the diagonals of all questions, in pieces that threads take in turn.
class DiagonalCount {
public:
    DiagonalCount(const SortedSeries& sorted, std::span<const Asked> asked, CountDiagonals count)
        : sorted_(sorted), rank_(ranks_of(sorted)), asked_(asked), count_(count) {
        std::uint32_t l_min = 0;
        for (const Asked& one : asked) l_min = std::max(l_min, one.question->l_min);
        own_columns_ = BitBlock::columns - l_min;
        blocks_ = (rank_.size() + own_columns_ - 1) / own_columns_;
    }

    // False if `go_on` said so; the sums are then incomplete.
    bool run(std::size_t threads, const GoOn& go_on) {
        if (go_on && !go_on(0)) return false;
        simd::on_threads(std::min(threads, blocks_), [&](std::size_t thread) { work(thread == 0 ? go_on : GoOn()); });
        return !stopped_;
    }

private:
    void work(const GoOn& go_on) {
        const auto block = std::make_unique<Block>(rank_.size());
        std::vector<Stretches> counted(asked_.size());
        for (std::size_t b = next_++; b < blocks_ && !stopped_; b = next_++) {
            block->build(sorted_, rank_, b * own_columns_);
            for (std::size_t row = 0; row < rank_.size() && !stopped_; row += rows_at_once) {
                for (std::size_t q = 0; q < asked_.size(); ++q)
                    count_(block->rows(asked_[q].ranges, row, rows_at_once, own_columns_), asked_[q].question->l_min,
                           counted[q]);
                const double blocks =
                    static_cast<double>(b) + static_cast<double>(row) / static_cast<double>(rank_.size());
                if (go_on && !go_on(blocks / static_cast<double>(blocks_))) stopped_ = true;
            }
        }
        const std::lock_guard lock(adding_);
        for (std::size_t q = 0; q < asked_.size(); ++q) {
            asked_[q].sums->diagonal.min += counted[q].min;
            asked_[q].sums->diagonal.next += counted[q].next;
        }
    }

    const SortedSeries& sorted_;
    const std::vector<std::uint32_t> rank_;
    const std::span<const Asked> asked_;
    const CountDiagonals count_;
    std::size_t own_columns_ = 0, blocks_ = 0;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stopped_{false};
    std::mutex adding_;
};

bool needs_columns(const LineQuestion& question) {
    return question.v_min != 0 || (question.l_min != 0 && question.l_min <= shortest_line_max);
}

// Answers all but diagonals from the ranges. Returns whether diagonals are left to be counted in bit rows; if so,
// `ranges` are kept.
bool count_ranges(const SortedSeries& sorted, const LineQuestion& question, LineSums& sums, Ranges& ranges,
                  Ranges& scratch) {
    if (!(question.epsilon > 0)) return false;
    if (!needs_columns(question)) {
        sums.vertical.points = sums.diagonal.points = count_points(sorted, question.epsilon);
        return false;
    }
    sums.vertical.points = sums.diagonal.points = find_ranges(sorted, question.epsilon, ranges);
    const bool asks_diagonals = question.l_min != 0 && question.l_min <= shortest_line_max;
    if (question.v_min != 0) {
        if (asks_diagonals) {
            scratch.first = ranges.first;
            scratch.end = ranges.end;
        }
        count_vertical(asks_diagonals ? scratch : ranges, question.v_min, sums.vertical);
    }
    return asks_diagonals;
}

}  // namespace

bool leave_out_theiler_window(std::span<const double> series, double epsilon, std::uint32_t l_min, std::size_t theiler,
                              Stretches& diagonal, const GoOn& go_on) {
    const auto leave_out = [&](std::uint64_t length, std::uint64_t lines) {
        diagonal.points -= lines * length;
        if (l_min == 0) return;
        diagonal.min -= length >= l_min ? lines * (length - l_min + 1) : 0;
        diagonal.next -= length > l_min ? lines * (length - l_min) : 0;
    };
    if (theiler == 0 || !(epsilon > 0) || series.empty()) return true;
    leave_out(series.size(), 1);  // every value recurs with itself
    for (std::size_t d = 1; d < std::min(theiler, series.size()); ++d) {
        runs_on_diagonal(series, epsilon, d, [&](std::uint64_t length) { leave_out(length, 2); });
        if (go_on && !go_on(1)) return false;
    }
    return true;
}

bool exact_line_sums(std::span<const double> series, std::span<const LineQuestion> questions, std::span<LineSums> sums,
                     const ExactOptions& options) {
    const SortedSeries sorted(series, std::any_of(questions.begin(), questions.end(), needs_columns));
    std::vector<Asked> asked(std::min(questions.size(), questions_together));
    Ranges scratch;
    for (std::size_t q = 0; q < questions.size();) {
        std::size_t together = 0;
        for (; q < questions.size() && together < asked.size(); ++q) {
            const LineQuestion& question = questions[q];
            sums[q] = {};
            sums[q].vectors = series.size();
            if (count_ranges(sorted, question, sums[q], asked[together].ranges, scratch)) {
                asked[together].question = &question;
                asked[together++].sums = &sums[q];
                continue;
            }
            const bool has_long = question.epsilon > 0 && question.l_min > shortest_line_max;
            if (has_long && !count_long_diagonals(series, question, options.theiler, options.go_on, sums[q].diagonal))
                return false;
            if (!leave_out_theiler_window(series, question.epsilon, 0, options.theiler, sums[q].diagonal,
                                          options.go_on))
                return false;
        }
        const std::span<const Asked> these(asked.data(), together);
        if (together != 0 &&
            !DiagonalCount(sorted, these, count_diagonals(options.set)).run(options.threads, options.go_on))
            return false;
        for (const Asked& one : these) {
            if (!leave_out_theiler_window(series, one.question->epsilon, one.question->l_min, options.theiler,
                                          one.sums->diagonal, options.go_on))
                return false;
        }
    }
    return true;
}

}  // namespace sluice::recurrence
