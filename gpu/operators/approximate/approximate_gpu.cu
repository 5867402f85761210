#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>

#include "gpu/cuda/device.hpp"
#include "gpu/operators/approximate/alphabet.hpp"
#include "gpu/operators/approximate/approximate_gpu.hpp"
#include "gpu/operators/approximate/characters.hpp"
#include "gpu/operators/approximate/device_groups.hpp"
#include "gpu/operators/approximate/myers_long.hpp"
#include "gpu/operators/approximate/myers_many.hpp"
#include "gpu/operators/approximate/parts.hpp"

namespace sluice::approximate {

namespace {

constexpr std::uint32_t warp_size = 32;
constexpr std::uint32_t lane_pattern_max = lane_words_max * lane_rows;
constexpr std::uint32_t classes_max = 65'535;
// Sets of no more patterns than this lay them across warps: lanes of patterns would leave most of the chip idle.
constexpr std::size_t long_patterns_max = 8;
// Longer texts are cut, so that no warp works long alone.
constexpr std::uint64_t piece_symbols = 8192;
// Results of a launch.
constexpr std::size_t results_max = std::size_t{1} << 26;
constexpr std::uint32_t none = ~0u;

// The patterns of one size. A slot of all sizes is first_slot more than of this.
struct Size {
    std::uint32_t first_slot = 0;
    GroupsOnDevice groups;
};

struct Long {
    std::uint32_t pattern;
    LongTable host;
    cuda::DeviceBuffer<std::uint32_t> row_of, table;

    DeviceLongPattern device(std::uint32_t bound) const {
        return {host.layout, host.m, host.rows, row_of.data(), table.data(), bound};
    }
};

// Texts on the device, as symbols: 0 for a character of no pattern.
struct Texts {
    std::vector<std::uint8_t> bytes;    // if the classes are few, else
    std::vector<std::uint16_t> shorts;  // this
    std::vector<std::uint64_t> begin;
    std::vector<std::uint32_t> length;
    std::uint64_t symbols = 0;
    cuda::DeviceBuffer<std::uint8_t> device_bytes;
    cuda::DeviceBuffer<std::uint16_t> device_shorts, rows;
    cuda::DeviceBuffer<TextPiece> pieces;
    cuda::DeviceBuffer<PiecePair> pairs;
    cuda::DeviceBuffer<std::uint32_t> results;
};

}  // namespace

struct GpuPatternSet::Content {
    Extent extent;
    std::vector<std::uint32_t> lengths, k;
    Alphabet alphabet;
    std::vector<std::uint16_t> symbol_of;  // [class of the alphabet]
    std::uint32_t symbols = 1;
    std::vector<Size> sizes;
    std::vector<std::uint32_t> slot_of;  // [pattern]; none: of no size
    std::uint32_t slots = 0;
    std::vector<Long> longs;
    bool all_long = false;
    std::vector<std::uint32_t> cpu_patterns;  // that no kernel takes for a pair
    std::vector<std::uint32_t> cpu_index;     // [pattern]: in cpu_patterns, or none
    std::unique_ptr<PatternSet> cpu;
    int multiprocessors = 0;
    cuda::Stream stream;
    Texts texts;

    Content(std::span<const Pattern> patterns, Extent extent_of_all);
    void add_symbols(std::span<const std::u32string> all);
    void add_size(std::uint32_t words, std::span<const std::uint32_t> ids,
                  std::span<const std::vector<std::uint32_t>> classes);
    void load(std::span<const std::string_view> given, bool margins);
    template <class Symbol>
    void load_symbols(std::vector<Symbol>& all, std::span<const std::string_view> given, std::uint64_t margin);
    void load_pieces(const std::vector<TextPiece>& pieces);
    std::vector<TextPiece> pieces_of_texts(std::uint64_t overlap) const;
    template <class F>
    void with_texts(F f) {
        symbols <= 256 ? f(texts.device_bytes.data()) : f(texts.device_shorts.data());
    }
    void run_groups(bool decide, std::span<std::uint32_t> results);
    std::vector<std::uint32_t> run_long(const Long& pattern, bool decide);
    // each(text, pattern, distance), decide: only whether it is within the bound matters.
    template <class Each>
    void match_all(std::span<const std::string_view> given, bool decide, Counters& counters, Each each);
    template <class Each>
    void match_some(std::span<const std::string_view> given, bool decide, Counters& counters, Each each);
    template <class Each>
    void match_pairs(std::span<const std::string_view> given, std::span<const Pair> pairs, bool decide,
                     Counters& counters, Each each);
    std::uint32_t distance_of_empty(std::uint32_t text_characters) const {
        return extent == Extent::whole ? text_characters : 0;
    }
};

GpuPatternSet::Content::Content(std::span<const Pattern> patterns, Extent extent_of_all) : extent(extent_of_all) {
    int device = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
    if (patterns.size() > patterns_max) throw std::invalid_argument("there are too many patterns");
    std::vector<std::u32string> all;
    for (const Pattern& pattern : patterns) {
        if (const std::string why = refusal(pattern.text); !why.empty()) throw std::invalid_argument(why);
        all.push_back(characters(pattern.text));
        lengths.push_back(static_cast<std::uint32_t>(all.back().size()));
        k.push_back(pattern.k);
    }
    add_symbols(all);
    std::vector<std::vector<std::uint32_t>> classes(all.size());
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_words;
    for (std::uint32_t p = 0; p < all.size(); ++p) {
        bool known = true;
        for (const char32_t c : all[p]) {
            classes[p].push_back(symbol_of[alphabet.class_of(c)]);
            known = known && classes[p].back() != 0;
        }
        const std::uint32_t m = lengths[p];
        const bool in_lane = known && m <= lane_pattern_max;
        if (in_lane && m > 0) by_words[std::bit_ceil((m + lane_rows - 1) / lane_rows)].push_back(p);
        if (!in_lane) cpu_patterns.push_back(p);
        if (known && m > 0 && extent == Extent::substring &&
            (m > lane_pattern_max || all.size() <= long_patterns_max)) {
            longs.push_back({p, long_table(classes[p], symbols), {}, {}});
            longs.back().row_of = cuda::to_device(std::span<const std::uint32_t>(longs.back().host.row_of));
            longs.back().table = cuda::to_device(std::span<const std::uint32_t>(longs.back().host.table));
        }
    }
    all_long = extent == Extent::substring && all.size() <= long_patterns_max;
    slot_of.assign(all.size(), none);
    for (auto& [words, ids] : by_words) {
        std::ranges::stable_sort(ids, {}, [&](std::uint32_t p) { return lengths[p]; });
        add_size(words, ids, classes);
    }
    cpu_index.assign(all.size(), none);
    std::vector<Pattern> rest;
    for (const std::uint32_t p : cpu_patterns) {
        cpu_index[p] = static_cast<std::uint32_t>(rest.size());
        rest.push_back(patterns[p]);
    }
    cpu = std::make_unique<PatternSet>(rest, extent);
}

void GpuPatternSet::Content::add_symbols(std::span<const std::u32string> all) {
    for (const auto& pattern : all) alphabet.add(pattern);
    symbol_of.assign(alphabet.size(), 0);
    for (const auto& pattern : all) {
        for (const char32_t c : pattern) {
            std::uint16_t& symbol = symbol_of[alphabet.class_of(c)];
            if (symbol == 0 && symbols <= classes_max) symbol = static_cast<std::uint16_t>(symbols++);
        }
    }
}

void GpuPatternSet::Content::add_size(std::uint32_t words, std::span<const std::uint32_t> ids,
                                      std::span<const std::vector<std::uint32_t>> classes) {
    std::vector<std::span<const std::uint32_t>> patterns;
    std::vector<std::uint32_t> bounds;
    for (const std::uint32_t p : ids) {
        slot_of[p] = slots + static_cast<std::uint32_t>(patterns.size());
        patterns.push_back(classes[p]);
        bounds.push_back(k[p]);
    }
    sizes.push_back({slots, GroupsOnDevice(words, patterns, bounds, symbols, extent)});
    slots += sizes.back().groups.slots();
}

template <class Symbol>
void GpuPatternSet::Content::load_symbols(std::vector<Symbol>& all, std::span<const std::string_view> given,
                                          std::uint64_t margin) {
    constexpr std::size_t piece = 16 / sizeof(Symbol);
    all.clear();
    texts.begin.clear();
    texts.length.clear();
    all.resize(margin, 0);
    for (const std::string_view text : given) {
        if (text.size() > text_bytes_max)
            throw std::invalid_argument("a text has " + std::to_string(text.size()) + " bytes; at most " +
                                        std::to_string(text_bytes_max) + " can be searched");
        texts.begin.push_back(all.size());
        for (std::size_t at = 0; at < text.size();) {
            const auto byte = static_cast<unsigned char>(text[at]);
            const Character c = byte < 128 ? Character{byte, 1} : first_character(text.substr(at));
            all.push_back(static_cast<Symbol>(symbol_of[alphabet.class_of(c.code)]));
            at += c.bytes;
        }
        texts.length.push_back(static_cast<std::uint32_t>(all.size() - texts.begin.back()));
        all.resize((all.size() + margin + piece - 1) / piece * piece, 0);
    }
    texts.symbols = all.size();
}

void GpuPatternSet::Content::load(std::span<const std::string_view> given, bool margins) {
    const std::uint64_t margin = margins ? long_margin : 0;
    if (symbols <= 256) {
        load_symbols(texts.bytes, given, margin);
        texts.device_bytes.reserve(texts.bytes.size());
        cuda::copy_to_device(texts.device_bytes.data(), std::span<const std::uint8_t>(texts.bytes), stream);
    } else {
        load_symbols(texts.shorts, given, margin);
        texts.device_shorts.reserve(texts.shorts.size());
        cuda::copy_to_device(texts.device_shorts.data(), std::span<const std::uint16_t>(texts.shorts), stream);
    }
}

void GpuPatternSet::Content::load_pieces(const std::vector<TextPiece>& pieces) {
    texts.pieces.reserve(pieces.size());
    cuda::copy_to_device(texts.pieces.data(), std::span<const TextPiece>(pieces), stream);
    stream.wait();  // `pieces` is the caller's
}

std::vector<TextPiece> GpuPatternSet::Content::pieces_of_texts(std::uint64_t overlap) const {
    std::vector<TextPiece> pieces;
    for (std::uint32_t t = 0; t < texts.begin.size(); ++t) {
        const std::uint64_t n = texts.length[t], parts = extent == Extent::whole ? 1 : n / piece_symbols + 1;
        for (const Part& part : cut_text(n, overlap, parts, 16))
            pieces.push_back({texts.begin[t] + part.begin, static_cast<std::uint32_t>(part.length), t});
    }
    return pieces;
}

// results[t * slots + slot] or, if decide, the bits of [t * slots / 32 + slot / 32].
void GpuPatternSet::Content::run_groups(bool decide, std::span<std::uint32_t> results) {
    texts.results.reserve(results.size());
    cuda::check(cudaMemsetAsync(texts.results.data(), decide ? 0 : 0xFF, results.size_bytes(), stream), "memset");
    for (const Size& size : sizes) {
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

// [text]: the distance, or, if decide, one that is within the bound if any is.
std::vector<std::uint32_t> GpuPatternSet::Content::run_long(const Long& pattern, bool decide) {
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
void GpuPatternSet::Content::match_all(std::span<const std::string_view> given, bool decide, Counters& counters,
                                       Each each) {
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
void GpuPatternSet::Content::match_some(std::span<const std::string_view> given, bool decide, Counters& counters,
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
    for (const Long& pattern : longs) {
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
    // Patterns that are in no lane, and were not long.
    std::vector<Pair> pairs;
    std::vector<std::uint32_t> ids;
    for (const std::uint32_t p : cpu_patterns) {
        if (std::ranges::find(longs, p, &Long::pattern) != longs.end()) continue;
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
void GpuPatternSet::Content::match_pairs(std::span<const std::string_view> given, std::span<const Pair> pairs,
                                         bool decide, Counters& counters, Each each) {
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
    for (const Size& size : sizes) {
        std::vector<PiecePair> of_size;
        std::vector<std::uint32_t> ids;
        for (std::uint32_t i = 0; i < pairs.size(); ++i) {
            const std::uint32_t slot = slot_of[pairs[i].pattern];
            if (slot == none || slot < size.first_slot || slot >= size.first_slot + size.groups.slots()) continue;
            of_size.push_back({pairs[i].text, slot - size.first_slot});
            ids.push_back(i);
        }
        if (ids.empty()) continue;
        texts.pairs.reserve(std::bit_ceil(ids.size()));  // the next call may need somewhat more
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
    : content_(std::make_unique<Content>(patterns, extent)) {}
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

}  // namespace sluice::approximate
