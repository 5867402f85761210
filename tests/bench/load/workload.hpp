// The filters and items of the load test, made from a seed, and the connections that must receive each item. The
// expected receivers follow from how the item was made or from the plain definition of an operator, never from the code
// that is measured, so that they check the broker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::load {

// The connections that receive an item, ascending, each once.
using Receivers = std::vector<std::size_t>;

struct WorkloadOptions {
    std::string kind = "mixed";
    std::size_t filters = 10'000, connections = 100;
    std::uint64_t seed = 1;
    std::string feeds;  // a folder of feeds whose titles are taken; empty: titles of made-up words
};

class Workload {
public:
    virtual ~Workload() = default;

    // Optional: computes in advance what would take long between items.
    virtual void prepare() {}

    // The filters of one connection.
    const std::vector<std::string>& filters(std::size_t connection) const { return filters_[connection]; }

    // Appends an RSS item whose title starts with "e<number> ", and returns its receivers.
    Receivers append_item(std::uint64_t number, std::string& document);

    double filters_matched_mean() const;  // per item made so far

protected:
    Workload(std::size_t connections, std::uint64_t seed) : random_(seed), filters_(connections) {}

    struct Item {
        std::string title, category, elements;  // `elements`: more of them, as XML
        std::vector<std::size_t> connections;   // of the filters that hold, one for each
    };
    // The title is without its beginning, "e<number> ".
    virtual Item next_item(std::uint64_t number) = 0;

    void add_filter(std::size_t connection, std::string text) { filters_[connection].push_back(std::move(text)); }
    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
    std::string letters(std::string_view alphabet, std::size_t count);

private:
    std::mt19937_64 random_;
    std::vector<std::vector<std::string>> filters_;
    std::uint64_t items_ = 0, matched_ = 0;
};

// What is before and behind the items of a document.
inline constexpr std::string_view document_begin =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>Load</title>"
    "<link>http://feeds.example/</link><description>Items to measure with</description>\n";
inline constexpr std::string_view document_end = "</channel></rss>\n";

// "mixed", "approximate", "align", "contains", "laminarity", "matches", or one of W1 to W5, W7 and W8; throws
// std::runtime_error for others and for a folder without feeds.
std::unique_ptr<Workload> make_workload(const WorkloadOptions& options);

}  // namespace sluice::load
