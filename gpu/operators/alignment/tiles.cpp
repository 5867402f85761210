// Above 300 lines: one matrix, whose tiles, threads and pruning share its borders.
#include "gpu/operators/alignment/tiles.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/operators/alignment/lanes/tile_kernel.hpp"
#include "gpu/simd/on_threads.hpp"

namespace sluice::alignment {

const TileKernels& tile_kernels_of(InstructionSet set) { return SLUICE_KERNEL(set, tile_kernels); }

namespace {

// The number of cells that makes it worth starting another thread.
constexpr std::uint64_t cells_a_thread = 20'000'000;

struct Range {
    std::int32_t low, high;
};

// A matrix, and what to compute of it.
struct Job {
    const Scheme& scheme;
    Codes query, text;
    bool local = false;
    bool track_best = false;
    bool prune = false;
    int left_first = 0;          // cost of the first letter of a gap along the left border
    std::size_t rows_below = 0;  // by which the query continues
    std::int32_t target = 0;     // the least score that counts; for local alignments: more than the best so far
};

class Matrix {
public:
    Matrix(const Job& job, InstructionSet set)
        : job_(job),
          kernels_(tile_kernels_of(set)),
          strips_((job.query.size() + kernels_.rows - 1) / kernels_.rows),
          h_(job.text.size()),
          f_(job.text.size()),
          left_out_((job.text.size() + tile_columns - 1) / tile_columns),
          tiles_done_(std::make_unique<std::atomic<int>[]>(strips_)) {
        for (std::size_t j = 0; j < h_.size(); ++j) {
            h_[j] = job_.local ? 0 : static_cast<std::int32_t>(-job_.scheme.gap_cost(j + 1));
            f_[j] = h_[j] - job_.scheme.gap_first;
        }
    }

    // Returns the number of threads that took part.
    unsigned compute(unsigned threads, const Progress& progress) {
        const std::uint64_t cells = std::uint64_t{job_.query.size()} * job_.text.size();
        const std::uint64_t wanted = std::min<std::uint64_t>({threads, strips_, 1 + cells / cells_a_thread});
        const std::uint64_t most = std::max<std::uint64_t>(wanted, 1);
        const std::vector<std::int32_t> rows(kernels_.rows);
        std::vector<Edges> edges(most, Edges{rows, rows});
        std::uint64_t told = 0;
        const std::size_t took_part = simd::on_threads(most, [&](std::size_t thread) {
            if (thread == 0)
                told = work(edges[0], progress);
            else
                work(edges[thread], {});
        });
        if (failure_) std::rethrow_exception(failure_);
        for (std::size_t tile = 0; tile < left_out_.size(); ++tile) {
            if (left_out_[tile] != 0) upper_without_use(job_.query.size(), tile);
        }
        if (progress && !stopped_) progress(cells_done_ - told);
        return static_cast<unsigned>(took_part);
    }

    // After compute(): H of the last row, and F of the row below.
    const std::vector<std::int32_t>& h() const { return h_; }
    const std::vector<std::int32_t>& f() const { return f_; }
    EndPoint best() const { return best_; }
    double pruned_share() const {
        return cells_done_ == 0 ? 0 : static_cast<double>(cells_pruned_) / static_cast<double>(cells_done_);
    }

private:
    // For a strip's rows: H of the column before the next tile, and E of that tile's first column.
    struct Edges {
        std::vector<std::int32_t> left_h, e;
    };

    // A tile's place, and the values that its neighbours left at its borders. Neighbours that were left out leave none.
    struct Place {
        std::size_t row, rows, tile, column, columns;
        std::int32_t corner, *left_h, *e;
        bool corner_left_out, left_left_out;
    };

    // Takes strips until none are left. The thread that takes a strip finishes it, whatever `progress` throws, so no
    // thread waits for ever. Returns the number of cells reported to `progress`.
    std::uint64_t work(Edges& edges, const Progress& progress) {
        auto& [left_h, e] = edges;
        std::uint64_t told = 0;
        for (std::size_t strip = next_strip_++; strip < strips_; strip = next_strip_++) {
            Place place{};
            place.row = strip * kernels_.rows;
            place.rows = std::min(kernels_.rows, job_.query.size() - place.row);
            place.corner = left_border(place.row);
            place.left_h = left_h.data();
            place.e = e.data();
            for (std::size_t l = 0; l < place.rows; ++l) {
                left_h[l] = left_border(place.row + l + 1);
                e[l] = left_h[l] - job_.scheme.gap_first;
            }
            for (; place.tile < left_out_.size(); ++place.tile) {
                if (strip > 0) wait_for(tiles_done_[strip - 1], static_cast<int>(place.tile));
                place.column = place.tile * tile_columns;
                place.columns = std::min(tile_columns, h_.size() - place.column);
                const std::int32_t next_corner = h_[place.column + place.columns - 1];
                const bool next_corner_left_out = left_out_[place.tile] != 0;
                if (!stopped_) compute(place);
                place.corner = next_corner;
                place.corner_left_out = next_corner_left_out;
                tiles_done_[strip].store(static_cast<int>(place.tile) + 1, std::memory_order_release);
                tiles_done_[strip].notify_all();
                if (progress && !stopped_) {
                    const std::uint64_t cells = cells_done_;
                    if (!goes_on(progress, cells - told)) stopped_ = true;
                    told = cells;
                }
            }
        }
        return told;
    }

    // Only one thread has `progress`.
    bool goes_on(const Progress& progress, std::uint64_t cells) noexcept {
        try {
            return progress(cells);
        } catch (...) {
            failure_ = std::current_exception();
            return false;
        }
    }

    static void wait_for(const std::atomic<int>& tiles, int tile) {
        for (int done = tiles.load(std::memory_order_acquire); done <= tile;
             done = tiles.load(std::memory_order_acquire))
            tiles.wait(done, std::memory_order_acquire);
    }

    // H after `row` letters of the query and none of the text.
    std::int32_t left_border(std::size_t row) const {
        if (job_.local || row == 0) return 0;
        return -job_.left_first - static_cast<std::int32_t>(row - 1) * job_.scheme.gap_further;
    }

    // The most that alignments gain after `row` letters of the query and `column` letters of the text.
    std::int32_t bound(std::size_t row, std::size_t column) const {
        return static_cast<std::int32_t>(
            job_.scheme.score_bound(job_.query.size() + job_.rows_below - row, h_.size() - column));
    }

    void compute(Place& place) {
        cells_done_ += place.rows * place.columns;
        const std::int32_t best = best_score_.load(std::memory_order_relaxed);
        const std::int32_t target = job_.local ? best + 1 : job_.target;
        const bool left_out = job_.prune && is_useless(place, target);
        left_out_[place.tile] = place.left_left_out = left_out;
        if (left_out) {
            cells_pruned_ += place.rows * place.columns;
            return;
        }
        std::int32_t *h = h_.data() + place.column, *f = f_.data() + place.column;
        const Range border = border_range(place);
        TileTask task{job_.scheme, job_.query.subspan(place.row, place.rows),
                      job_.text.subspan(place.column, place.columns)};
        task.corner = place.corner;
        task.h = h;
        task.f = f;
        task.left_h = place.left_h;
        task.e = place.e;
        task.floor = job_.local ? 0 : tile_floor;
        task.best = job_.track_best ? best : INT32_MAX;
        run(task, border);
        if (job_.track_best && task.best > best) keep(task, place);
    }

    // Whether no alignment through the tile can reach the target. If one can, the tile's borders have their values.
    bool is_useless(Place& place, std::int32_t target) {
        const bool above_left_out = left_out_[place.tile] != 0;
        if (above_left_out && place.left_left_out && place.corner_left_out &&
            (!job_.local || bound(place.row, place.column) < target))
            return true;
        if (above_left_out) upper_without_use(place.row, place.tile);
        if (place.left_left_out) left_without_use(place);
        if (place.corner_left_out) place.corner = without_use(place.row, place.column);
        return reach(place) < target;
    }

    // The most that an alignment through the tile may score. It enters across the borders or, if local, may begin here.
    std::int32_t reach(const Place& place) const {
        const std::int32_t* h = h_.data() + place.column;
        const std::int32_t match = job_.scheme.highest;
        // In 32 bits and without calls, so that the compiler vectorises the loops.
        const auto below = static_cast<std::int32_t>(job_.query.size() + job_.rows_below - place.row);
        const auto behind = static_cast<std::int32_t>(h_.size() - place.column);
        std::int32_t most = place.corner + bound(place.row, place.column);
        if (job_.local) most = std::max(most, bound(place.row, place.column));
        for (std::int32_t c = 0; c < static_cast<std::int32_t>(place.columns); ++c)
            most = std::max(most, h[c] + match * std::min(below, behind - c - 1));
        for (std::int32_t l = 0; l < static_cast<std::int32_t>(place.rows); ++l)
            most = std::max(most, place.left_h[l] + match * std::min(below - l - 1, behind));
        return job_.local ? most : most + 2 * job_.scheme.gap_first;  // if gaps continue at both ends
    }

    // The score given to the cells of a left-out tile when the tiles beside it need it. For local alignments it is 0,
    // for others a score that just can't reach the target. Such a score is close to the cells beside it, as 16-bit
    // lanes require, and gives no more reason to compute the next tile.
    std::int32_t without_use(std::size_t row, std::size_t column) const {
        return job_.local ? 0 : job_.target - 1 - 2 * job_.scheme.gap_first - bound(row, column);
    }
    void upper_without_use(std::size_t row, std::size_t tile) {
        for (std::size_t c = tile * tile_columns; c < std::min((tile + 1) * tile_columns, h_.size()); ++c) {
            h_[c] = without_use(row, c + 1);
            f_[c] = h_[c] - job_.scheme.gap_first;
        }
    }
    void left_without_use(const Place& place) const {
        for (std::size_t l = 0; l < place.rows; ++l) {
            place.left_h[l] = without_use(place.row + l + 1, place.column);
            place.e[l] = place.left_h[l] - job_.scheme.gap_first;
        }
    }

    Range border_range(const Place& place) const {
        std::int32_t low = place.corner, high = place.corner;
        const auto widen = [&](const std::int32_t* scores, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) {
                low = std::min(low, scores[i]);
                high = std::max(high, scores[i]);
            }
        };
        widen(h_.data() + place.column, place.columns);
        widen(place.left_h, place.rows);
        return {low, high};
    }

    // No cell is below what a gap from the upper border leaves, or above what matches add to the highest border value.
    // What 16 bits can't distinguish from minus infinity is then below anything that counts.
    void run(TileTask& task, const Range& border) const {
        const auto rows = static_cast<std::int64_t>(kernels_.rows);
        const std::int64_t lowest = border.low - 2 * job_.scheme.gap_first - rows * job_.scheme.gap_further;
        const std::int64_t highest = border.high + rows * job_.scheme.highest;
        const bool fits = highest - lowest <= UINT16_MAX;
        if (kernels_.words == nullptr || !fits) return kernels_.longs(task);
        task.base = static_cast<std::int32_t>(lowest) - INT16_MIN;
        kernels_.words(task);
    }

    void keep(const TileTask& task, const Place& place) {
        const std::lock_guard lock(mutex_);
        if (task.best <= best_.score) return;
        best_ = {task.best, static_cast<std::uint32_t>(place.row) + task.query_end,
                 static_cast<std::uint32_t>(place.column) + task.text_end};
        best_score_ = task.best;
    }

    const Job job_;
    const TileKernels& kernels_;
    const std::size_t strips_;
    // For each column, at the lower edge of the last tile computed there: H, and F of the next row.
    std::vector<std::int32_t> h_, f_;
    std::vector<char> left_out_;  // by column of tiles: the last one was left out, so h_ and f_ are invalid there
    std::unique_ptr<std::atomic<int>[]> tiles_done_;  // by strip
    std::atomic<std::size_t> next_strip_ = 0;
    std::atomic<std::int32_t> best_score_ = 0;
    std::atomic<std::uint64_t> cells_done_ = 0, cells_pruned_ = 0;
    std::atomic<bool> stopped_ = false;
    std::exception_ptr failure_;  // of `progress`
    std::mutex mutex_;
    EndPoint best_;  // guarded by mutex_
};

}  // namespace

TilesResult align_tiles(const Scheme& scheme, Mode mode, Codes query, Codes text, bool prune, unsigned threads,
                        const Progress& progress, InstructionSet set) {
    const bool local = mode == Mode::local;
    Job job{scheme, query, text};
    job.local = job.track_best = local;
    job.prune = local && prune;
    job.left_first = scheme.gap_first;
    Matrix matrix(job, set);
    TilesResult result;
    result.threads = matrix.compute(threads, progress);
    result.pruned_share = matrix.pruned_share();
    result.end = local ? matrix.best()
                       : EndPoint{matrix.h().back(), static_cast<std::uint32_t>(query.size()),
                                  static_cast<std::uint32_t>(text.size())};
    return result;
}

EndPoint tiles_from_start(const Scheme& scheme, Codes query, Codes text, std::int32_t score, unsigned threads,
                          const Progress& progress, InstructionSet set) {
    Job job{scheme, query, text};
    job.track_best = job.prune = true;
    job.left_first = scheme.gap_first;
    job.target = score;
    Matrix matrix(job, set);
    matrix.compute(threads, progress);
    return matrix.best();
}

void last_row_of_tiles(const Scheme& scheme, int left_first, Codes query, std::size_t rows_below, Codes text,
                       std::int32_t total, std::span<std::int32_t> h, std::span<std::int32_t> f, unsigned threads,
                       const Progress& progress, InstructionSet set) {
    Job job{scheme, query, text};
    job.prune = true;
    job.left_first = left_first;
    job.rows_below = rows_below;
    job.target = total;
    Matrix matrix(job, set);
    matrix.compute(threads, progress);
    h[0] = f[0] = -left_first - static_cast<std::int32_t>(query.size() - 1) * scheme.gap_further;
    std::copy(matrix.h().begin(), matrix.h().end(), h.begin() + 1);
    std::transform(matrix.f().begin(), matrix.f().end(), f.begin() + 1,
                   [&](std::int32_t below) { return below + scheme.gap_further; });
}

}  // namespace sluice::alignment
