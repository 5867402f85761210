#include "tests/bench/load/workload.hpp"

#include <algorithm>
#include <unordered_set>

namespace sluice::load {

namespace {

constexpr std::size_t filters_unit = 10'000;  // as many filters as what follows is for
constexpr std::uint32_t categories_per_unit = 7'000, prices_per_unit = 1'000'000;
constexpr std::size_t words_per_unit = 20'000;
constexpr std::size_t title_words = 8;
constexpr std::uint32_t band_width = 350;
constexpr std::uint32_t top_prices = 700;

}  // namespace

Workload::Workload(std::size_t filters, std::size_t connections, std::uint64_t seed)
    : random_(seed), filters_(connections) {
    const auto units = static_cast<std::uint32_t>(std::max<std::size_t>(1, filters / filters_unit));
    categories_ = units * categories_per_unit;
    prices_ = units * prices_per_unit;
    by_category_.resize(categories_);
    by_price_.resize(prices_ / prices_in_bucket);
    std::unordered_set<std::string> seen;
    while (vocabulary_.size() < units * words_per_unit) {
        if (auto [place, fresh] = seen.insert(word()); fresh) vocabulary_.push_back(*place);
    }
    for (std::size_t f = 0; f < filters; ++f) add_filter(f % connections, f / connections % 10);
}

// Words have one length and no blanks, so that a word is contained in a title only where it was put there.
std::string Workload::word() {
    std::string text(7, ' ');
    for (char& c : text) c = static_cast<char>('a' + below(26));
    return text;
}

void Workload::add_filter(std::size_t connection, std::size_t kind) {
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
        const auto& word = vocabulary_[below(static_cast<std::uint32_t>(vocabulary_.size()))];
        by_word_[word].push_back(connection);
        text = "contains(title,'" + word + "')";
    }
    filters_[connection].push_back(std::move(text));
}

void Workload::receive(const std::vector<std::size_t>& connections, Receivers& receivers) {
    receivers.insert(receivers.end(), connections.begin(), connections.end());
    matched_ += connections.size();
}

Receivers Workload::make_item(std::uint64_t number, std::string& document) {
    Receivers receivers;
    const auto name = std::to_string(number);
    document =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>Load</title>"
        "<link>http://feeds.example/</link><description>Items to measure with</description>\n<item><title>e";
    document += name;
    std::unordered_set<std::string_view> in_title;
    for (std::size_t i = 0; i < title_words; ++i) {
        const auto& word = vocabulary_[below(static_cast<std::uint32_t>(vocabulary_.size()))];
        document.append(" ").append(word);
        const auto found = by_word_.find(word);
        if (found != by_word_.end() && in_title.insert(word).second) receive(found->second, receivers);
    }
    const auto category = below(categories_);
    receive(by_category_[category], receivers);
    const auto price = below(prices_);
    for (const auto& band : by_price_[price / prices_in_bucket]) {
        if (price < band.from || price >= band.below) continue;
        receivers.push_back(band.connection);
        ++matched_;
    }
    document.append("</title><link>http://feeds.example/items/").append(name).append("</link><guid>item-").append(name);
    document.append("</guid><category>topic-").append(std::to_string(category)).append("</category><price>");
    document.append(std::to_string(price)).append("</price><pubDate>Sat, 07 Sep 2024 09:42:31 GMT</pubDate>");
    document
        .append("<description>An item of the usual length, with a sentence or two of text that no filter asks for, ")
        .append("so that there is something to parse and to carry.</description></item></channel></rss>\n");
    ++items_;
    std::sort(receivers.begin(), receivers.end());
    receivers.erase(std::unique(receivers.begin(), receivers.end()), receivers.end());
    return receivers;
}

double Workload::filters_matched_mean() const {
    return items_ == 0 ? 0 : static_cast<double>(matched_) / static_cast<double>(items_);
}

}  // namespace sluice::load
