// Subscription sets whose allocations fail one after another: a call that throws has changed nothing, and the answers
// are those of a naive set that had all the memory it wanted.
#include <algorithm>
#include <catch2/catch.hpp>
#include <new>
#include <utility>
#include <vector>

#include "tests/differential/matcher_random.hpp"
#include "tests/support/failing_allocations.hpp"
#include "tests/support/written_filter.hpp"

using namespace sluice;
using testing::FailingAllocations;

namespace {

const test::World world{.measured_share = 0.1};

// A set with subscriptions in segments, and others that are still pending; some of both have been removed. The calls
// return whether they succeeded.
class Trial {
public:
    Trial(engine::Backend backend, std::uint64_t seed) : set_(engine::make_subscription_set(backend)), random_(seed) {
        const std::size_t compiled = random_.of<std::size_t>({0, 1, 40}), pending = random_.of<std::size_t>({1, 2, 9});
        for (std::size_t i = 0; i < compiled; ++i) {
            add();
            if (i % 7 == 6) set_->compile();
        }
        set_->compile();
        for (std::size_t i = 0; i < compiled / 4; ++i) remove();
        for (std::size_t i = 0; i < pending; ++i) add();
        for (std::size_t i = 0; i < pending / 4; ++i) remove();
        for (int i = 0; i < 33; ++i) events_.push_back(test::random_event(world, random_));
    }

    // The next call's n-th allocation fails.
    void fail(std::uint64_t n) { n_ = n; }
    bool has_failed() const { return has_failed_; }  // whether there was such an allocation

    bool add() {
        const engine::Disjunction filter = testing::disjunction_of(test::random_filter(world, random_));
        engine::SubscriptionId id;
        const bool added = call([&] { id = set_->add(filter); });
        if (added) living_.emplace_back(id, naive_->add(filter));
        return added;
    }
    bool remove() {
        if (living_.empty()) return true;
        auto& [id, naive_id] = living_[random_.below(living_.size())];
        bool removed = false;
        if (!call([&] { removed = set_->remove(id); }) || !removed) return false;
        naive_->remove(naive_id);
        std::swap(living_.back(), *std::find(living_.begin(), living_.end(), std::pair(id, naive_id)));
        living_.pop_back();
        return true;
    }
    bool compile() {
        return call([&] { program_ = set_->compile(); });
    }
    // Matches with the latest program. Returns false for wrong answers, and true if it threw.
    bool match() {
        test::Answers found;
        return !call([&] { found = test::answers(*program_, events_); }) || are_right(found);
    }
    bool answers() { return set_->size() == living_.size() && compile() && match(); }

private:
    template <class Act>
    bool call(Act act) {
        FailingAllocations::fail_here(std::exchange(n_, 0));
        bool succeeded = true;
        try {
            const FailingAllocations::Here here;
            act();
        } catch (const std::bad_alloc&) {
            succeeded = false;
        }
        FailingAllocations::stop();
        has_failed_ = FailingAllocations::failed() > 0;
        return succeeded;
    }

    bool are_right(test::Answers found) const {
        found = test::accepted(std::move(found));
        const test::Answers expected = test::accepted(test::answers(*naive_->compile(), events_));
        const auto of = [](const test::Answers& answers, engine::SubscriptionId id) {
            const auto at = answers.find({id.slot, id.generation});
            return at == answers.end() ? std::vector<std::uint32_t>() : at->second;
        };
        return found.size() == expected.size() && std::all_of(living_.begin(), living_.end(), [&](const auto& both) {
                   return of(found, both.first) == of(expected, both.second);
               });
    }

    std::unique_ptr<engine::SubscriptionSet> set_;
    std::unique_ptr<engine::SubscriptionSet> naive_ = engine::make_subscription_set(engine::Backend::naive);
    std::shared_ptr<const engine::Program> program_;
    test::Random random_;
    std::vector<std::pair<engine::SubscriptionId, engine::SubscriptionId>> living_;  // in the set, and in the naive one
    std::vector<test::RandomEvent> events_;
    std::uint64_t n_ = 0;
    bool has_failed_ = false;
};

// Does act(trial, n) with each of its allocations failing in turn, in so many states.
template <class Act>
void fail_each_allocation(std::uint64_t states, Act act) {
    const engine::Backend backend = GENERATE(engine::Backend::naive, engine::Backend::cpu);
    std::uint64_t failures = 0;
    for (std::uint64_t seed = 0; seed < states; ++seed) {
        bool more = true;
        for (std::uint64_t n = 1; more; ++n) {
            CAPTURE(backend, seed, n);
            Trial trial(backend, seed);
            act(trial, n);
            more = trial.has_failed();
            failures += more;
            for (int i = 0; i < 3; ++i) REQUIRE((trial.remove() && trial.add()));
            REQUIRE(trial.answers());
            REQUIRE((trial.remove() && trial.add()));
            REQUIRE(trial.answers());
        }
    }
    CHECK(failures > 100);
}

}  // namespace

TEST_CASE("each allocation of add() may fail", "[alloc]") {
    fail_each_allocation(60, [](Trial& trial, std::uint64_t n) {
        trial.fail(n);
        trial.add();
    });
}

TEST_CASE("each allocation of compile() may fail", "[alloc]") {
    fail_each_allocation(6, [](Trial& trial, std::uint64_t n) {
        trial.fail(n);
        trial.compile();
    });
}

TEST_CASE("each allocation of match() may fail", "[alloc]") {
    fail_each_allocation(6, [](Trial& trial, std::uint64_t n) {
        REQUIRE(trial.compile());
        trial.fail(n);
        REQUIRE(trial.match());
    });
}

TEST_CASE("remove() needs no memory", "[alloc]") {
    const engine::Backend backend = GENERATE(engine::Backend::naive, engine::Backend::cpu);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        CAPTURE(backend, seed);
        Trial trial(backend, seed);
        for (int i = 0; i < 50; ++i) {
            trial.fail(1);
            REQUIRE(trial.remove());
        }
        trial.fail(0);
        REQUIRE(trial.answers());
        for (int i = 0; i < 10; ++i) REQUIRE(trial.add());
        REQUIRE(trial.answers());
    }
}
