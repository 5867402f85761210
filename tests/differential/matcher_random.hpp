// Random subscriptions and events for the differential tests of the matcher, and the two backends side by side. One
// thread each.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpu/matcher.hpp"
#include "tests/support/seed.hpp"

namespace sluice::test {

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(testing::seed(seed)) {}
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine_); }
    bool chance(double p) { return std::uniform_real_distribution<>()(engine_) < p; }
    template <class T>
    const T& of(const std::vector<T>& choices) {
        return choices[below(choices.size())];
    }

private:
    std::mt19937_64 engine_;
};

// An event before it has a program's attribute ids.
struct RandomValue {
    std::string attribute, text;
    double number;
};
using RandomEvent = std::vector<RandomValue>;

// How a scenario draws; the defaults give dense, hostile little worlds.
struct World {
    std::size_t attributes = 6, texts = 12, numbers = 12, scanned = 3;
    std::size_t conjunctions_max = 3, literals_max = 5, values_max = 6;
    double negated = 0.25, scanned_share = 0.05;
    double measured_share = 0;
    bool equality_only = false;
};

std::string random_text(const World& world, Random& random);
double random_number(const World& world, Random& random);
Measure random_measure(Random& random);
Predicate random_predicate(const World& world, Random& random);
Disjunction random_filter(const World& world, Random& random);
RandomEvent random_event(const World& world, Random& random);

// The answers of one program to a batch of events, by subscription. Any thread; throws if the program breaks its
// contract.
using Answers = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>;
Answers answers(const Program& program, const std::vector<RandomEvent>& events);

// The same changes to both sets; names(i) are the ids that the i-th living subscription has.
class BothSets {
public:
    // The set that is compared with the naive one.
    explicit BothSets(const EngineOptions& options = {}) : cpu_(make_subscription_set(options)) {}

    void add(const Disjunction& filter);
    void remove(std::size_t i);
    std::size_t size() const { return living_.size(); }
    // Compiles, matches, and returns how many subscriptions answer differently.
    std::size_t differences(const std::vector<RandomEvent>& events);
    // Compiles and matches with the cpu set alone, for it to observe the events.
    void observe(const std::vector<RandomEvent>& events, std::size_t times);
    std::size_t matches() const { return matches_; }
    EngineStatus status() const { return cpu_->status(); }
    std::shared_ptr<const Program> compile() { return cpu_->compile(); }

private:
    struct Both {
        SubscriptionId naive, cpu;
    };

    std::unique_ptr<SubscriptionSet> naive_ = make_subscription_set(Backend::naive);
    std::unique_ptr<SubscriptionSet> cpu_;
    std::vector<Both> living_;
    std::size_t matches_ = 0;
};

}  // namespace sluice::test
