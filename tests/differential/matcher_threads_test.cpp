#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <thread>

#include "tests/differential/matcher_random.hpp"
#include "tests/support/written_filter.hpp"

namespace sluice::test {

namespace {

// A program and the subscriptions that it was compiled from.
struct Published {
    std::shared_ptr<const engine::Program> program;
    std::vector<std::pair<engine::SubscriptionId, engine::Disjunction>> subscriptions;
};

// Whether the program answers the events as a naive set of the same subscriptions does.
bool answers_right(const Published& published, const std::vector<RandomEvent>& events) {
    const auto naive = engine::make_subscription_set(engine::Backend::naive);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> number;
    for (const auto& [id, filter] : published.subscriptions) number[{id.slot, id.generation}] = naive->add(filter).slot;
    const Answers expected = accepted(answers(*naive->compile(), events));
    const Answers actual = accepted(answers(*published.program, events));
    if (actual.size() != expected.size()) return false;
    for (const auto& [id, words] : actual) {
        const auto at = expected.find({static_cast<std::uint32_t>(number.at(id)), 0});
        if (at == expected.end() || at->second != words) return false;
    }
    return true;
}

}  // namespace

// Catch's assertions work on one thread only, so the matching threads count instead.
TEST_CASE("one thread changes and compiles while others match with the programs they hold") {
    const World world{.attributes = 4, .texts = 30, .numbers = 20, .scanned_share = 0, .equality_only = true};
    const auto set = engine::make_subscription_set(engine::Backend::cpu);
    std::mutex mutex;
    Published current{set->compile(), {}};
    std::atomic<bool> stop = false;
    std::atomic<std::size_t> wrong = 0, rounds = 0;

    const auto match = [&](std::uint64_t seed) {
        Random random(seed);
        for (int own = 0; own < 3 || !stop; ++own) {  // a few rounds, however late the thread starts
            Published held;
            {
                const std::lock_guard lock(mutex);
                held = current;
            }
            std::vector<RandomEvent> events(40);
            for (RandomEvent& event : events) event = random_event(world, random);
            try {
                if (!answers_right(held, events)) ++wrong;
            } catch (const std::exception&) {
                ++wrong;
            }
            ++rounds;
        }
    };
    std::vector<std::thread> threads;
    for (std::uint64_t seed : {1u, 2u}) threads.emplace_back(match, seed);

    Random random(3);
    std::vector<std::pair<engine::SubscriptionId, engine::Disjunction>> living;
    // More subscriptions than are merged inline, so that background merges take part.
    for (int step = 0; step < 60; ++step) {
        for (std::size_t i = step % 15 == 14 ? 3000 : random.below(40); i > 0; --i) {
            const engine::Disjunction filter = testing::disjunction_of(random_filter(world, random));
            living.emplace_back(set->add(filter), filter);
        }
        for (std::size_t i = random.below(living.size() / 3 + 1); i > 0; --i) {
            const std::size_t at = random.below(living.size());
            if (!set->remove(living[at].first)) ++wrong;
            living[at] = living.back();
            living.pop_back();
        }
        const std::lock_guard lock(mutex);
        current = {set->compile(), living};
    }
    stop = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(rounds >= 6);
}

}  // namespace sluice::test
