#include "gpu/operators/edits/cuda/edits_cuda.hpp"

#include <algorithm>
#include <bit>

#include "gpu/operators/edits/cuda/gpu_pattern_content.hpp"
#include "gpu/operators/edits/parts.hpp"

namespace sluice::edits {

// Writes results[t * slots + slot] or, with `decide`, bits of results[t * slots / 32 + slot / 32].
void GpuPatternContent::run_groups(bool decide, std::span<std::uint32_t> results) {
    texts.results.reserve(results.size());
    cuda::check(cudaMemsetAsync(texts.results.data(), decide ? 0 : 0xFF, results.size_bytes(), stream), "memset");
    for (const GroupsOfSize& size : sizes) {
        const auto pieces = pieces_of_texts(2 * size.groups.words() * lane_rows);
        load_pieces(pieces);
        std::uint32_t* const least = decide ? nullptr : texts.results.data() + size.first_slot;
        std::uint32_t* const hits = decide ? texts.results.data() + size.first_slot / warp_size : nullptr;
        with_texts([&](const auto* symbols_of_texts) {
            enqueue_myers_many(size.groups.view(decide), extent, symbols_of_texts, texts.pieces.data(),
                               static_cast<std::uint32_t>(pieces.size()), least, hits, slots, stream);
        });
        stream.wait();
    }
    cuda::copy_to_host(results, texts.results.data(), stream);
    stream.wait();
}

// Returns [text]: the distance or, with `decide`, a distance within the bound if there is one.
std::vector<std::uint32_t> GpuPatternContent::run_long(const LongOnDevice& pattern, bool decide) {
    std::uint64_t total = 0;
    for (const std::uint32_t n : texts.length) total += n;
    const std::uint64_t parts = long_parts(pattern.host.layout, multiprocessors), overlap = 2 * pattern.host.m;
    std::vector<TextPiece> pieces;
    for (std::uint32_t t = 0; t < texts.begin.size(); ++t) {
        const std::uint64_t n = texts.length[t];
        for (const Part& part :
             cut_text(n, overlap, std::max<std::uint64_t>(1, parts * n / std::max<std::uint64_t>(total, 1))))
            pieces.push_back({texts.begin[t] + part.begin, static_cast<std::uint32_t>(part.length), t});
    }
    load_pieces(pieces);
    texts.rows.reserve(texts.symbols);
    texts.results.reserve(texts.begin.size());
    cuda::check(cudaMemsetAsync(texts.results.data(), 0xFF, texts.begin.size() * sizeof(std::uint32_t), stream),
                "memset");
    const auto device = pattern.device(decide ? std::min(k[pattern.pattern], std::uint32_t{1} << 30) : 0);
    with_texts([&](const auto* symbols_of_texts) {
        enqueue_rows(device, symbols_of_texts, texts.symbols, texts.rows.data(), stream);
    });
    enqueue_myers_long(device, texts.rows.data(), texts.pieces.data(), static_cast<std::uint32_t>(pieces.size()),
                       texts.results.data(), 1, stream);
    std::vector<std::uint32_t> least(texts.begin.size());
    cuda::copy_to_host(std::span(least), texts.results.data(), stream);
    stream.wait();
    return least;
}

template <class Each>
void GpuPatternContent::match_all(std::span<const std::string_view> given, bool decide, Counters& counters, Each each) {
    const std::size_t words = std::max<std::size_t>(1, decide ? slots / warp_size : slots);
    const std::size_t at_once = std::max<std::size_t>(1, results_max / words);
    for (std::size_t first = 0; first < given.size(); first += at_once) {
        match_some(given.subspan(first, std::min(at_once, given.size() - first)), decide, counters,
                   [&](std::uint32_t t, std::uint32_t p, std::uint32_t distance) {
                       each(static_cast<std::uint32_t>(first + t), p, distance);
                   });
    }
}

template <class Each>
void GpuPatternContent::match_some(std::span<const std::string_view> given, bool decide, Counters& counters,
                                   Each each) {
    load(given, !longs.empty());
    const std::size_t n = given.size();
    counters.texts += n;
    std::uint64_t characters_of_texts = 0, characters_of_patterns = 0;
    for (const std::uint32_t length : texts.length) characters_of_texts += length;
    for (const std::uint32_t m : lengths) characters_of_patterns += m;
    counters.cells += characters_of_texts * characters_of_patterns;
    for (std::uint32_t p = 0; p < lengths.size(); ++p) {
        for (std::uint32_t t = 0; lengths[p] == 0 && t < n; ++t) each(t, p, distance_of_empty(texts.length[t]));
    }
    for (const LongOnDevice& pattern : longs) {
        const auto least = run_long(pattern, decide);
        for (std::uint32_t t = 0; t < n; ++t) each(t, pattern.pattern, least[t]);
    }
    if (!all_long && slots > 0) {
        std::vector<std::uint32_t> results(n * (decide ? slots / warp_size : slots));
        run_groups(decide, results);
        for (std::uint32_t p = 0; p < lengths.size(); ++p) {
            const std::uint32_t slot = slot_of[p];
            if (slot == none) continue;
            for (std::uint32_t t = 0; t < n; ++t) {
                if (!decide)
                    each(t, p, results[std::size_t{t} * slots + slot]);
                else if ((results[std::size_t{t} * (slots / warp_size) + slot / warp_size] >> slot % warp_size & 1) !=
                         0)
                    each(t, p, k[p]);
            }
        }
    }
    // Patterns that are in no lane and were not matched as long ones.
    std::vector<Pair> pairs;
    std::vector<std::uint32_t> ids;
    for (const std::uint32_t p : cpu_patterns) {
        if (std::ranges::find(longs, p, &LongOnDevice::pattern) != longs.end()) continue;
        for (std::uint32_t t = 0; t < n; ++t) {
            pairs.push_back({t, cpu_index[p]});
            ids.push_back(p);
        }
    }
    std::vector<std::uint32_t> distances(pairs.size());
    Counters uncounted;
    cpu->distances(given, pairs, distances, uncounted);
    for (std::size_t i = 0; i < pairs.size(); ++i) each(pairs[i].text, ids[i], distances[i]);
}

template <class Each>
void GpuPatternContent::match_pairs(std::span<const std::string_view> given, std::span<const Pair> pairs, bool decide,
                                    Counters& counters, Each each) {
    load(given, false);
    counters.texts += given.size();
    std::vector<TextPiece> pieces;
    for (std::uint32_t t = 0; t < given.size(); ++t) pieces.push_back({texts.begin[t], texts.length[t], t});
    load_pieces(pieces);
    std::vector<Pair> on_cpu;
    std::vector<std::uint32_t> cpu_pairs;
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        const auto [t, p] = pairs[i];
        counters.cells += std::uint64_t{texts.length[t]} * lengths[p];
        if (lengths[p] == 0) each(i, distance_of_empty(texts.length[t]));
        if (cpu_index[p] == none) continue;
        on_cpu.push_back({t, cpu_index[p]});
        cpu_pairs.push_back(i);
    }
    for (const GroupsOfSize& size : sizes) {
        std::vector<PiecePair> of_size;
        std::vector<std::uint32_t> ids;
        for (std::uint32_t i = 0; i < pairs.size(); ++i) {
            const std::uint32_t slot = slot_of[pairs[i].pattern];
            if (slot == none || slot < size.first_slot || slot >= size.first_slot + size.groups.slots()) continue;
            of_size.push_back({pairs[i].text, slot - size.first_slot});
            ids.push_back(i);
        }
        if (ids.empty()) continue;
        texts.pairs.reserve(std::bit_ceil(ids.size()));  // with room for slightly larger calls
        texts.results.reserve(std::bit_ceil(ids.size()));
        cuda::copy_to_device(texts.pairs.data(), std::span<const PiecePair>(of_size), stream);
        with_texts([&](const auto* symbols_of_texts) {
            enqueue_myers_pairs(size.groups.view(decide), extent, symbols_of_texts, texts.pieces.data(),
                                texts.pairs.data(), static_cast<std::uint32_t>(ids.size()), decide,
                                texts.results.data(), stream);
        });
        std::vector<std::uint32_t> results(ids.size());
        cuda::copy_to_host(std::span(results), texts.results.data(), stream);
        stream.wait();
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const std::uint32_t bound = k[pairs[ids[i]].pattern];
            each(ids[i], !decide ? results[i] : results[i] != 0 ? bound : bound + 1);
        }
    }
    std::vector<std::uint32_t> distances(on_cpu.size());
    Counters uncounted;
    cpu->distances(given, on_cpu, distances, uncounted);
    for (std::size_t i = 0; i < on_cpu.size(); ++i) each(cpu_pairs[i], distances[i]);
}

GpuPatternSet::GpuPatternSet(std::span<const Pattern> patterns, Extent extent)
    : content_(std::make_unique<GpuPatternContent>(patterns, extent)) {}
GpuPatternSet::GpuPatternSet(GpuPatternSet&&) noexcept = default;
GpuPatternSet& GpuPatternSet::operator=(GpuPatternSet&&) noexcept = default;
GpuPatternSet::~GpuPatternSet() = default;

std::size_t GpuPatternSet::size() const { return content_->lengths.size(); }

void GpuPatternSet::find(std::span<const std::string_view> texts, std::vector<Pair>& found, Counters& counters) {
    const auto first = static_cast<std::ptrdiff_t>(found.size());
    content_->match_all(texts, true, counters, [&](std::uint32_t t, std::uint32_t p, std::uint32_t distance) {
        if (distance <= content_->k[p]) found.push_back({t, p});
    });
    std::sort(found.begin() + first, found.end());
}

void GpuPatternSet::decide(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                           std::span<std::uint8_t> within, Counters& counters) {
    content_->match_pairs(texts, pairs, true, counters, [&](std::uint32_t i, std::uint32_t distance) {
        within[i] = distance <= content_->k[pairs[i].pattern] ? 1 : 0;
    });
}

void GpuPatternSet::distances(std::span<const std::string_view> texts, std::span<std::uint32_t> distances,
                              Counters& counters) {
    content_->match_all(texts, false, counters, [&](std::uint32_t t, std::uint32_t p, std::uint32_t distance) {
        distances[t * size() + p] = distance;
    });
}

void GpuPatternSet::distances(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                              std::span<std::uint32_t> distances, Counters& counters) {
    content_->match_pairs(texts, pairs, false, counters,
                          [&](std::uint32_t i, std::uint32_t distance) { distances[i] = distance; });
}

}  // namespace sluice::edits
