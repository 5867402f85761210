#include "tests/bench/load/mixed_workload.hpp"

#include <algorithm>
#include <unordered_set>

namespace sluice::load {

namespace {

constexpr std::size_t filters_unit = 10'000;  // the number of filters that the sizes below are for
constexpr std::uint32_t categories_per_unit = 7'000, prices_per_unit = 1'000'000;
constexpr std::size_t words_per_unit = 20'000;
constexpr std::size_t title_words = 8;
constexpr std::uint32_t band_width = 350;
constexpr std::uint32_t top_prices = 700;

}  // namespace

// Words have one length and no blanks, so a title contains a word only where it was put.
MixedWorkload::MixedWorkload(const WorkloadOptions& options) : Workload(options.connections, options.seed) {
    const auto units = static_cast<std::uint32_t>(std::max<std::size_t>(1, options.filters / filters_unit));
    categories_ = units * categories_per_unit;
    prices_ = units * prices_per_unit;
    by_category_.resize(categories_);
    by_price_.resize(prices_ / prices_in_bucket);
    std::unordered_set<std::string> seen;
    while (vocabulary_.size() < units * words_per_unit) {
        auto [place, fresh] = seen.insert(letters("abcdefghijklmnopqrstuvwxyz", 7));
        if (fresh) vocabulary_.push_back(*place);
    }
    for (std::size_t f = 0; f < options.filters; ++f)
        add_filter_of(f / options.connections % 10, f % options.connections);
}

void MixedWorkload::add_filter_of(std::size_t kind, std::size_t connection) {
    std::string text;
    if (kind < 7) {
        const auto category = below(categories_);
        by_category_[category].push_back(connection);
        text = "category='topic-" + std::to_string(category) + "'";
    } else if (kind < 9) {
        Band band{0, prices_, connection};
        if (kind == 7) {
            band.from = below(prices_ - band_width);
            band.below = band.from + band_width;
            text = "price >= " + std::to_string(band.from) + " and price < " + std::to_string(band.below);
        } else {
            band.from = prices_ - 1 - below(top_prices);
            text = "price >= " + std::to_string(band.from);
        }
        const auto last = (band.below - 1) / prices_in_bucket;
        for (auto b = band.from / prices_in_bucket; b <= last; ++b) by_price_[b].push_back(band);
    } else {
        const auto& word = vocabulary_[below(vocabulary_.size())];
        by_word_[word].push_back(connection);
        text = "contains(title,'" + word + "')";
    }
    add_filter(connection, std::move(text));
}

Workload::Item MixedWorkload::next_item(std::uint64_t) {
    Item item;
    const auto receive = [&](const std::vector<std::size_t>& connections) {
        item.connections.insert(item.connections.end(), connections.begin(), connections.end());
    };
    std::unordered_set<std::string_view> in_title;
    for (std::size_t i = 0; i < title_words; ++i) {
        const auto& word = vocabulary_[below(vocabulary_.size())];
        item.title.append(i == 0 ? "" : " ").append(word);
        const auto found = by_word_.find(word);
        if (found != by_word_.end() && in_title.insert(word).second) receive(found->second);
    }
    const auto category = below(categories_);
    receive(by_category_[category]);
    item.category = "topic-" + std::to_string(category);
    const auto price = below(prices_);
    for (const auto& band : by_price_[price / prices_in_bucket]) {
        if (price >= band.from && price < band.below) item.connections.push_back(band.connection);
    }
    item.elements = "<price>" + std::to_string(price) + "</price>";
    return item;
}

}  // namespace sluice::load
