#include "gpu/operators/edits/cuda/gpu_pattern_content.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>

#include "gpu/operators/edits/characters.hpp"
#include "gpu/operators/edits/parts.hpp"

namespace sluice::edits {

GpuPatternContent::GpuPatternContent(std::span<const Pattern> patterns, Extent extent_of_all) : extent(extent_of_all) {
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

void GpuPatternContent::add_symbols(std::span<const std::u32string> all) {
    for (const auto& pattern : all) alphabet.add(pattern);
    symbol_of.assign(alphabet.size(), 0);
    for (const auto& pattern : all) {
        for (const char32_t c : pattern) {
            std::uint16_t& symbol = symbol_of[alphabet.class_of(c)];
            if (symbol == 0 && symbols <= classes_max) symbol = static_cast<std::uint16_t>(symbols++);
        }
    }
}

void GpuPatternContent::add_size(std::uint32_t words, std::span<const std::uint32_t> ids,
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
void GpuPatternContent::load_symbols(std::vector<Symbol>& all, std::span<const std::string_view> given,
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

void GpuPatternContent::load(std::span<const std::string_view> given, bool margins) {
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

void GpuPatternContent::load_pieces(const std::vector<TextPiece>& pieces) {
    texts.pieces.reserve(pieces.size());
    cuda::copy_to_device(texts.pieces.data(), std::span<const TextPiece>(pieces), stream);
    stream.wait();  // `pieces` belongs to the caller
}

std::vector<TextPiece> GpuPatternContent::pieces_of_texts(std::uint64_t overlap) const {
    std::vector<TextPiece> pieces;
    for (std::uint32_t t = 0; t < texts.begin.size(); ++t) {
        const std::uint64_t n = texts.length[t], parts = extent == Extent::whole ? 1 : n / piece_symbols + 1;
        for (const Part& part : cut_text(n, overlap, parts, 16))
            pieces.push_back({texts.begin[t] + part.begin, static_cast<std::uint32_t>(part.length), t});
    }
    return pieces;
}

}  // namespace sluice::edits
