#include "gpu/operators/alignment/pair.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "gpu/operators/alignment/striped.hpp"
#include "gpu/operators/alignment/tiles.hpp"

namespace sluice::alignment {

namespace {

// Below this a core is done before a device has started, which takes some tenths of a second.
constexpr std::uint64_t gpu_cells_min = 1'000'000'000;

// The longer sequence is striped if a column stays in the core's own cache, else the shorter; if that is far too long,
// too, or so short that most lanes have no row, rows are faster.
constexpr std::size_t cache_bytes = 1 << 20, striped_bytes_max = 4 << 20, striped_rows_min = 20;

// From here on tiles are faster than stripes of more than 8 bits, and those of 8 bits, which hold the scores of
// sequences that are not related, as fast as so many threads.
constexpr std::uint64_t tiled_cells_min = 1'000'000'000;
constexpr std::size_t tiled_rows_min = 4096;
constexpr unsigned threads_of_stripes = 2;

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Turns cells done into a share of all cells, of which `from` to `to` are this part's.
Progress share_of(const PairOptions& options, std::uint64_t cells, double from, double to) {
    if (!options.progress) return {};
    return [&options, cells, from, to, done = std::uint64_t{0}](std::uint64_t more) mutable {
        done += more;
        const double share = cells == 0 ? 1 : static_cast<double>(done) / static_cast<double>(cells);
        options.progress(from + (to - from) * std::min(share, 1.0));
        return true;
    };
}

// Local only.
std::optional<EndPoint> align_striped(const Scheme& scheme, Codes query, Codes text, bool bytes_only,
                                      const Progress& progress, InstructionSet set) {
    const std::size_t m = query.size(), n = text.size();
    const auto column = [&](std::size_t rows) { return StripedAligner::column_bytes(scheme, rows); };
    if (!StripedAligner::has(set) || column(std::min(m, n)) > striped_bytes_max) return std::nullopt;
    const bool stripes_longer = column(std::max(m, n)) <= cache_bytes;
    if (!stripes_longer && std::min(m, n) < striped_rows_min) return std::nullopt;
    ScoreTables tables(scheme);
    StripedAligner aligner(scheme, tables, set);
    if ((m >= n) == stripes_longer) return aligner.align(query, text, bytes_only, progress);
    auto end = aligner.align(text, query, bytes_only, progress);
    if (end) std::swap(end->query_end, end->text_end);
    return end;
}

TilesResult align_on_cores(const Scheme& scheme, Mode mode, Codes query, Codes text, bool prune, unsigned threads,
                           const Progress& progress, InstructionSet set) {
    const bool tiled = scheme.alphabet == Scheme::Alphabet::dna &&
                       std::min(query.size(), text.size()) >= tiled_rows_min &&
                       std::uint64_t{query.size()} * text.size() >= tiled_cells_min;
    if (mode == Mode::local && (!tiled || threads <= threads_of_stripes)) {
        if (const auto end = align_striped(scheme, query, text, tiled, progress, set)) return {*end};
    }
    if (tiled) return align_tiles(scheme, mode, query, text, prune, threads, progress, set);
    return {align_rows(scheme, mode, query, text, progress, set)};
}

}  // namespace

EndPoint align_on_core(const Scheme& scheme, Mode mode, Codes query, Codes text, const Progress& progress,
                       InstructionSet set) {
    return align_on_cores(scheme, mode, query, text, true, 1, progress, set).end;
}

PairResult align_pair(const Scheme& scheme, Codes query, Codes text, const PairOptions& options) {
    PairResult result;
    if (const auto error = too_long(scheme, query.size(), text.size())) {
        result.error = *error;
        return result;
    }
    const std::uint64_t cells = std::uint64_t{query.size()} * text.size();
    const double trace_begins = options.trace ? 0.3 : 1;  // reverse and divided passes are two to three times the work
    result.on_gpu = options.processor == Processor::gpu ||
                    (options.processor == Processor::automatic && cells >= gpu_cells_min && pair_device_available());
    const unsigned threads = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    try {
        auto begin = std::chrono::steady_clock::now();
        if (result.on_gpu) {
            score_pair_on_device(scheme, query, text, options, result);
            if (!result.error.empty() && options.processor == Processor::gpu) return result;
            result.gpu_error = std::exchange(result.error, {});
            result.on_gpu = result.gpu_error.empty();
        }
        if (!result.on_gpu) {
            begin = std::chrono::steady_clock::now();
            const TilesResult found = align_on_cores(scheme, options.mode, query, text, options.prune, threads,
                                                     share_of(options, cells, 0, trace_begins), best_instruction_set());
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
