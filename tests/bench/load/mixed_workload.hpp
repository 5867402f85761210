// Filters that an index decides. 70 % ask for one of 7,000 categories, 10 % for a price in a narrow band, 10 % for a
// price near the top, 10 % for a word of the title. An item satisfies about two of 10,000 filters on average. With more
// filters, categories, prices and words grow in proportion, so an item still satisfies about two.
#pragma once

#include <unordered_map>

#include "tests/bench/load/workload.hpp"

namespace sluice::load {

class MixedWorkload final : public Workload {
public:
    explicit MixedWorkload(const WorkloadOptions& options);

private:
    static constexpr std::uint32_t prices_in_bucket = 1'000;

    struct Band {
        std::uint32_t from, below;
        std::size_t connection;
    };

    Item next_item(std::uint64_t number) override;
    void add_filter_of(std::size_t kind, std::size_t connection);

    std::uint32_t categories_, prices_;
    std::vector<std::string> vocabulary_;
    std::vector<std::vector<std::size_t>> by_category_;  // connections
    std::unordered_map<std::string_view, std::vector<std::size_t>> by_word_;
    std::vector<std::vector<Band>> by_price_;  // by price / prices_in_bucket
};

}  // namespace sluice::load
