#include "broker/matching/registry.hpp"

#include <catch2/catch.hpp>
#include <future>

#include "broker/matching/batch_matcher.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using namespace std::chrono_literals;
using sluice::Admission;
using sluice::Subscriber;
using sluice::Subscription;
using sluice::SubscriptionRegistry;

namespace {

std::shared_ptr<Subscriber> subscriber() {
    return std::make_shared<Subscriber>(
        sluice::MailboxLimits{1000, 1'000'000}, [] {}, sluice::EventFormat::json, false);
}

Subscription on_stream(const std::string& stream, const std::string& filter) {
    auto compiled = sluice::compile_filter(filter);
    return sluice::make_subscription(stream, compiled.value().canonical, compiled.value().conjunctions);
}

struct Fixture {
    sluice::Counters counters;
    sluice::Fanout fanout{counters};
    std::mutex mutex;
    std::shared_ptr<const sluice::Program> program;
    std::uint64_t program_number = 0;
    std::unique_ptr<SubscriptionRegistry> registry = std::make_unique<SubscriptionRegistry>(
        SubscriptionRegistry::Settings{sluice::Backend::cpu, 1ms, 10, 2}, fanout,
        [this](std::shared_ptr<const sluice::Program> next, std::uint64_t number) {
            const std::lock_guard lock(mutex);
            program = std::move(next);
            program_number = number;
        });

    Admission admit(const std::shared_ptr<Subscriber>& to, std::vector<Subscription> subscriptions,
                    const std::function<void()>& done) {
        return registry->add(to, std::move(subscriptions), done);
    }

    bool add(const std::shared_ptr<Subscriber>& to, std::vector<Subscription> subscriptions) {
        std::promise<void> done;
        if (admit(to, std::move(subscriptions), [&] { done.set_value(); }) != Admission::admitted) return false;
        done.get_future().wait();
        return true;
    }

    // How many events each of which subscriber gets from a document with one item of this category.
    // `meanwhile` happens when it is decided which program matches.
    std::size_t publish(const std::string& stream, const std::string& category,
                        const std::function<void()>& meanwhile = {}) {
        const std::vector<sluice::Event> events = {{sluice::document({sluice::item("t", category)}), 0,
                                                    std::make_shared<const std::string>(stream), ++last_id}};
        std::shared_ptr<const sluice::Program> current;
        std::uint64_t number = 0;
        {
            const std::lock_guard lock(mutex);
            current = program;
            number = program_number;
        }
        if (meanwhile) meanwhile();
        const auto before = counters.deliveries.load();
        fanout.deliver({events, matcher.match(*current, events), matcher.undecided(), number});
        return counters.deliveries.load() - before;
    }

    sluice::BatchMatcher matcher;
    std::uint64_t last_id = 0;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a subscription is in place when add is done") {
    const auto a = subscriber();
    REQUIRE(add(a, {on_stream("s", "category = 'x'")}));
    CHECK(publish("s", "x") == 1);
    CHECK(publish("s", "y") == 0);
    CHECK(publish("other", "x") == 0);
    CHECK(a->mailbox.take().messages.size() == 1);
}

TEST_CASE_METHOD(Fixture, "equal subscriptions are one for the engine") {
    const auto a = subscriber();
    const auto b = subscriber();
    add(a, {on_stream("s", "category = 'x'")});
    add(b, {on_stream("s", "category=\"x\""), on_stream("s", "'x' = category"), on_stream("t", "category = 'x'")});
    CHECK(registry->size() == 4);
    CHECK(registry->distinct() == 2);
    CHECK(publish("s", "x") == 2);  // once a subscriber, though two of b's filters hold
    CHECK(publish("t", "x") == 1);
}

TEST_CASE_METHOD(Fixture, "a subscriber gets nothing of a batch that was begun with some of its filters only") {
    const auto a = subscriber();
    const auto b = subscriber();
    add(a, {on_stream("s", "category = 'x'")});
    const auto add_b = [&] { add(b, {on_stream("s", "title = 't'"), on_stream("s", "category = 'x'")}); };
    CHECK(publish("s", "x", add_b) == 1);
    CHECK(b->mailbox.take().messages.empty());
    CHECK(publish("s", "x") == 2);
}

TEST_CASE_METHOD(Fixture, "removal ends what one subscriber gets and nothing else") {
    const auto a = subscriber();
    const auto b = subscriber();
    add(a, {on_stream("s", "category = 'x'")});
    add(b, {on_stream("s", "category = 'x'")});
    registry->remove(a);
    const auto c = subscriber();
    add(c, {on_stream("s", "category = 'y'")});  // applied after the removal
    CHECK(registry->size() == 2);
    CHECK(publish("s", "x") == 1);
    CHECK(a->mailbox.take().messages.empty());
    CHECK(b->mailbox.take().messages.size() == 1);
    registry->remove(b);
    registry->remove(c);
    registry.reset();  // applies what is waiting
    CHECK(publish("s", "x") == 0);
    CHECK(publish("s", "y") == 0);
}

TEST_CASE_METHOD(Fixture, "no filter means every event, no stream means all streams") {
    add(subscriber(), {sluice::make_subscription("s", "", {sluice::Conjunction{}})});
    CHECK(publish("s", "x") == 1);
    CHECK(publish("t", "x") == 0);
    add(subscriber(), {sluice::make_subscription("", "", {sluice::Conjunction{}})});
    CHECK(publish("s", "x") == 2);
    CHECK(publish("t", "x") == 1);
}

TEST_CASE_METHOD(Fixture, "the number of subscriptions is bounded") {
    const auto a = subscriber();
    REQUIRE(add(a, std::vector<Subscription>(10, on_stream("s", "category = 'x'"))));
    CHECK_FALSE(add(subscriber(), {on_stream("s", "category = 'x'")}));
    registry->remove(a);
    // Room comes back once the removal has been applied.
    EVENTUALLY(add(subscriber(), {on_stream("s", "category = 'x'")}));
    CHECK(registry->size() == 1);
}

TEST_CASE_METHOD(Fixture, "the number of computed conditions is bounded") {
    const char* const three =
        "approx-contains(title, 'a', 1) and edit-distance(title, 'b') < 2 or "
        "approx-contains(title, 'a', 1) and edit-distance(title, 'c') < 2";
    const char* const one = "category = 'x' and approx-contains(title, 't', 0)";
    CHECK(admit(subscriber(), {on_stream("s", three)}, [] {}) == Admission::too_many_operators);
    CHECK(admit(subscriber(), std::vector<Subscription>(3, on_stream("s", one)), [] {}) ==
          Admission::too_many_operators);
    CHECK(admit(subscriber(), std::vector<Subscription>(11, on_stream("s", one)), [] {}) ==
          Admission::too_many_subscriptions);
    const auto a = subscriber();
    REQUIRE(add(a, {on_stream("s", one), on_stream("s", one)}));
    CHECK(registry->operators() == 2);
    CHECK_FALSE(add(subscriber(), {on_stream("s", one)}));
    REQUIRE(add(subscriber(), {on_stream("s", "category = 'x'")}));
    CHECK(publish("s", "x") == 2);
    registry->remove(a);
    EVENTUALLY(add(subscriber(), {on_stream("s", one)}));
    CHECK(registry->operators() == 1);
}

TEST_CASE_METHOD(Fixture, "filters come and go while events flow") {
    std::atomic<bool> done{false};
    const auto constant = subscriber();
    add(constant, {on_stream("s", "category = 'x'")});
    std::thread churn([&] {
        for (int i = 0; i < 200; ++i) {
            const auto visitor = subscriber();
            add(visitor, {on_stream("s", "category = 'x'"), on_stream("s", "title = '" + std::to_string(i) + "'")});
            registry->remove(visitor);
        }
        done = true;
    });
    std::size_t published = 0;
    while (!done) {
        CHECK(publish("s", "x") >= 1);
        ++published;
        const auto taken = constant->mailbox.take();
        CHECK(taken.messages.size() == 1);
        constant->mailbox.written(taken.messages);
    }
    churn.join();
    CHECK(published > 0);
}

TEST_CASE("without any change, programs are still renewed from time to time") {
    sluice::Counters counters;
    sluice::Fanout fanout(counters);
    std::promise<void> renewed;
    const SubscriptionRegistry registry({sluice::Backend::cpu, 1ms, 10, 10, 1ms}, fanout,
                                        [&](const std::shared_ptr<const sluice::Program>&, std::uint64_t number) {
                                            if (number == 3) renewed.set_value();
                                        });
    renewed.get_future().wait();
}
