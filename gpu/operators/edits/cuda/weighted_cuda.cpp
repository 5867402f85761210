#include "gpu/operators/edits/cuda/weighted_cuda.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/operators/edits/characters.hpp"
#include "gpu/operators/edits/cuda/weighted_pairs.hpp"
#include "gpu/operators/edits/parts.hpp"

namespace sluice::edits {

namespace {

constexpr std::uint32_t no_index = ~0u;
constexpr std::size_t device_pattern_max = 1024;
constexpr std::uint32_t whole_text_max = 16'384;
constexpr std::uint32_t ascii_symbols = 128;
constexpr std::size_t alignment = 4;  // of texts and patterns
// Texts are cut into parts of about this many characters, or four times the longest substring that matters.
constexpr std::uint64_t part_characters = 1024;
constexpr std::size_t tasks_max = std::size_t{1} << 20;           // of a launch
constexpr std::size_t boundary_words_max = std::size_t{1} << 26;  // 256 MiB
constexpr std::array<std::uint32_t, 3> rows_of_class{8, 16, weighted_rows_max};

std::size_t class_of(std::size_t m) { return m <= rows_of_class[0] ? 0 : m <= rows_of_class[1] ? 1 : 2; }

}  // namespace

struct GpuWeightedSet::Content {
    Extent extent;
    Costs costs;
    std::vector<std::uint32_t> lengths, k;     // [pattern]
    std::map<char32_t, std::uint8_t> symbols;  // of the patterns' characters beyond ASCII
    std::vector<std::uint32_t> cpu_index;      // [pattern]: index in `cpu`, or no_index
    std::unique_ptr<PatternSet> cpu;           // the patterns that no kernel takes
    std::unique_ptr<PatternSet> all;           // for texts that no kernel takes; made when needed
    std::vector<Pattern> patterns;             // for making it; views into `copies`
    std::vector<std::string> copies;
    CostTable table;
    int multiprocessors = 0;
    cuda::Stream stream;
    cuda::DeviceBuffer<std::uint8_t> substitution, pattern_symbols, device_texts;
    cuda::DeviceBuffer<WeightedPattern> device_patterns;
    cuda::DeviceBuffer<WeightedTask> device_tasks;
    cuda::DeviceBuffer<std::uint32_t> boundary, device_results;

    std::vector<std::uint8_t> texts;
    std::vector<std::uint64_t> begin;   // [text]
    std::vector<std::uint32_t> length;  // [text]

    Content(std::span<const Pattern> given, Extent extent_of_all, CostTable cost_table);
    bool add_symbols(std::u32string_view pattern);
    std::uint8_t symbol(char32_t c) const;
    void make_table();
    void load(std::span<const std::string_view> given);
    void run(std::size_t rows_class, std::vector<WeightedTask>& tasks);
    bool takes(const Pair& pair) const;
    // The distance, where the lengths alone decide whether it is within the pattern's bound: 0 or greater than that.
    std::optional<std::uint32_t> decided_by_lengths(const Pair& pair) const;
    void distances(std::span<const std::string_view> given, std::span<const Pair> pairs, bool decide,
                   std::span<std::uint32_t> results, Counters& counters);
    void distances_on_cpu(std::span<const std::string_view> given, std::span<const Pair> pairs,
                          std::span<const std::uint32_t> places, std::span<std::uint32_t> results);
};

GpuWeightedSet::Content::Content(std::span<const Pattern> given, Extent extent_of_all, CostTable cost_table)
    : extent(extent_of_all), costs(cost_table), table(cost_table) {
    if (given.size() > patterns_max)
        throw std::invalid_argument("more than " + std::to_string(patterns_max) + " patterns");
    int device = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
                "cudaDeviceGetAttribute");
    std::vector<std::uint8_t> all_symbols;
    std::vector<WeightedPattern> on_device;
    std::vector<Pattern> on_cpu;
    for (const Pattern& pattern : given) {
        copies.emplace_back(pattern.text);
        const std::u32string x = characters(pattern.text);
        lengths.push_back(static_cast<std::uint32_t>(x.size()));
        k.push_back(pattern.k);
        on_device.push_back({0, 0, 0});
        cpu_index.push_back(no_index);
        if (x.empty()) continue;
        if (x.size() > device_pattern_max || !add_symbols(x)) {
            cpu_index.back() = static_cast<std::uint32_t>(on_cpu.size());
            on_cpu.push_back(pattern);
            continue;
        }
        const std::uint32_t rows = rows_of_class[class_of(x.size())];
        const auto padded = static_cast<std::uint32_t>((x.size() + rows - 1) / rows * rows);
        const auto padding = padded - static_cast<std::uint32_t>(x.size());
        on_device.back() = {static_cast<std::uint32_t>(all_symbols.size()), padded, padding};
        all_symbols.insert(all_symbols.end(), padding, other_symbol);
        for (const char32_t c : x) all_symbols.push_back(symbol(c));
    }
    for (std::size_t p = 0; p < given.size(); ++p) patterns.push_back({copies[p], given[p].k});
    cpu = std::make_unique<PatternSet>(on_cpu, extent, table);
    make_table();
    pattern_symbols = cuda::to_device(std::span<const std::uint8_t>(all_symbols));
    device_patterns = cuda::to_device(std::span<const WeightedPattern>(on_device));
}

// Returns whether there are symbols left for the pattern's characters.
bool GpuWeightedSet::Content::add_symbols(std::u32string_view pattern) {
    auto more = symbols;
    for (const char32_t c : pattern) {
        if (c < ascii_symbols) continue;
        const std::size_t next = ascii_symbols + more.size();
        if (more.try_emplace(c, static_cast<std::uint8_t>(next)).second && next >= other_symbol) return false;
    }
    symbols.swap(more);
    return true;
}

std::uint8_t GpuWeightedSet::Content::symbol(char32_t c) const {
    if (c < ascii_symbols) return static_cast<std::uint8_t>(c);
    const auto known = symbols.find(c);
    return known == symbols.end() ? std::uint8_t{other_symbol} : known->second;
}

void GpuWeightedSet::Content::make_table() {
    std::vector<std::uint8_t> cost_of(std::size_t{weighted_symbols} * weighted_symbols);
    for (std::uint32_t x = 0; x < weighted_symbols; ++x) {
        for (std::uint32_t y = 0; y < weighted_symbols; ++y) {
            std::uint8_t& cost = cost_of[x * weighted_symbols + y];
            if (x == other_symbol)
                cost = extent == Extent::whole ? 255 : 0;
            else if (x != y)
                cost = static_cast<std::uint8_t>(costs.substitution_of_kinds(costs.kind(x), costs.kind(y)));
        }
    }
    substitution = cuda::to_device(std::span<const std::uint8_t>(cost_of));
}

void GpuWeightedSet::Content::load(std::span<const std::string_view> given) {
    texts.clear();
    begin.clear();
    length.clear();
    for (const std::string_view text : given) {
        if (text.size() > text_bytes_max)
            throw std::invalid_argument("a text has " + std::to_string(text.size()) + " bytes; at most " +
                                        std::to_string(text_bytes_max) + " can be searched");
        begin.push_back(texts.size());
        for (std::size_t at = 0; at < text.size();) {
            const auto byte = static_cast<unsigned char>(text[at]);
            const Character c = byte < ascii_symbols ? Character{byte, 1} : first_character(text.substr(at));
            texts.push_back(symbol(c.code));
            at += c.bytes;
        }
        length.push_back(static_cast<std::uint32_t>(texts.size() - begin.back()));
        texts.resize((texts.size() + alignment - 1) / alignment * alignment, other_symbol);
    }
    device_texts.reserve(texts.size());
    cuda::copy_to_device(device_texts.data(), std::span<const std::uint8_t>(texts), stream);
}

void GpuWeightedSet::Content::run(std::size_t rows_class, std::vector<WeightedTask>& tasks) {
    if (tasks.empty()) return;
    // The tasks of a warp take equally long.
    const auto passes = [&](const WeightedTask& task) { return lengths[task.pattern] / rows_of_class[rows_class]; };
    const bool has_passes = rows_class + 1 == rows_of_class.size();
    if (has_passes)
        std::stable_sort(tasks.begin(), tasks.end(),
                         [&](const WeightedTask& a, const WeightedTask& b) { return passes(a) < passes(b); });
    const auto count = static_cast<std::uint32_t>(tasks.size());
    std::uint32_t threads = weighted_threads(rows_of_class[rows_class], count, multiprocessors);
    if (has_passes) {
        std::size_t longest = 1;
        for (const WeightedTask& task : tasks) longest = std::max<std::size_t>(longest, task.length);
        const std::size_t block = weighted_threads(rows_of_class[rows_class], 1, multiprocessors);
        threads = static_cast<std::uint32_t>(
            std::clamp(boundary_words_max / longest / block * block, block, std::size_t{threads}));
        boundary.reserve(longest * threads);
    }
    device_tasks.reserve(tasks.size());
    cuda::copy_to_device(device_tasks.data(), std::span<const WeightedTask>(tasks), stream);
    const WeightedInput input{device_tasks.data(),    count,
                              device_patterns.data(), pattern_symbols.data(),
                              device_texts.data(),    has_passes ? boundary.data() : nullptr};
    const WeightedCosts on_device{static_cast<int>(costs.deletion()), static_cast<int>(costs.insertion()),
                                  substitution.data()};
    enqueue_weighted(rows_of_class[rows_class], input, extent, on_device, threads, device_results.data(), stream);
    stream.wait();  // the tasks belong to the caller
    tasks.clear();
}

bool GpuWeightedSet::Content::takes(const Pair& pair) const {
    return cpu_index[pair.pattern] == no_index && (extent == Extent::substring || length[pair.text] <= whole_text_max);
}

std::optional<std::uint32_t> GpuWeightedSet::Content::decided_by_lengths(const Pair& pair) const {
    const std::uint64_t m = lengths[pair.pattern], n = length[pair.text], bound = k[pair.pattern];
    const bool whole = extent == Extent::whole;
    const std::uint64_t least = m > n ? (m - n) * costs.deletion() : whole ? (n - m) * costs.insertion() : 0;
    if (least > bound) return no_index;
    if (!whole && m * costs.deletion() <= bound) return 0;
    return std::nullopt;
}

void GpuWeightedSet::Content::distances_on_cpu(std::span<const std::string_view> given, std::span<const Pair> pairs,
                                               std::span<const std::uint32_t> places,
                                               std::span<std::uint32_t> results) {
    std::vector<Pair> of_cpu, of_all;
    std::vector<std::uint32_t> places_of_cpu, places_of_all;
    for (const std::uint32_t i : places) {
        const auto [text, pattern] = pairs[i];
        const bool is_of_cpu = cpu_index[pattern] != no_index;
        (is_of_cpu ? of_cpu : of_all).push_back({text, is_of_cpu ? cpu_index[pattern] : pattern});
        (is_of_cpu ? places_of_cpu : places_of_all).push_back(i);
    }
    if (!of_all.empty() && !all) all = std::make_unique<PatternSet>(patterns, extent, table);
    const auto compute = [&](const PatternSet& set, const std::vector<Pair>& asked,
                             const std::vector<std::uint32_t>& places_of_asked) {
        std::vector<std::uint32_t> found(asked.size());
        Counters uncounted;
        set.distances(given, asked, found, uncounted);
        for (std::size_t i = 0; i < asked.size(); ++i) results[places_of_asked[i]] = found[i];
    };
    if (!of_cpu.empty()) compute(*cpu, of_cpu, places_of_cpu);
    if (!of_all.empty()) compute(*all, of_all, places_of_all);
}

void GpuWeightedSet::Content::distances(std::span<const std::string_view> given, std::span<const Pair> pairs,
                                        bool decide, std::span<std::uint32_t> results, Counters& counters) {
    load(given);
    counters.texts += given.size();
    device_results.reserve(std::bit_ceil(std::max<std::size_t>(pairs.size(), 1)));  // with room for larger calls
    cuda::check(cudaMemsetAsync(device_results.data(), 0xFF, pairs.size() * sizeof(std::uint32_t), stream), "memset");
    std::array<std::vector<WeightedTask>, rows_of_class.size()> tasks;
    std::vector<std::uint32_t> on_cpu;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> known;  // place, distance
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        const std::uint32_t m = lengths[pairs[i].pattern], n = length[pairs[i].text];
        counters.cells += std::uint64_t{m} * n;
        if (m == 0) {
            known.emplace_back(i, extent == Extent::whole ? n * costs.insertion() : 0);
            continue;
        }
        if (const auto distance = decide ? decided_by_lengths(pairs[i]) : std::nullopt) {
            known.emplace_back(i, *distance);
            continue;
        }
        if (!takes(pairs[i])) {
            on_cpu.push_back(i);
            continue;
        }
        const std::uint64_t overlap = costs.longest_substring(m);
        const std::uint64_t parts = extent == Extent::whole ? 1 : n / std::max(part_characters, 4 * overlap) + 1;
        auto& of_class = tasks[class_of(m)];
        const auto add = [&](const Part& part) {
            of_class.push_back(
                {begin[pairs[i].text] + part.begin, static_cast<std::uint32_t>(part.length), pairs[i].pattern, i});
        };
        if (parts == 1) {
            add({0, n});
        } else {
            for (const Part& part : cut_text(n, overlap, parts, alignment)) add(part);
        }
        if (of_class.size() >= tasks_max) run(class_of(m), of_class);
    }
    for (std::size_t c = 0; c < tasks.size(); ++c) run(c, tasks[c]);
    cuda::copy_to_host(results, device_results.data(), stream);
    stream.wait();
    for (const auto& [place, distance] : known) results[place] = distance;
    distances_on_cpu(given, pairs, on_cpu, results);
}

GpuWeightedSet::GpuWeightedSet(std::span<const Pattern> patterns, Extent extent, CostTable costs)
    : content_(std::make_unique<Content>(patterns, extent, costs)) {}
GpuWeightedSet::GpuWeightedSet(GpuWeightedSet&&) noexcept = default;
GpuWeightedSet& GpuWeightedSet::operator=(GpuWeightedSet&&) noexcept = default;
GpuWeightedSet::~GpuWeightedSet() = default;

void GpuWeightedSet::decide(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                            std::span<std::uint8_t> within, Counters& counters) {
    std::vector<std::uint32_t> found(pairs.size());
    content_->distances(texts, pairs, true, found, counters);
    for (std::size_t i = 0; i < pairs.size(); ++i) within[i] = found[i] <= content_->k[pairs[i].pattern] ? 1 : 0;
}

void GpuWeightedSet::distances(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                               std::span<std::uint32_t> distances, Counters& counters) {
    content_->distances(texts, pairs, false, distances, counters);
}

}  // namespace sluice::edits
