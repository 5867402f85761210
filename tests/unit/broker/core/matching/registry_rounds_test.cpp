// Rounds of the registry: who waits for whom, and what is charged.
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <mutex>

#include "broker/core/matching/registry.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/core/matching/subscriptions.hpp"

using namespace std::chrono_literals;
using sluice::broker::Admission;
using sluice::broker::make_subscriber;
using sluice::broker::on_stream;
using sluice::broker::Subscriber;
using sluice::broker::Subscription;
using sluice::broker::SubscriptionRegistry;

namespace {

// A filter of `n` conditions, each on a path of its own.
std::string distinct_paths(int n, const std::string& name) {
    std::string filter;
    for (int i = 0; i < n; ++i)
        filter += (i == 0 ? "contains(" : " or contains(") + name + std::to_string(i) + ", 'x')";
    return filter;
}

// A registry that the test can hold in a round, so that what comes meanwhile waits for the next one.
struct InRounds {
    static constexpr std::size_t huge_filters = 64, huge_conditions = 100;

    explicit InRounds(sluice::base::MemoryBudget* memory = nullptr) {
        registry = std::make_unique<SubscriptionRegistry>(
            SubscriptionRegistry::Settings{.engine = sluice::engine::Backend::cpu,
                                           .apply_delay = 0us,
                                           .subscriptions_max = 1'000,
                                           .operators_max = 10,
                                           .upkeep_interval = 1h,
                                           .memory = memory,
                                           .begin = [this](auto& first_id) { first_id = rounds.load(); }},
            fanout, [this](const std::shared_ptr<const sluice::engine::Program>&) {
                const std::uint64_t number = programs++;
                if (number == 0) return;
                begun = number;
                const std::lock_guard lock(gate);
                rounds = number;
            });
        hold();
    }
    ~InRounds() {
        if (held.owns_lock()) held.unlock();
        registry.reset();
    }

    void hold() {
        held.lock();
        add(make_subscriber(), {on_stream("s", "title = 't'")}, [] {});
        EVENTUALLY(begun > rounds);
    }
    void go_on() { held.unlock(); }

    void add(const std::shared_ptr<Subscriber>& to, std::vector<Subscription> subscriptions,
             std::function<void()> done) {
        REQUIRE(registry->add(to, std::move(subscriptions), std::move(done)) == Admission::admitted);
    }
    std::vector<Subscription> huge(const std::string& name) const {
        std::vector<Subscription> subscriptions;
        for (std::size_t i = 0; i < huge_filters; ++i)
            subscriptions.push_back(on_stream("s", distinct_paths(huge_conditions, name + std::to_string(i) + "_")));
        return subscriptions;
    }

    sluice::broker::Counters counters;
    sluice::broker::Fanout fanout{counters};
    std::mutex gate;
    std::unique_lock<std::mutex> held{gate, std::defer_lock};
    std::uint64_t programs = 0;
    std::atomic<std::uint64_t> begun{0}, rounds{0};
    std::unique_ptr<SubscriptionRegistry> registry;
};

}  // namespace

TEST_CASE("a subscriber with one filter waits for a turn of those with thousands of conditions, not for all of it") {
    InRounds in;
    std::array<std::atomic<std::uint64_t>, 4> done{};
    const int one_address = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto greedy = make_subscriber();
        if (i < 2) greedy->owner = &one_address;
        in.add(greedy, in.huge("p" + std::to_string(i) + "_"), [&, i] { done[i] = in.rounds + 1; });
    }
    const auto modest = make_subscriber();
    modest->owner = &one_address;
    in.add(modest, {on_stream("s", "category = 'x'")}, [&] { done[3] = in.rounds + 1; });
    in.go_on();
    EVENTUALLY((done[0] != 0 && done[1] != 0 && done[2] != 0));
    CHECK(done[3] == 3);  // in the round after that of the fixture
    const std::size_t all = 3 * InRounds::huge_filters * InRounds::huge_conditions;
    for (std::size_t i = 0; i < 3; ++i) CHECK(done[i] > InRounds::huge_filters * InRounds::huge_conditions / 1'024);
    CHECK(in.rounds >= all / SubscriptionRegistry::round_work);
    CHECK(in.registry->size() == 3 * InRounds::huge_filters + 2);
}

TEST_CASE("a subscriber gets events only once all of its filters are in place, however many rounds that takes") {
    InRounds in;
    const auto greedy = make_subscriber();
    std::atomic<bool> done{false};
    in.add(greedy, in.huge("p"), [&] { done = true; });
    in.go_on();
    EVENTUALLY(done.load());
    CHECK(greedy->first_id == in.rounds);
    CHECK_FALSE(greedy->not_added.load());
}

TEST_CASE("leaving with many filters takes several rounds, in which others subscribe") {
    InRounds in;
    std::vector<Subscription> many;
    for (int i = 0; i < 900; ++i)
        many.push_back(on_stream("s", "count(p" + std::to_string(i) + ") mod 3 = 1 and " + "count(q" +
                                          std::to_string(i) + ") mod 3 = 1 and " + "count(r" + std::to_string(i) +
                                          ") mod 3 = 1"));
    const auto greedy = make_subscriber();
    std::atomic<bool> added{false}, modest_added{false};
    in.add(greedy, std::move(many), [&] { added = true; });
    in.go_on();
    EVENTUALLY(added.load());
    in.hold();
    const std::uint64_t before = in.begun;
    std::size_t left = 0;
    in.registry->remove(greedy);
    in.add(make_subscriber(), {on_stream("s", "category = 'x'")}, [&] {
        left = in.registry->size();
        modest_added = true;
    });
    in.go_on();
    EVENTUALLY(modest_added.load());
    CHECK(left > 3);
    EVENTUALLY(in.registry->size() == 3);
    CHECK(in.rounds >= before + 2);
}

TEST_CASE("a subscriber that leaves before all of its filters are in place leaves nothing behind") {
    InRounds in;
    const auto greedy = make_subscriber();
    std::atomic<bool> done{false};
    in.add(greedy, in.huge("p"), [&] { done = true; });
    in.registry->remove(greedy);
    in.go_on();
    EVENTUALLY(done.load());
    CHECK(greedy->not_added.load());
    EVENTUALLY(in.registry->size() == 1);
    CHECK(in.registry->distinct() == 1);
}

TEST_CASE("what the engine keeps is charged until it is dropped, whoever has left") {
    sluice::base::MemoryBudget budget(1u << 30);
    const auto charged = [&] { return budget.used(sluice::base::MemoryUse::filters); };
    InRounds in(&budget);
    const auto greedy = make_subscriber();
    std::vector<Subscription> subscriptions = in.huge("p");
    std::size_t kept = 0, asked = 0;
    for (const Subscription& subscription : subscriptions) {
        kept += subscription.memory.kept;
        asked += subscription.memory.while_added;
    }
    greedy->filter_memory = budget.charge(sluice::base::MemoryUse::filters, asked);
    std::atomic<bool> done{false};
    in.add(greedy, std::move(subscriptions), [&] { done = true; });
    in.go_on();
    EVENTUALLY(done.load());
    CHECK(greedy->filter_memory.bytes() == kept);
    CHECK(charged() > kept + InRounds::huge_filters * InRounds::huge_conditions * 1'000);
    CHECK(charged() < 3 * asked);
    in.registry->remove(greedy);
    const auto change = [&] {  // so that the engine adopts what its threads have done
        std::promise<void> added;
        const auto visitor = make_subscriber();
        in.add(visitor, {on_stream("s", "category = 'x'")}, [&] { added.set_value(); });
        added.get_future().wait();
        in.registry->remove(visitor);
    };
    EVENTUALLY((change(), charged() < kept + InRounds::huge_filters * InRounds::huge_conditions * 100));
}
