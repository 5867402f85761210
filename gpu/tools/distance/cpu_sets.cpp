#include "gpu/tools/distance/cpu_sets.hpp"

#include <algorithm>
#include <atomic>

#include "gpu/operators/edits/characters.hpp"
#include "gpu/simd/on_threads.hpp"
#include "gpu/tools/distance/pieces.hpp"

namespace sluice::edits {

namespace {

// How much a set and a task have: a task takes a tenth of a second at most, unless patterns are so long that texts must
// overlap more, and a set has enough patterns to fill vectors.
struct Grain {
    std::uint64_t set_characters, task_cells;
};
constexpr Grain bit_parallel_grain{1 << 18, 1 << 30}, dynamic_program_grain{1 << 14, 1 << 25};
constexpr std::uint64_t task_pairs_max = 1 << 18;
// Shorter pieces of a text cost more than other threads save.
constexpr std::uint64_t piece_bytes_min = 1 << 14;

}  // namespace

CpuSets::CpuSets(std::span<const std::string_view> patterns, const Costs& costs, const AllPairsOptions& options)
    : options_(options), patterns_(patterns.size()) {
    const Grain grain = costs.unit() ? bit_parallel_grain : dynamic_program_grain;
    task_cells_ = grain.task_cells;
    std::vector<Pattern> of_set;
    std::uint64_t total = 0, longest = 0;
    for (std::size_t p = 0; p < patterns.size(); ++p) {
        const std::uint64_t m = characters(patterns[p]).size();
        longest = std::max(longest, m);
        total += m;
        of_set.push_back({patterns[p], options.within.value_or(0)});
        if (total < grain.set_characters && p + 1 < patterns.size()) continue;
        sets_.push_back({p + 1 - of_set.size(), of_set.size(), PatternSet(of_set, options.extent, costs)});
        set_characters_ = std::max(set_characters_, total);
        of_set.clear();
        total = 0;
    }
    overlap_ = costs.longest_substring(longest);
}

std::uint64_t CpuSets::piece_bytes(std::uint64_t all_bytes) const {
    const std::uint64_t threads = simd::thread_count(options_.threads);
    constexpr std::uint64_t rounds = 4;  // of pieces per thread, so that the threads end together
    const std::uint64_t for_threads =
        threads == 1 ? all_bytes : std::max(all_bytes / (rounds * threads), piece_bytes_min);
    return std::min(for_threads, task_cells_ / set_characters_);
}

std::vector<CpuSets::Task> CpuSets::tasks_for(std::span<const std::string_view> pieces) const {
    std::vector<Task> tasks;
    const std::uint64_t bytes_max = std::max<std::uint64_t>(1, task_cells_ / set_characters_);
    std::uint64_t pairs_of_piece = 1;
    for (const Set& set : sets_) pairs_of_piece = std::max<std::uint64_t>(pairs_of_piece, set.size);
    for (std::size_t first = 0; first < pieces.size();) {
        std::size_t end = first;
        std::uint64_t bytes = 0;
        do bytes += pieces[end++].size();
        while (end < pieces.size() && bytes + pieces[end].size() <= bytes_max &&
               (end - first + 1) * pairs_of_piece <= task_pairs_max);
        for (std::size_t set = 0; set < sets_.size(); ++set) tasks.push_back({first, end, set});
        first = end;
    }
    return tasks;
}

void CpuSets::run(const Task& task, std::span<const std::string_view> pieces, std::span<const std::size_t> text_of,
                  std::span<std::uint32_t> distances) const {
    const Set& set = sets_[task.set];
    const auto texts = pieces.subspan(task.first_piece, task.end_piece - task.first_piece);
    std::vector<Pair> pairs;
    for (std::uint32_t t = 0; t < texts.size(); ++t) {
        for (std::uint32_t p = 0; p < set.size; ++p) pairs.push_back({t, p});
    }
    Counters counters;
    if (options_.within) {
        std::vector<std::uint8_t> within(pairs.size());
        set.patterns.decide(texts, pairs, within, counters);
        std::vector<Pair> near;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (within[i] != 0) near.push_back(pairs[i]);
        }
        pairs = std::move(near);
    }
    std::vector<std::uint32_t> found(pairs.size());
    set.patterns.distances(texts, pairs, found, counters);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::size_t text = text_of[task.first_piece + pairs[i].text];
        lower(distances[text * patterns_ + set.first + pairs[i].pattern], found[i]);
    }
}

bool CpuSets::match(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, const Watch& watch) {
    std::ranges::fill(distances, distance_beyond);
    std::vector<Piece> cut;
    if (options_.extent == Extent::whole) {
        for (std::size_t t = 0; t < texts.size(); ++t) cut.push_back({t, texts[t]});
    } else {
        std::uint64_t bytes = 0;
        for (const std::string_view text : texts) bytes += text.size();
        cut = cut_all(texts, overlap_, options_.parts, piece_bytes(bytes));
    }
    std::vector<std::string_view> pieces;
    std::vector<std::size_t> text_of;
    std::uint64_t parts = 0;
    for (const auto& piece : cut) {
        parts = !text_of.empty() && text_of.back() == piece.text ? parts + 1 : 1;
        parts_ = std::max(parts_, parts);
        pieces.push_back(piece.utf8);
        text_of.push_back(piece.text);
    }
    const std::vector<Task> tasks = tasks_for(pieces);
    return simd::run_tasks(
        tasks.size(), simd::thread_count(options_.threads), watch,
        [&](std::size_t task, const std::atomic<bool>&) { run(tasks[task], pieces, text_of, distances); });
}

}  // namespace sluice::edits
