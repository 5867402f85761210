#include "broker/core/matching/matcher.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <new>
#include <system_error>
#include <thread>

#include "broker/core/matching/registry.hpp"
#include "broker/match/scan_owners.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/core/delivery/plain_framer.hpp"
#include "tests/unit/broker/core/matching/selection.hpp"
#include "tests/unit/broker/support.hpp"

using namespace std::chrono_literals;

namespace {

// Publishes an event as a publisher does that hands over what it has published.
void push_for_later(sluice::broker::EventQueue& queue, const std::string& stream, std::uint64_t id,
                    const std::string& item) {
    const auto document = sluice::broker::document({item});
    auto place = queue.reserve(stream, *document, 1, 1, sluice::broker::EventQueue::Wake::later);
    REQUIRE(place.has_value());
    sluice::broker::QueuedEvents events = place->nodes(1);
    events.front() = {{document, 0, std::make_shared<const std::string>(stream), 0}, 1, {}};
    place->fill(std::move(events));
    std::vector<sluice::feed::EventHead> heads(1);
    heads[0].id = id;
    REQUIRE(queue.push(stream, *document, heads));
    place->end();
}

// Lets a matcher's threads end, also if a test fails before it closes the queue.
struct Closing {
    sluice::broker::EventQueue& queue;
    ~Closing() { queue.close(); }
};

}  // namespace

TEST_CASE("every subscriber sees the events of a stream in order, whatever the number of threads, and who matches") {
    const std::size_t threads = GENERATE(1u, 4u);
    const bool by_publishers = GENERATE(false, true);
    constexpr std::uint64_t n = 5'000;
    sluice::broker::Counters counters;
    sluice::broker::EventQueue queue(1'000'000, 1'000'000'000);
    sluice::broker::Fanout fanout(counters);
    sluice::broker::Matcher matcher({threads, 7, 100us, {}, by_publishers}, queue, fanout, counters);
    const Closing closing{queue};
    sluice::broker::SubscriptionRegistry registry(
        {sluice::engine::Backend::cpu, 0us, 100, 100}, fanout,
        [&](std::shared_ptr<const sluice::engine::Program> program) { matcher.set_program(std::move(program)); });
    const auto subscriber = std::make_shared<sluice::broker::Subscriber>(
        sluice::broker::MailboxLimits{n, 1'000'000'000}, [] {}, sluice::broker::plain_framer, false);
    std::atomic<bool> added{false};
    registry.add(subscriber,
                 {sluice::broker::make_subscription(sluice::auth::Scope(sluice::broker::only("s")), "",
                                                    {{}, {sluice::engine::Conjunction{}}})},
                 [&] { added = true; });
    EVENTUALLY(added);

    matcher.start();
    const auto document = sluice::broker::document({sluice::broker::item("t")});
    const auto stream = std::make_shared<const std::string>("s");
    for (std::uint64_t id = 1; id <= n; ++id) {
        if (by_publishers && id % 8 != 0) {
            push_for_later(queue, *stream, id, sluice::broker::item("t"));
            if (id % 512 == 1) EVENTUALLY(queue.sleepers() == threads || queue.is_wake_due());
            if (id % 3 == 0 || id > n - 3) matcher.hand_over();
            continue;
        }
        std::vector<sluice::broker::QueuedEvent> events(1);
        events[0].event = {document, 0, stream, id};
        queue.push(std::move(events));
    }
    queue.close();
    REQUIRE(matcher.wait_until_done(std::chrono::steady_clock::now() + 60s));
    const auto deliveries = subscriber->mailbox.take().deliveries;
    REQUIRE(deliveries.size() == n);
    std::uint64_t in_order = 0;
    for (std::uint64_t id = 1; id <= n; ++id) {
        in_order += deliveries[id - 1].event->body.starts_with(std::to_string(id) + ' ') ? 1u : 0u;
    }
    CHECK(in_order == n);
    CHECK(counters.events_matched == n);
    CHECK(counters.events_lost == 0);
}

namespace {

// A matcher with a separate subscriber for each filter; the test publishes its events.
struct Trial {
    explicit Trial(std::size_t threads = 1, std::size_t batch_events = 32)
        : matcher({threads, batch_events, 0us}, queue, fanout, counters) {}

    struct ByPublishers {};  // they may match, as in the daemon
    explicit Trial(ByPublishers) : matcher({1, 32, 0us, limits_with_owners(), true}, queue, fanout, counters) {}

    sluice::broker::BatchLimits limits_with_owners() {
        sluice::broker::BatchLimits limits;
        limits.owners = &scan_owners;
        limits.computed_owners = &computed_owners;
        return limits;
    }

    sluice::broker::ScanOwners scan_owners, computed_owners;
    sluice::broker::Counters counters;
    sluice::broker::EventQueue queue{1'000'000, 1'000'000'000};
    sluice::broker::Fanout fanout{counters};
    sluice::broker::Matcher matcher;
    sluice::broker::SubscriptionRegistry registry{
        {.engine = sluice::engine::Backend::cpu,
         .apply_delay = 0us,
         .subscriptions_max = 100,
         .operators_max = 100,
         .scan_owners = &scan_owners,
         .computed_owners = &computed_owners,
         .begin = [this](auto& first_id) { queue.begin_at_next(first_id); }},
        fanout,
        [this](std::shared_ptr<const sluice::engine::Program> program) { matcher.set_program(std::move(program)); }};

    ~Trial() {
        queue.close();
        matcher.wait_until_done(std::chrono::steady_clock::now() + 60s);
    }

    std::shared_ptr<sluice::broker::Subscriber> subscribe(const std::string& stream, const std::string& filter) {
        auto subscriber = std::make_shared<sluice::broker::Subscriber>(
            sluice::broker::MailboxLimits{1'000'000'000, std::size_t{1} << 40}, [] {}, sluice::broker::plain_framer,
            false);
        std::atomic<bool> added{false};
        auto compiled = sluice::filter::compile_filter(filter).value();
        registry.add(subscriber,
                     {sluice::broker::make_subscription(sluice::auth::Scope(sluice::broker::only(stream)),
                                                        compiled.canonical, std::move(compiled.disjunction))},
                     [&] { added = true; });
        EVENTUALLY(added);
        return subscriber;
    }
    void publish(const std::string& stream, std::uint64_t first_id, const std::vector<std::string>& items) {
        const auto name = std::make_shared<const std::string>(stream);
        const auto document = sluice::broker::document(items);
        std::vector<sluice::broker::QueuedEvent> events(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) events[i].event = {document, i, name, first_id + i};
        queue.push(std::move(events));
    }
};

}  // namespace

TEST_CASE(
    "Matcher: events queued before a subscription is in place, even if matched later → only later ones delivered") {
    Trial trial;
    trial.publish("s", 1, {sluice::broker::item("t")});
    const bool hands_over = GENERATE(false, true);
    sluice::broker::QueuedBatch batch;  // as of a matching thread that leaves it to the slow lane
    if (hands_over) {
        REQUIRE(trial.queue.pop(sluice::broker::Lane::fast, 32, 0us, batch));
        batch.parts.front().hand_over = true;
    }
    const auto subscriber = trial.subscribe("s", "title = 't'");
    CHECK(subscriber->first_id == 2);
    if (hands_over) trial.queue.finish(batch);
    trial.publish("s", 4, {sluice::broker::item("t"), sluice::broker::item("t")});
    trial.matcher.start();
    EVENTUALLY(trial.counters.events_matched == 3);
    EVENTUALLY(subscriber->mailbox.events() == 2);
    CHECK(subscriber->mailbox.take().deliveries.front().event->id == 4);
}

TEST_CASE("Matcher: batch that no filter accepts → counted, but only later events delivered") {
    Trial trial;
    const auto subscriber = trial.subscribe("s", "title = 't'");
    trial.matcher.start();
    trial.publish("s", 1, {sluice::broker::item("u"), sluice::broker::item("v")});
    EVENTUALLY(trial.counters.events_matched == 2);
    CHECK(subscriber->mailbox.events() == 0);
    trial.publish("s", 3, {sluice::broker::item("t")});
    EVENTUALLY(subscriber->mailbox.events() == 1);
    CHECK(subscriber->mailbox.take().deliveries.front().event->id == 3);
    CHECK(trial.counters.events_lost == 0);
}

TEST_CASE("Matcher: publisher hands over while the matching threads sleep → it has matched and delivered itself") {
    Trial trial(Trial::ByPublishers{});
    const auto subscriber = trial.subscribe("s", "title = 't'");
    CHECK(trial.fanout.targets() == 1);
    trial.matcher.start();
    EVENTUALLY(trial.queue.sleepers() == 1);
    trial.matcher.hand_over();  // nothing
    push_for_later(trial.queue, "s", 1, sluice::broker::item("t"));
    push_for_later(trial.queue, "s", 2, sluice::broker::item("u"));
    push_for_later(trial.queue, "s", 3, sluice::broker::item("t"));
    CHECK(trial.counters.events_matched == 0);
    trial.matcher.hand_over();
    CHECK(trial.queue.wakes() == 0);
    CHECK(trial.counters.events_matched == 3);
    CHECK(trial.counters.batches == 1);
    CHECK(trial.queue.decided_id("s") == 3);
    const auto deliveries = subscriber->mailbox.take().deliveries;
    REQUIRE(deliveries.size() == 2);
    CHECK(deliveries[0].event->id == 1);
    CHECK(deliveries[1].event->id == 3);
    trial.registry.remove(subscriber);
    EVENTUALLY(trial.fanout.targets() == 0);
}

TEST_CASE("Matcher: filters with scanned or computed conditions → publishers wake a matching thread instead") {
    Trial trial(Trial::ByPublishers{});
    const std::string costly = GENERATE("count(title) mod 3 = 1", "approx-contains(title, 'harbor', 1)");
    CAPTURE(costly);
    const auto cheap = trial.subscribe("s", "title = 'harbour'");
    const auto subscriber = trial.subscribe("s", costly);
    REQUIRE(trial.scan_owners.conditions() + trial.computed_owners.conditions() == 1);
    trial.matcher.start();
    EVENTUALLY(trial.queue.sleepers() == 1);
    push_for_later(trial.queue, "s", 1, sluice::broker::item("harbour"));
    trial.matcher.hand_over();
    CHECK(trial.queue.wakes() == 1);
    EVENTUALLY(subscriber->mailbox.events() == 1);
    trial.registry.remove(subscriber);
    EVENTUALLY(trial.fanout.targets() == 1);
    const auto another = trial.subscribe("s", "title = 'x'");  // a program that comes after the removal
    EVENTUALLY(trial.queue.sleepers() == 1);
    push_for_later(trial.queue, "s", 2, sluice::broker::item("harbour"));
    trial.matcher.hand_over();
    CHECK(trial.queue.wakes() == 1);
    CHECK(cheap->mailbox.events() == 2);
}

TEST_CASE("a matcher that could not start its threads is not waited for") {
    Trial trial;
    {
        const sluice::broker::NoMoreThreads none;
        CHECK_THROWS_AS(trial.matcher.start(), std::system_error);
    }
    trial.queue.close();
    CHECK(trial.matcher.wait_until_done(std::chrono::steady_clock::now() + 60s));
}

TEST_CASE("events of other streams do not wait for what takes long, which comes in order") {
    Trial trial;
    // Its estimated cost, 22 ms, exceeds the limit of the fast lane, 20 ms.
    const std::string costly = "approx-distance(title, '" + std::string(1'000, 'a') + "', 'typing') > 0";
    const auto slow = trial.subscribe("slow", costly);
    const auto quick = trial.subscribe("quick", "title = 'x'");
    constexpr std::size_t n = 4;
    trial.publish("slow", 1, std::vector<std::string>(n, sluice::broker::item(std::string(11'000, 'b'))));
    trial.publish("quick", 1, {sluice::broker::item("x")});
    trial.matcher.start();
    EVENTUALLY(quick->mailbox.events() > 0);
    trial.publish("slow", n + 1, {sluice::broker::item("b")});
    EVENTUALLY(slow->mailbox.events() == n + 1);
    const auto deliveries = slow->mailbox.take().deliveries;
    for (std::size_t i = 0; i < deliveries.size(); ++i)
        CHECK(deliveries[i].event->body.starts_with(std::to_string(i + 1) + ' '));
    CHECK(trial.counters.handovers >= 1);
    CHECK(trial.counters.events_matched == n + 2);
    CHECK(trial.counters.events_lost == 0);
}

TEST_CASE("a subscriber that joins while batches wait for their turn gets all events from then on, once and in order") {
    Trial trial(4, 3);
    trial.matcher.start();
    const auto stays = trial.subscribe("s", "title = 't'");
    std::atomic<std::uint64_t> published{0};
    struct Publisher {
        std::atomic<bool> enough{false};
        std::thread thread;

        void end() {
            enough = true;
            if (thread.joinable()) thread.join();
        }
        ~Publisher() { end(); }
    } publisher;
    publisher.thread = std::thread([&] {
        while (!publisher.enough) {
            if (published - stays->mailbox.events() > 64) {  // keeps batches few and varied
                std::this_thread::yield();
                continue;
            }
            const std::uint64_t first_id = published + 1;
            published += 2;  // counted first: later events are published after it
            trial.publish("s", first_id, {sluice::broker::item("t"), sluice::broker::item("t")});
        }
    });
    const auto ids_of = [](sluice::broker::Subscriber& subscriber) {
        std::vector<std::uint64_t> ids;
        for (const sluice::broker::Delivery& delivery : subscriber.mailbox.take().deliveries)
            ids.push_back(delivery.event->id);
        return ids;
    };
    const auto are_consecutive = [](const std::vector<std::uint64_t>& ids) {
        for (std::size_t i = 1; i < ids.size(); ++i)
            if (ids[i] != ids[i - 1] + 1) return false;
        return true;
    };
    for (int i = 0; i < 100; ++i) {
        // Either shares the engine's subscription of `stays`, or has its own, whose slot changes.
        const auto visitor = trial.subscribe("s", i % 2 == 0 ? "title = 't'" : "contains(title, 't')");
        const std::uint64_t before = published;
        EVENTUALLY(visitor->mailbox.events() >= 30);
        trial.registry.remove(visitor);
        const std::vector<std::uint64_t> ids = ids_of(*visitor);
        CHECK(ids.front() <= before + 1);
        CHECK(are_consecutive(ids));
    }
    publisher.end();
    EVENTUALLY(stays->mailbox.events() == published);
    const std::vector<std::uint64_t> ids = ids_of(*stays);
    CHECK(ids.front() == 1);
    CHECK(are_consecutive(ids));
}

namespace {

// A program that fails for batches of more than `events_max` events, and counts the batches.
class Failing final : public sluice::engine::Program {
public:
    Failing(std::shared_ptr<const sluice::engine::Program> program, std::size_t events_max)
        : program_(std::move(program)), events_max_(events_max) {}

    const std::shared_ptr<const sluice::engine::Dictionary>& attributes() const override {
        return program_->attributes();
    }
    const std::shared_ptr<const sluice::engine::Dictionary>& scanned() const override { return program_->scanned(); }
    void match(const sluice::engine::EventBatch& batch, std::vector<sluice::engine::Match>& matches) const override {
        ++batches_;
        if (batch.size() > events_max_) throw std::bad_alloc();
        program_->match(batch, matches);
    }
    std::size_t batches() const { return batches_; }

private:
    const std::shared_ptr<const sluice::engine::Program> program_;
    const std::size_t events_max_;
    mutable std::atomic<std::size_t> batches_ = 0;
};

// A program that calls a function before each match.
class Interrupted final : public sluice::engine::Program {
public:
    Interrupted(std::shared_ptr<const sluice::engine::Program> program, std::function<void()> before)
        : program_(std::move(program)), before_(std::move(before)) {}

    const std::shared_ptr<const sluice::engine::Dictionary>& attributes() const override {
        return program_->attributes();
    }
    const std::shared_ptr<const sluice::engine::Dictionary>& scanned() const override { return program_->scanned(); }
    void match(const sluice::engine::EventBatch& batch, std::vector<sluice::engine::Match>& matches) const override {
        before_();
        program_->match(batch, matches);
    }

private:
    const std::shared_ptr<const sluice::engine::Program> program_;
    const std::function<void()> before_;
};

// A matcher whose program fails from the first batch on.
struct FailingTrial {
    explicit FailingTrial(std::size_t events_max) {
        for (const char* stream : {"a", "b", ""}) {
            subscribers.push_back(std::make_shared<sluice::broker::Subscriber>(
                sluice::broker::MailboxLimits{1'000, 1'000'000}, [] {}, sluice::broker::plain_framer, false));
            subscribers.back()->select(sluice::auth::Scope(sluice::broker::only(stream)));
            subscribers.back()->first_id = 1;
            const auto made = sluice::broker::make_subscription(sluice::auth::Scope(sluice::broker::only(stream)), "",
                                                                {{}, {sluice::engine::Conjunction{}}});
            gained.gained.push_back({set->add(made.disjunction), {subscribers.back(), 0}});
        }
        fanout.apply(std::move(gained));
        program = std::make_shared<Failing>(set->compile(), events_max);
        matcher.set_program(program);
        const auto document = sluice::broker::document({sluice::broker::item("x"), sluice::broker::item("y")});
        for (const char* stream : {"a", "c"}) {
            const auto name = std::make_shared<const std::string>(stream);
            std::vector<sluice::broker::QueuedEvent> events(2);
            for (std::size_t i = 0; i < 2; ++i) events[i].event = {document, i, name, i + 1};
            queue.push(std::move(events));
        }
        queue.close();
        matcher.start();
        done = matcher.wait_until_done(std::chrono::steady_clock::now() + 60s);
    }

    sluice::broker::Counters counters;
    sluice::broker::EventQueue queue{1'000'000, 1'000'000'000};
    sluice::broker::Fanout fanout{counters};
    std::unique_ptr<sluice::engine::SubscriptionSet> set =
        sluice::engine::make_subscription_set(sluice::engine::Backend::cpu);
    sluice::broker::Fanout::Change gained;
    std::shared_ptr<const Failing> program;
    std::vector<std::shared_ptr<sluice::broker::Subscriber>> subscribers;  // to a, to b, to all streams
    sluice::broker::Matcher matcher{{1, 32, 0us}, queue, fanout, counters};
    bool done = false;
};

}  // namespace

TEST_CASE(
    "Matcher: queue closed while a publisher matches → the matcher is done only after that, and nothing is lost") {
    using sluice::broker::EventQueue;
    sluice::broker::Counters counters;
    EventQueue queue(1'000'000, 1'000'000'000);
    sluice::broker::Fanout fanout(counters);
    const auto set = sluice::engine::make_subscription_set(sluice::engine::Backend::cpu);
    const auto subscriber = std::make_shared<sluice::broker::Subscriber>(
        sluice::broker::MailboxLimits{1'000, 1'000'000}, [] {}, sluice::broker::plain_framer, false);
    subscriber->select(sluice::auth::Scope(sluice::broker::only("s")));
    subscriber->first_id = 1;
    const auto made = sluice::broker::make_subscription(sluice::auth::Scope(sluice::broker::only("s")), "",
                                                        {{}, {sluice::engine::Conjunction{}}});
    sluice::broker::Fanout::Change gained;
    gained.gained.push_back({set->add(made.disjunction), {subscriber, 0}});
    fanout.apply(std::move(gained));
    sluice::broker::Matcher matcher({1, 32, 0us, {}, true}, queue, fanout, counters);
    const Closing closing{queue};
    bool was_done = true;
    matcher.set_program(std::make_shared<Interrupted>(set->compile(), [&] {
        queue.close();
        was_done = matcher.wait_until_done(std::chrono::steady_clock::now() + 50ms);
    }));
    matcher.start();
    EVENTUALLY(queue.sleepers() == 1);
    push_for_later(queue, "s", 1, sluice::broker::item("x"));
    matcher.hand_over();
    CHECK_FALSE(was_done);
    CHECK(subscriber->mailbox.events() == 1);
    CHECK(matcher.wait_until_done(std::chrono::steady_clock::now() + 60s));
    CHECK(counters.events_matched == 1);
    CHECK(counters.events_lost == 0);
}

namespace {

// A matcher whose publishers may match, with programs as the test compiles them.
struct OwnPrograms {
    ~OwnPrograms() {
        queue.close();
        matcher.wait_until_done(std::chrono::steady_clock::now() + 60s);
    }

    sluice::broker::Counters counters;
    sluice::broker::EventQueue queue{1'000'000, 1'000'000'000};
    sluice::broker::Fanout fanout{counters};
    std::unique_ptr<sluice::engine::SubscriptionSet> set =
        sluice::engine::make_subscription_set(sluice::engine::Backend::cpu);
    sluice::broker::Matcher matcher{{1, 32, 0us, {}, true}, queue, fanout, counters};
};

}  // namespace

TEST_CASE_METHOD(
    OwnPrograms,
    "Matcher: very many filters → a publisher matches one event, but wakes a matching thread for several") {
    const auto subscriber = std::make_shared<sluice::broker::Subscriber>(
        sluice::broker::MailboxLimits{1'000, 1'000'000}, [] {}, sluice::broker::plain_framer, false);
    const auto filter = set->add(sluice::filter::compile_filter("title = 'y'").value().disjunction);
    sluice::broker::Fanout::Change gained;
    for (std::size_t i = 0; i < 2'000; ++i) gained.gained.push_back({filter, {subscriber, 0}});
    fanout.apply(std::move(gained));
    matcher.set_program(set->compile());
    matcher.start();
    EVENTUALLY(queue.sleepers() == 1);
    for (const std::uint64_t id : {1u, 2u}) push_for_later(queue, "s", id, sluice::broker::item("x"));
    matcher.hand_over();
    CHECK(queue.wakes() == 1);
    EVENTUALLY(counters.events_matched == 2);
    EVENTUALLY(queue.sleepers() == 1);
    push_for_later(queue, "s", 3, sluice::broker::item("x"));
    matcher.hand_over();
    CHECK(queue.wakes() == 1);
    CHECK(counters.events_matched == 3);
}

TEST_CASE_METHOD(OwnPrograms,
                 "Matcher: program replaced while a publisher matches with it → outlives that, until the next change") {
    std::weak_ptr<const sluice::engine::Program> replaced;
    {
        const auto program =
            std::make_shared<Interrupted>(set->compile(), [&] { matcher.set_program(set->compile()); });
        matcher.set_program(program);
        replaced = program;
    }
    matcher.start();
    EVENTUALLY(queue.sleepers() == 1);
    push_for_later(queue, "s", 1, sluice::broker::item("x"));
    matcher.hand_over();
    CHECK(queue.wakes() == 0);
    CHECK(counters.events_matched == 1);
    CHECK_FALSE(replaced.expired());
    matcher.set_program(set->compile());
    CHECK(replaced.expired());
}

TEST_CASE("a batch that fails is matched in halves") {
    sluice::broker::test_options();  // no log
    const std::size_t events_max = GENERATE(1u, 2u, 3u);
    FailingTrial trial(events_max);
    REQUIRE(trial.done);
    CHECK(trial.program->batches() == (events_max == 1 ? 7 : 3));
    CHECK(trial.counters.events_lost == 0);
    CHECK(trial.counters.events_matched == 4);
    for (const auto& subscriber : trial.subscribers)
        CHECK(subscriber->mailbox.state() == sluice::broker::Mailbox::State::open);
    CHECK(trial.subscribers[0]->mailbox.events() == 2);
    CHECK(trial.subscribers[1]->mailbox.events() == 0);
    const auto all = trial.subscribers[2]->mailbox.take().deliveries;
    REQUIRE(all.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(all[i].event->body.starts_with(std::to_string(i % 2 + 1) + ' '));
}

TEST_CASE("who might have got an event that can't be matched is told") {
    sluice::broker::test_options();  // no log
    FailingTrial trial(0);
    REQUIRE(trial.done);
    CHECK(trial.counters.events_lost == 4);
    const auto told = [&](std::size_t i) {
        const auto reason = trial.subscribers[i]->mailbox.end_reason();
        return reason && reason->kind == sluice::broker::EndReason::Kind::undelivered;
    };
    CHECK(told(0));
    CHECK_FALSE(told(1));
    CHECK(told(2));
}
