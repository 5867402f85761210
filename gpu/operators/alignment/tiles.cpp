#include "gpu/operators/alignment/tiles.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "gpu/operators/alignment/tile_kernel.hpp"

namespace sluice::alignment {

namespace {

constexpr std::int32_t minus_infinity = -(1 << 30);

const TileKernels& tile_kernels_of([[maybe_unused]] InstructionSet set) {
#ifdef SLUICE_X86_KERNELS
    if (set == InstructionSet::avx512) return avx512::tile_kernels;
    if (set == InstructionSet::avx2) return avx2::tile_kernels;
#endif
    return portable::tile_kernels;
}

struct Range {
    std::int32_t low, high;

    void widen(const std::int32_t* scores, std::size_t count) {
        std::int32_t least = low, most = high;  // in registers, so that the loop becomes one of vectors
        for (std::size_t i = 0; i < count; ++i) {
            least = std::min(least, scores[i]);
            most = std::max(most, scores[i]);
        }
        low = least;
        high = most;
    }
};

class Matrix {
public:
    Matrix(const Scheme& scheme, Codes query, Codes text, bool prune, InstructionSet set)
        : scheme_(scheme),
          query_(query),
          text_(text),
          prune_(prune),
          kernels_(tile_kernels_of(set)),
          strips_((query.size() + kernels_.rows - 1) / kernels_.rows),
          h_(text.size(), 0),
          f_(text.size(), minus_infinity),
          tiles_done_(std::make_unique<std::atomic<int>[]>(strips_)) {}

    std::size_t strips() const { return strips_; }

    // Takes strips until there are none; whichever thread has taken one finishes it, so nobody waits for ever.
    void work(const Progress& progress) {
        std::vector<std::int32_t> left_h(kernels_.rows), e(kernels_.rows);
        std::uint64_t told = 0;
        for (std::size_t strip = next_strip_++; strip < strips_; strip = next_strip_++) {
            std::fill(left_h.begin(), left_h.end(), 0);
            std::fill(e.begin(), e.end(), minus_infinity);
            std::int32_t corner = 0;
            int tile = 0;
            for (std::size_t column = 0; column < text_.size(); column += tile_columns, ++tile) {
                if (strip > 0) wait_for(tiles_done_[strip - 1], tile);
                const std::size_t columns = std::min(tile_columns, text_.size() - column);
                const std::int32_t next_corner = h_[column + columns - 1];
                if (!stopped_) compute(strip * kernels_.rows, column, columns, corner, left_h.data(), e.data());
                corner = next_corner;
                tiles_done_[strip].store(tile + 1, std::memory_order_release);
                tiles_done_[strip].notify_all();
                if (progress && !stopped_) {
                    const std::uint64_t cells = cells_done_;
                    if (!progress(cells - told)) stopped_ = true;
                    told = cells;
                }
            }
        }
        if (progress && !stopped_) left_to_tell_ = told;
    }

    // After all threads.
    TilesResult result(const Progress& progress) {
        if (progress && !stopped_) progress(cells_done_ - left_to_tell_);
        const double cells = static_cast<double>(query_.size()) * static_cast<double>(text_.size());
        TilesResult result{best_};
        if (cells > 0) result.pruned_share = static_cast<double>(cells_pruned_) / cells;
        return result;
    }

private:
    static void wait_for(const std::atomic<int>& tiles, int tile) {
        for (int done = tiles.load(std::memory_order_acquire); done <= tile;
             done = tiles.load(std::memory_order_acquire))
            tiles.wait(done, std::memory_order_acquire);
    }

    void compute(std::size_t row, std::size_t column, std::size_t columns, std::int32_t corner, std::int32_t* left_h,
                 std::int32_t* e) {
        const std::size_t rows = std::min(kernels_.rows, query_.size() - row);
        std::int32_t *h = h_.data() + column, *f = f_.data() + column;
        Range range{corner, corner};
        range.widen(h, columns);
        range.widen(left_h, rows);
        const std::int32_t best = best_score_.load(std::memory_order_relaxed);
        cells_done_ += rows * columns;
        if (prune_ && range.high + scheme_.score_bound(query_.size() - row, text_.size() - column) <= best) {
            std::fill_n(h, columns, 0);
            std::fill_n(f, columns, minus_infinity);
            std::fill_n(left_h, rows, 0);
            std::fill_n(e, rows, minus_infinity);
            cells_pruned_ += rows * columns;
            return;
        }
        TileTask task{scheme_, query_.subspan(row, rows), text_.subspan(column, columns)};
        task.corner = corner;
        task.h = h;
        task.f = f;
        task.left_h = left_h;
        task.e = e;
        task.best = best;
        run(task, range);
        if (task.best > best) keep(task, row, column);
    }

    // No cell is below what a gap from the upper border leaves, none above what matches make of the highest. What 16
    // bits can't tell from minus infinity is then below anything that counts.
    void run(TileTask& task, const Range& border) const {
        const auto rows = static_cast<std::int64_t>(kernels_.rows);
        const std::int64_t lowest = border.low - 2 * scheme_.gap_first - rows * scheme_.gap_further;
        const std::int64_t highest = border.high + rows * scheme_.highest;
        const bool fits = highest - lowest <= UINT16_MAX && -scheme_.lowest <= INT16_MAX;
        if (kernels_.words == nullptr || !fits) return kernels_.longs(task);
        task.base = static_cast<std::int32_t>(lowest) - INT16_MIN;
        kernels_.words(task);
    }

    void keep(const TileTask& task, std::size_t row, std::size_t column) {
        const std::lock_guard lock(mutex_);
        if (task.best <= best_.score) return;
        best_ = {task.best, static_cast<std::uint32_t>(row) + task.query_end,
                 static_cast<std::uint32_t>(column) + task.text_end};
        best_score_ = task.best;
    }

    const Scheme& scheme_;
    const Codes query_, text_;
    const bool prune_;
    const TileKernels& kernels_;
    const std::size_t strips_;
    // Of each column, below the last tile that was computed there: H, and F of the next row.
    std::vector<std::int32_t> h_, f_;
    std::unique_ptr<std::atomic<int>[]> tiles_done_;  // of each strip
    std::atomic<std::size_t> next_strip_ = 0;
    std::atomic<std::int32_t> best_score_ = 0;
    std::atomic<std::uint64_t> cells_done_ = 0, cells_pruned_ = 0;
    std::atomic<bool> stopped_ = false;
    std::uint64_t left_to_tell_ = 0;
    std::mutex mutex_;
    EndPoint best_;  // under mutex_
};

}  // namespace

TilesResult align_tiles(const Scheme& scheme, Codes query, Codes text, bool prune, unsigned threads,
                        const Progress& progress, InstructionSet set) {
    Matrix matrix(scheme, query, text, prune, set);
    std::vector<std::thread> others;
    try {
        while (others.size() + 1 < std::min<std::size_t>(threads, matrix.strips()))
            others.emplace_back([&] { matrix.work({}); });
    } catch (const std::system_error&) {
        // Those that there are do it all.
    }
    matrix.work(progress);
    for (auto& thread : others) thread.join();
    TilesResult result = matrix.result(progress);
    result.threads = static_cast<unsigned>(others.size()) + 1;
    return result;
}

}  // namespace sluice::alignment
