// The load test's filters and items, made from a seed, and which connections must receive which item. The answer is
// computed from how the item was made, never by evaluating a filter, so that it checks the broker.
//
// 70 % of the filters ask for one of 7,000 categories, 10 % for a price in a narrow band, 10 % for a price near the
// top, 10 % for a word of the title. An item satisfies about two of 10,000 filters on average. Where there are more
// filters, there are as many times more categories, prices and words: an item still satisfies about two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sluice::load {

// The connections that receive an item, ascending, each once.
using Receivers = std::vector<std::size_t>;

class Workload {
public:
    Workload(std::size_t filters, std::size_t connections, std::uint64_t seed);

    // The filters of one connection.
    const std::vector<std::string>& filters(std::size_t connection) const { return filters_[connection]; }

    // Writes an RSS document whose one item's title starts with "e<number> ", and says who must receive it.
    Receivers make_item(std::uint64_t number, std::string& document);

    double filters_matched_mean() const;  // per item made so far

private:
    static constexpr std::uint32_t prices_in_bucket = 1'000;

    struct Band {
        std::uint32_t from, below;
        std::size_t connection;
    };

    std::string word();
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
    void add_filter(std::size_t connection, std::size_t kind);
    void receive(const std::vector<std::size_t>& connections, Receivers& receivers);

    std::mt19937_64 random_;
    std::uint32_t categories_, prices_;
    std::vector<std::string> vocabulary_;
    std::vector<std::vector<std::string>> filters_;
    std::vector<std::vector<std::size_t>> by_category_;  // connections
    std::unordered_map<std::string_view, std::vector<std::size_t>> by_word_;
    std::vector<std::vector<Band>> by_price_;  // by price / prices_in_bucket
    std::uint64_t items_ = 0, matched_ = 0;
};

}  // namespace sluice::load
