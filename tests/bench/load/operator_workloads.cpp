#include "tests/bench/load/operator_workloads.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "gpu/operators/edits/reference.hpp"
#include "gpu/operators/recurrence/reference.hpp"
#include "gpu/operators/recurrence/series.hpp"
#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/parse.hpp"

namespace sluice::load {

namespace {

constexpr std::string_view lower_case = "abcdefghijklmnopqrstuvwxyz", bases = "ACGT";
constexpr std::size_t filters_of_category = 50, made_up_titles = 2'000, title_words = 9, samples = 4'096;
constexpr std::ptrdiff_t letters_min = 4;
constexpr std::size_t pattern_bytes_min = 8, pattern_bytes_max = 24, changes_max = 3, word_bytes = 4;
constexpr std::uint32_t edits = 2;
// Stands between an item's number and its title. No pattern can match across it within its edits, so what holds for a
// title holds whatever number precedes it. (Patterns have no bars, and more letters than the number.)
const std::string fence = "||||";
constexpr std::size_t sequence_bases = 300, planted_bases = 150, too_few_bases = 60;
constexpr std::size_t series_points = 1'000, series_count = 16, epsilons = 20, thresholds = 50;

std::string escaped(const std::string& text) {
    std::string xml;
    for (const char c : text) {
        if (c == '&')
            xml += "&amp;";
        else if (c == '<')
            xml += "&lt;";
        else
            xml += c;
    }
    return xml;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Makes a text fit between single quotes in a filter, and in one line of a document.
std::string plain(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ' || c == '\'' || c == '"' || c == '|' || c == '>') c = ' ';
    }
    return text;
}

// Calls work(item) for each, on any thread.
template <class Item, class Work>
void on_all_cores(std::vector<Item>& items, Work work) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads(std::max(1u, std::thread::hardware_concurrency()));
    for (std::thread& thread : threads) {
        thread = std::thread([&] {
            for (std::size_t i = next++; i < items.size(); i = next++) work(items[i]);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TitleWorkload::TitleWorkload(const WorkloadOptions& options, Asks asks)
    : Workload(options.connections, options.seed), asks_(asks) {
    options.feeds.empty() ? invent_titles() : read_titles(options.feeds);
    by_category_.resize(std::max<std::size_t>(1, options.filters / filters_of_category));
    while (filters_.size() < options.filters) {
        Filter filter = asks == Asks::matches ? matches_filter() : approximate_filter();
        if (filter.first.empty()) continue;
        filter.category = below(by_category_.size());
        filter.connection = filters_.size() % options.connections;
        const std::string condition =
            asks == Asks::matches ? "matches(title,'" + filter.first + ".*" + filter.second + "')"
                                  : "approx-contains(title,'" + filter.first + "'," + std::to_string(edits) + ")";
        add_filter(filter.connection, "category='c" + std::to_string(filter.category) + "' and " + condition);
        by_category_[filter.category].push_back(filters_.size());
        filters_.push_back(std::move(filter));
    }
    for (std::size_t i = 0; i < samples; ++i) samples_.push_back(sample());
}

void TitleWorkload::read_titles(const std::string& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        std::string text(std::istreambuf_iterator<char>(file), {});
        const auto document = feed::parse_document(std::move(text), {});
        if (!document) continue;
        for (const auto& item : (*document)->items()) {
            const feed::Fields fields = feed::read_fields(**document, item);
            if (fields.title && fields.title->size() > pattern_bytes_max)
                titles_.push_back(plain(std::string(*fields.title)));
        }
    }
    std::sort(titles_.begin(), titles_.end());  // directory order is arbitrary
    if (titles_.empty()) throw std::runtime_error("no titles in feeds of " + folder);
}

void TitleWorkload::invent_titles() {
    std::vector<std::string> vocabulary(2'000);
    for (std::string& word : vocabulary) word = letters(lower_case, 3 + below(8));
    titles_.resize(made_up_titles);
    for (std::string& title : titles_) {
        for (std::size_t i = 0; i < title_words; ++i)
            title += (i == 0 ? "" : " ") + vocabulary[below(vocabulary.size())];
    }
}

// A part of a title, with some letters changed.
TitleWorkload::Filter TitleWorkload::approximate_filter() {
    Filter filter{{}, {}, below(titles_.size()), 0, 0};
    const std::string& title = titles_[filter.title];
    std::size_t begin = below(title.size());
    std::size_t end = begin + pattern_bytes_min + below(pattern_bytes_max - pattern_bytes_min + 1);
    if (end > title.size()) return filter;
    while (begin > 0 && is_continuation(title[begin])) --begin;
    while (end < title.size() && is_continuation(title[end])) ++end;
    const std::string part = title.substr(begin, end - begin);
    if (std::count_if(part.begin(), part.end(), is_letter) < letters_min) return filter;
    filter.first = part;
    for (std::size_t n = below(changes_max + 1); n > 0; --n) {
        char& c = filter.first[below(filter.first.size())];
        if (is_letter(c)) c = lower_case[below(lower_case.size())];
    }
    return filter;
}

// Two words, in the order in which they occur in a title.
TitleWorkload::Filter TitleWorkload::matches_filter() {
    Filter filter{{}, {}, below(titles_.size()), 0, 0};
    const std::string& title = titles_[filter.title];
    const std::string first = title.substr(below(title.size() / 2), word_bytes);
    const std::string second = title.substr(title.size() / 2 + below(title.size() / 2), word_bytes);
    const auto is_word = [](const std::string& s) {
        return s.size() == word_bytes && std::all_of(s.begin(), s.end(), is_letter);
    };
    if (is_word(first) && is_word(second)) {
        filter.first = first;
        filter.second = second;
    }
    return filter;
}

bool TitleWorkload::holds(const Filter& filter, const std::string& title) const {
    if (asks_ == Asks::approximate) return edits::approx_distance(title, filter.first) <= edits;
    const std::size_t at = title.find(filter.first);
    return at != std::string::npos && title.find(filter.second, at + filter.first.size()) != std::string::npos;
}

TitleWorkload::Sample TitleWorkload::sample() {
    const bool related = below(2) == 0 && !filters_.empty();
    const Filter* origin = related ? &filters_[below(filters_.size())] : nullptr;
    const std::size_t title = related ? origin->title : below(titles_.size());
    return {title, related ? origin->category : below(by_category_.size()), {}};
}

void TitleWorkload::prepare() {
    on_all_cores(samples_, [this](Sample& sample) { compute(sample); });
}

void TitleWorkload::compute(Sample& sample) const {
    if (sample.connections) return;
    sample.connections.emplace();
    for (const std::size_t f : by_category_[sample.category]) {
        if (holds(filters_[f], titles_[sample.title])) sample.connections->push_back(filters_[f].connection);
    }
}

Workload::Item TitleWorkload::next_item(std::uint64_t) {
    Sample& sample = samples_[below(samples_.size())];
    compute(sample);
    return {fence + escaped(titles_[sample.title]), "c" + std::to_string(sample.category), {}, *sample.connections};
}

AlignWorkload::AlignWorkload(const WorkloadOptions& options) : Workload(options.connections, options.seed) {
    for (std::size_t f = 0; f < options.filters; ++f) {
        queries_.push_back({letters(bases, sequence_bases), f % options.connections});
        add_filter(queries_.back().connection, "align(sequence,'" + queries_.back().sequence + "') >= 100");
    }
}

Workload::Item AlignWorkload::next_item(std::uint64_t) {
    Item item{"a sequence", "sequences", {}, {}};
    std::string sequence = letters(bases, sequence_bases);
    if (below(2) == 0 && !queries_.empty()) {
        const Query& query = queries_[below(queries_.size())];
        const bool enough = below(2) == 0;
        const std::size_t size = enough ? planted_bases : too_few_bases;
        std::string part = query.sequence.substr(below(sequence_bases - size), size);
        if (enough) {
            for (int i = 0; i < 3; ++i) part[below(size)] = bases[below(bases.size())];
            item.connections.push_back(query.connection);
        }
        sequence.replace(below(sequence_bases - size), size, part);
    }
    item.elements = "<sequence>" + sequence + "</sequence>";
    return item;
}

// A threshold between the occurring differences, so that rounding does not matter.
double LaminarityWorkload::epsilon(std::size_t filter) const {
    return 0.0005 + 0.01 * static_cast<double>(1 + filter % epsilons);
}
double LaminarityWorkload::threshold(std::size_t filter) const {
    return 0.5003 + 0.01 * static_cast<double>(filter / epsilons % thresholds);
}

LaminarityWorkload::LaminarityWorkload(const WorkloadOptions& options)
    : Workload(options.connections, options.seed), filters_(options.filters), connections_(options.connections) {
    for (std::size_t f = 0; f < filters_; ++f)
        add_filter(f % connections_,
                   "laminarity(series," + std::to_string(epsilon(f)) + ") > " + std::to_string(threshold(f)));
    for (std::size_t s = 0; s < series_count; ++s) series_.push_back({noise_and_rest(), {}});
}

std::string LaminarityWorkload::noise_and_rest() {
    std::string text;
    const std::size_t rest_share = below(100);
    std::uint32_t level = 0;
    for (std::size_t i = 0; i < series_points; ++i) {
        if (i % 10 == 0) level = below(1'000);
        const std::uint32_t value = below(100) < rest_share ? level : below(1'000);
        text += std::to_string(0.001 * value) + " ";
    }
    return text;
}

void LaminarityWorkload::prepare() {
    on_all_cores(series_, [this](Series& series) { compute(series); });
}

void LaminarityWorkload::compute(Series& series) const {
    if (!series.laminarity.empty()) return;
    std::vector<double> values;
    recurrence::parse_series(series.text, values);
    for (std::size_t e = 0; e < epsilons; ++e)
        series.laminarity.push_back(recurrence::reference_lines(values, epsilon(e)).laminarity());
}

// Trailing blanks make texts of one series differ, so that no answer can be reused.
Workload::Item LaminarityWorkload::next_item(std::uint64_t number) {
    Series& series = series_[below(series_.size())];
    compute(series);
    Item item{"readings", "sensors", "<series>" + series.text + std::string(number % 61, ' ') + "</series>", {}};
    for (std::size_t f = 0; f < filters_; ++f) {
        if (series.laminarity[f % epsilons] > threshold(f)) item.connections.push_back(f % connections_);
    }
    return item;
}

}  // namespace sluice::load
