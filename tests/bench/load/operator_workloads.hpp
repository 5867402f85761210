// Filters that the engine's operators compute, combined with a category where operators are typically used so.
#pragma once

#include <optional>

#include "tests/bench/load/workload.hpp"

namespace sluice::load {

// `category='c' and approx-contains(title,'…',2)`, or `… and matches(title,'word.*word')`, with the titles of real
// feeds if a folder of them is given. A category has 50 filters and every item has one category, so 50 filters remain
// to compute. The patterns are taken from titles, with up to three letters changed. Every other item has a title and
// category of some filter, so about a quarter of the items satisfy one. There are 4,096 different titles with a
// category; the answers for them are computed beforehand, on all cores.
class TitleWorkload final : public Workload {
public:
    enum class Asks { approximate, matches };

    TitleWorkload(const WorkloadOptions& options, Asks asks);

    void prepare() override;

private:
    struct Filter {
        std::string first, second;  // the pattern; or the words, in this order
        std::size_t title, category, connection;
    };

    struct Sample {
        std::size_t title, category;
        std::optional<std::vector<std::size_t>> connections;  // of the filters that hold, once computed
    };

    Item next_item(std::uint64_t number) override;
    void read_titles(const std::string& folder);
    void invent_titles();
    Filter approximate_filter();
    Filter matches_filter();
    bool holds(const Filter& filter, const std::string& title) const;
    Sample sample();
    void compute(Sample& sample) const;

    Asks asks_;
    std::vector<std::string> titles_;
    std::vector<Filter> filters_;
    std::vector<std::vector<std::size_t>> by_category_;  // indices in filters_
    std::vector<Sample> samples_;
};

// `align(sequence,'…') >= 100` with queries of 300 bases, against sequences of 300. Every other item contains a part of
// some query: 150 bases with three changed, which score 100 and more, or 60, which don't. Unrelated sequences score far
// less.
class AlignWorkload final : public Workload {
public:
    explicit AlignWorkload(const WorkloadOptions& options);

private:
    Item next_item(std::uint64_t number) override;

    struct Query {
        std::string sequence;
        std::size_t connection;
    };
    std::vector<Query> queries_;
};

// `laminarity(series,epsilon) > x` of series of 1,000 points: noise with stretches of rest; 20 different epsilons. The
// answers are computed by the definition, once for each of 16 series.
class LaminarityWorkload final : public Workload {
public:
    explicit LaminarityWorkload(const WorkloadOptions& options);
    void prepare() override;

private:
    Item next_item(std::uint64_t number) override;
    std::string noise_and_rest();
    double epsilon(std::size_t filter) const;
    double threshold(std::size_t filter) const;

    struct Series {
        std::string text;
        std::vector<double> laminarity;  // by epsilon; computed when first needed
    };
    void compute(Series& series) const;

    std::size_t filters_, connections_;
    std::vector<Series> series_;
};

}  // namespace sluice::load
