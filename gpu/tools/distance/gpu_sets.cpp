#include "gpu/tools/distance/gpu_sets.hpp"

#include <algorithm>

#include "gpu/device/device.hpp"
#include "gpu/operators/edits/characters.hpp"
#include "gpu/operators/edits/cuda/edits_cuda.hpp"
#include "gpu/tools/distance/pieces.hpp"

namespace sluice::edits {

namespace {

// A call takes a tenth of a second or less, so that the caller can stop between calls.
constexpr double call_cells_max = 2.5e11;
constexpr std::size_t call_results_max = std::size_t{1} << 24;
constexpr std::uint64_t set_characters_max = 1 << 24;
// With a bound, pairs that are within it are matched again, by one thread each: so texts must not be long, nor may
// patterns be too long for a thread.
constexpr std::uint64_t bounded_bytes_max = 1 << 14, thread_pattern_max = 1024;

}  // namespace

struct GpuSets::Content {
    struct Set {
        std::size_t first;  // of its patterns
        std::uint64_t characters;
        GpuPatternSet patterns;
    };

    AllPairsOptions options;
    std::size_t patterns;
    std::uint64_t longest = 0, set_characters = 1;  // of a pattern; of the largest set
    std::vector<Set> sets;

    // Whether decide() is used before distances().
    bool bounded() const { return options.within && longest <= thread_pattern_max; }

    std::vector<Piece> cut(std::span<const std::string_view> texts) const {
        std::vector<Piece> pieces;
        if (options.extent == Extent::whole) {
            for (std::size_t t = 0; t < texts.size(); ++t) pieces.push_back({t, texts[t]});
            return pieces;
        }
        const auto bytes = static_cast<std::uint64_t>(call_cells_max / static_cast<double>(set_characters));
        return cut_all(texts, 2 * longest, 0, bounded() ? std::min(bytes, bounded_bytes_max) : bytes);
    }

    // The pieces from `first` on that a call takes.
    std::size_t end_of_call(std::span<const Piece> pieces, std::size_t first, std::size_t set_patterns) const {
        double cells = 0;
        std::size_t end = first;
        do cells += static_cast<double>(pieces[end++].utf8.size()) * static_cast<double>(set_characters);
        while (end < pieces.size() && cells < call_cells_max && (end - first + 1) * set_patterns <= call_results_max);
        return end;
    }

    void run(Set& set, std::span<const Piece> pieces, std::span<std::uint32_t> distances) const {
        std::vector<std::string_view> texts;
        for (const Piece& piece : pieces) texts.push_back(piece.utf8);
        const std::size_t n = set.patterns.size();
        const auto put = [&](std::size_t t, std::size_t p, std::uint32_t distance) {
            lower(distances[pieces[t].text * patterns + set.first + p], distance);
        };
        Counters counters;
        if (bounded()) {
            std::vector<Pair> near;
            set.patterns.find(texts, near, counters);
            if (near.size() <= texts.size() * n / 4) {
                std::vector<std::uint32_t> found(near.size());
                if (!near.empty()) set.patterns.distances(texts, near, found, counters);
                for (std::size_t i = 0; i < near.size(); ++i) put(near[i].text, near[i].pattern, found[i]);
                return;
            }
        }
        std::vector<std::uint32_t> found(texts.size() * n);
        set.patterns.distances(texts, found, counters);
        for (std::size_t t = 0; t < texts.size(); ++t) {
            for (std::size_t p = 0; p < n; ++p) put(t, p, found[t * n + p]);
        }
    }
};

void start_gpu() { cuda::check(cudaFree(nullptr), "start of the GPU"); }

GpuSets::GpuSets(std::span<const std::string_view> patterns, const AllPairsOptions& options)
    : content_(new Content{options, patterns.size(), 0, 1, {}}) {
    std::vector<Pattern> of_set;
    std::uint64_t total = 0;
    for (std::size_t p = 0; p < patterns.size(); ++p) {
        const std::uint64_t m = characters(patterns[p]).size();
        content_->longest = std::max(content_->longest, m);
        total += m;
        of_set.push_back({patterns[p], options.within.value_or(0)});
        if (total < set_characters_max && p + 1 < patterns.size()) continue;
        content_->sets.push_back({p + 1 - of_set.size(), total, GpuPatternSet(of_set, options.extent)});
        content_->set_characters = std::max(content_->set_characters, total);
        of_set.clear();
        total = 0;
    }
}

bool GpuSets::match(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, const Watch& watch) {
    std::ranges::fill(distances, distance_beyond);
    const std::vector<Piece> all = content_->cut(texts);
    const std::span<const Piece> pieces(all);
    for (std::size_t s = 0; s < content_->sets.size(); ++s) {
        auto& set = content_->sets[s];
        for (std::size_t first = 0, end = 0; first < pieces.size(); first = end) {
            end = content_->end_of_call(pieces, first, set.patterns.size());
            content_->run(set, pieces.subspan(first, end - first), distances);
            const double share =
                (static_cast<double>(s) + static_cast<double>(end) / static_cast<double>(pieces.size())) /
                static_cast<double>(content_->sets.size());
            if (watch && !watch(share)) return false;
        }
    }
    return true;
}

}  // namespace sluice::edits
