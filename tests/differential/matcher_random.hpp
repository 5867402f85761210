// Random subscriptions and events for the differential tests of the matcher, and the two backends side by side. One
// thread each.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/written_filter.hpp"

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

// A value of an event, before it gets a program's attribute ids.
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
    double unknown_share = 0;  // of events, those of which some attributes are not known
    bool equality_only = false;
};

std::string random_text(const World& world, Random& random);
double random_number(const World& world, Random& random);
engine::Measure random_measure(Random& random);
engine::Predicate random_predicate(const World& world, Random& random);
testing::WrittenFilter random_filter(const World& world, Random& random);
RandomEvent random_event(const World& world, Random& random);

// Values that events share, by place, as items have parents and grandparents: an event has at most one group of each
// place. The attributes of a place have all their values in the group, or among the event's own values if it has no
// group.
class RandomGroups {
public:
    RandomGroups(const World& world, std::size_t count, std::size_t values_max, Random& random);

    // Events with their own values and indexes of groups.
    struct Events {
        std::vector<RandomEvent> own;
        std::vector<std::vector<std::size_t>> groups;
    };
    Events random_events(const World& world, std::size_t count, Random& random) const;

    // The events without groups, as if all values were their own; and with them.
    std::vector<RandomEvent> flat(const Events& events) const;
    engine::EventBatch batch(const engine::Program& program, const Events& events);

private:
    static constexpr std::size_t places = 3;  // the last place is the event itself
    static std::size_t place_of(const std::string& attribute);
    void learn(const std::shared_ptr<const engine::Dictionary>& attributes);

    std::vector<RandomEvent> groups_;  // group g is of place g % (places - 1)
    // A group with the ids of a dictionary, for as long as that is used.
    struct Known {
        std::shared_ptr<const engine::Dictionary> attributes;
        std::vector<std::vector<engine::Value>> values;
        std::vector<std::uint64_t> ids;
    };
    std::vector<Known> known_;
};

// The answers of one program to a batch of events, by subscription. Any thread; throws if the program breaks its
// contract. Two masks for each word of the batch: of the events that the subscription accepts, and of the others that
// it leaves undecided.
using Answers = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>;
Answers answers(const engine::Program& program, const std::vector<RandomEvent>& events);
Answers answers(const engine::Program& program, engine::EventBatch batch);

// Without what is undecided, of which a set that brings filters into a normal form may leave less than the naive one.
Answers accepted(Answers answers);

// Leaves attributes of the batch unknown; which ones depends on their names and the seed, not on the program.
void forget_some(const engine::Program& program, double share, std::uint32_t seed, engine::EventBatch& batch);

// The same changes to both sets; names(i) are the ids that the i-th living subscription has.
class BothSets {
public:
    // The set that is compared with the naive one.
    explicit BothSets(const engine::EngineOptions& options = {}) : cpu_(engine::make_subscription_set(options)) {}
    explicit BothSets(std::unique_ptr<engine::SubscriptionSet> set) : cpu_(std::move(set)) {}

    // The naive set gets distinct predicates; every third filter has one for each literal in the other set, and one
    // more.
    void add(const testing::WrittenFilter& filter);
    // Adds it to neither set: requires that the one that is compared refuses it, and returns the message.
    std::string refusal(const testing::WrittenFilter& filter);
    void remove(std::size_t i);
    std::size_t size() const { return living_.size(); }
    // Compiles, matches, and returns how many subscriptions answer differently.
    std::size_t differences(const std::vector<RandomEvent>& events, double unknown_share = 0);
    // The same if events share groups of values: both sets must answer as the naive one does without groups.
    std::size_t differences(const RandomGroups::Events& events, RandomGroups& groups, double unknown_share = 0);
    // Compiles and matches with the cpu set alone, so that it observes the events.
    void observe(const std::vector<RandomEvent>& events, std::size_t times);
    std::size_t matches() const { return matches_; }
    std::size_t undecided() const { return undecided_; }  // subscriptions and words
    engine::EngineStatus status() const { return cpu_->status(); }
    std::shared_ptr<const engine::Program> compile() { return cpu_->compile(); }

private:
    struct Both {
        engine::SubscriptionId naive, cpu;
        bool is_normal;  // a set that brings filters into a normal form keeps all literals of this one
    };
    static bool agree(const Both& both, std::span<const std::uint32_t> naive, std::span<const std::uint32_t> cpu);

    std::size_t differences(const Answers& naive, const Answers& cpu);

    std::unique_ptr<engine::SubscriptionSet> naive_ = engine::make_subscription_set(engine::Backend::naive);
    std::unique_ptr<engine::SubscriptionSet> cpu_;
    std::vector<Both> living_;
    std::size_t added_ = 0, matches_ = 0, undecided_ = 0;
    std::uint32_t batches_ = 0;
};

}  // namespace sluice::test
