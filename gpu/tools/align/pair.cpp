#include "gpu/tools/align/pair.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "gpu/operators/alignment/dispatch.hpp"
#include "gpu/simd/on_threads.hpp"

namespace sluice::alignment {

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Turns numbers of cells done into a share of all the work, of which this part is from `from` to `to`.
Progress share_of(const PairOptions& options, std::uint64_t cells, double from, double to) {
    if (!options.progress) return {};
    return [&options, cells, from, to, done = std::uint64_t{0}](std::uint64_t more) mutable {
        done += more;
        const double share = cells == 0 ? 1 : static_cast<double>(done) / static_cast<double>(cells);
        options.progress(from + (to - from) * std::min(share, 1.0));
        return true;
    };
}

}  // namespace

PairResult align_pair(const Scheme& scheme, Codes query, Codes text, const PairOptions& options) {
    PairResult result;
    if (const auto error = too_long(scheme, query.size(), text.size())) {
        result.error = *error;
        return result;
    }
    const std::uint64_t cells = std::uint64_t{query.size()} * text.size();
    const double trace_begins = options.trace ? 0.3 : 1;  // reverse and divided passes take two to three times the work
    result.on_gpu =
        options.processor == Processor::gpu ||
        (options.processor == Processor::automatic && cells >= device_start_cells_min && cuda::why_no_gpu().empty());
    const unsigned threads = simd::thread_count(options.threads);
    try {
        auto begin = std::chrono::steady_clock::now();
        if (result.on_gpu) {
            result.error = cuda::why_no_gpu();
            if constexpr (cuda::is_built) {
                if (result.error.empty()) score_pair_on_device(scheme, query, text, options, result);
            }
            if (!result.error.empty() && options.processor == Processor::gpu) return result;
            result.gpu_error = std::exchange(result.error, {});
            result.on_gpu = result.gpu_error.empty();
        }
        if (!result.on_gpu) {
            begin = std::chrono::steady_clock::now();
            ScoreTables tables(scheme);
            const TilesResult found =
                CoreAligner(scheme, options.mode, tables, best_instruction_set())
                    .align(query, text, options.prune, threads, share_of(options, cells, 0, trace_begins));
            result.end = found.end;
            result.threads = found.threads;
            result.pruned_share = found.pruned_share;
            result.score_seconds = seconds_since(begin);
        }
        if (!options.trace) return result;
        begin = std::chrono::steady_clock::now();
        const std::uint64_t passes = options.mode == Mode::local ? 3 : 2;
        result.alignment = trace(scheme, options.mode, query, text, result.end, threads,
                                 share_of(options, passes * cells, result.on_gpu ? 0 : trace_begins, 1));
        result.trace_seconds = seconds_since(begin);
    } catch (const std::bad_alloc&) {
        result.error = "not enough memory to align " + std::to_string(query.size()) + " with " +
                       std::to_string(text.size()) + " letters";
    }
    return result;
}

}  // namespace sluice::alignment
