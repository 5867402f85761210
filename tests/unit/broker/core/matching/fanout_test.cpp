#include "broker/core/matching/fanout.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <new>
#include <utility>

#include "broker/match/batch_matcher.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/unit/broker/core/delivery/plain_framer.hpp"
#include "tests/unit/broker/support.hpp"

namespace sluice::broker {

namespace {

void deliver(Fanout& fanout, const Fanout::Outcome& outcome) {
    PreparedBatch batch = fanout.prepare(outcome);
    fanout.deliver(batch);
}

// From the first event on.
void put_in_place(Fanout& fanout, Fanout::Change change) {
    for (auto& [id, target] : change.gained) target.subscriber->first_id = 1;
    fanout.apply(std::move(change));
}

std::shared_ptr<Subscriber> subscriber(bool tells_filters = false, SubscriberMemory memory = {}) {
    return std::make_shared<Subscriber>(
        MailboxLimits{100, 10'000}, [] {}, plain_framer, tells_filters, nullptr, std::move(memory));
}

// Two events of a stream, and matches of both.
struct TwoEvents {
    std::vector<feed::Event> events{{document({"<title>a</title>", "<title>b</title>"}), 0, stream, 1}};
    TwoEvents() { events.push_back({events[0].document, 1, stream, 2}); }

    static inline const std::shared_ptr<const std::string> stream = std::make_shared<const std::string>("news");
    static constexpr engine::SubscriptionId subscription{0, 1}, other{1, 1};
};

}  // namespace

TEST_CASE("a subscriber that a batch could not be delivered to gets an error and ends, and all others get the batch") {
    Counters counters;
    Fanout fanout(counters);
    bool fails = true;
    const auto wake = [&] {
        if (std::exchange(fails, false)) throw std::bad_alloc();
    };
    const MailboxLimits limits{10, 10'000};
    const auto first = std::make_shared<Subscriber>(limits, wake, plain_framer, false);
    const auto second = std::make_shared<Subscriber>(
        limits, [] {}, plain_framer, false);
    const engine::SubscriptionId subscription{0, 1};
    put_in_place(fanout, {{{subscription, {first, 0}}, {subscription, {second, 0}}}, {}});
    CHECK(first->mailbox.take().deliveries.empty());  // leaves the mailbox waiting, so that it is woken
    const auto items = document({item("one"), item("two")});
    const auto stream = std::make_shared<const std::string>("news");
    const std::vector<feed::Event> two{{items, 0, stream, 1}, {items, 1, stream, 2}}, one{{items, 0, stream, 3}};
    const std::vector<engine::Match> both{{subscription, 0, 3}}, only{{subscription, 0, 1}};
    CHECK_THROWS_AS(deliver(fanout, {two, both, {}}), std::bad_alloc);
    CHECK(second->mailbox.events() == 2);
    CHECK(first->mailbox.state() == Mailbox::State::finished);
    CHECK(first->mailbox.end_reason()->kind == EndReason::Kind::undelivered);
    deliver(fanout, {one, only, {}});
    CHECK(second->mailbox.events() == 3);
    CHECK(second->mailbox.state() == Mailbox::State::open);
}

TEST_CASE("what many get can wait, what few get can't") {
    Counters counters;
    Fanout fanout(counters);
    const engine::SubscriptionId wide{0, 1}, narrow{1, 1};
    std::vector<std::shared_ptr<Subscriber>> crowd;
    Fanout::Change change;
    for (int i = 0; i < 64; ++i) {
        crowd.push_back(std::make_shared<Subscriber>(
            MailboxLimits{10, 10'000}, [] {}, plain_framer, false));
        change.gained.emplace_back(wide, Target{crowd.back(), 0});
    }
    const auto single = std::make_shared<Subscriber>(
        MailboxLimits{10, 10'000}, [] {}, plain_framer, false);
    change.gained.emplace_back(wide, Target{single, 0});
    change.gained.emplace_back(narrow, Target{single, 1});
    put_in_place(fanout, std::move(change));
    const auto items = document({item("one"), item("two")});
    const auto stream = std::make_shared<const std::string>("news");
    const std::vector<feed::Event> batch{{items, 0, stream, 1}, {items, 1, stream, 2}};
    const std::vector<engine::Match> matches{{wide, 0, 1}, {narrow, 0, 2}};
    deliver(fanout, {batch, matches, {}});
    CHECK(crowd.front()->mailbox.take().can_wait);
    const auto taken = single->mailbox.take();
    CHECK(taken.deliveries.size() == 2);
    CHECK_FALSE(taken.can_wait);
}

TEST_CASE("Collected: event found by fewer than 64 filters → not wide") {
    const std::uint32_t filters = GENERATE(1u, 63u, 64u);
    Collected collected;
    for (std::uint32_t i = 0; i < filters; ++i) collected.add(collected.add(nullptr), {1, i});
    collected.sort(2);
    CHECK(collected.is_wide(collected.of(0)) == (filters == 64));
}

TEST_CASE("nothing is made for subscribers that no longer read") {
    const std::size_t events = Annotator::batch_share;
    const auto subscriber = [](const std::string& filter) {
        const std::uint64_t cells_max = 4 * 4;
        return std::make_shared<Subscriber>(
            MailboxLimits{100, 100'000}, [] {}, plain_framer, false,
            std::make_unique<Annotator>(std::vector<std::vector<filter::Leaf>>{filter::compile_filter(filter)->leaves},
                                        cells_max));
    };
    const auto closed = subscriber("align(title, 'ACGA') >= 0"), open = subscriber("align(title, 'ACGT') >= 0");
    Counters counters;
    Fanout fanout(counters);
    const engine::SubscriptionId subscription{0, 1};
    put_in_place(fanout, {{{subscription, {closed, 0}}, {subscription, {open, 0}}}, {}});
    closed->mailbox.finish();
    const auto items = document({"<title>ACGT</title>"});
    const std::vector<feed::Event> batch(events, {items, 0, std::make_shared<const std::string>("genes"), 1});
    const std::vector<engine::Match> all{{subscription, 0, 0xffffffffu}};
    deliver(fanout, {batch, all, {}});
    CHECK(closed->mailbox.take().deliveries.empty());
    const auto deliveries = open->mailbox.take().deliveries;
    REQUIRE(deliveries.size() == events);
    for (const Delivery& delivery : deliveries) {
        REQUIRE(delivery.annotations);
        REQUIRE(delivery.annotations->alignments->size() == 1);
        CHECK(delivery.annotations->alignments->front().cigar == "4=");
    }
    CHECK(counters.deliveries == events);
}

TEST_CASE("annotations are found in the values that matching has read, even when they are made in the batch's turn") {
    const std::string filter = "align(title, 'ACGT') >= 3 and align(../item/title, 'TTTT') = 4";
    const auto compiled = filter::compile_filter(filter);
    const auto set = engine::make_subscription_set(engine::Backend::cpu);
    const auto subscription = set->add(compiled->disjunction);
    const auto program = set->compile();
    Counters counters;
    base::MemoryBudget memory(GENERATE(64u, 100'000'000u));  // the first is too small to prepare any but one
    Mailboxes mailboxes;
    EventMemory event_memory(memory, mailboxes, counters);
    Fanout fanout(counters, config::UndecidedPolicy::gap, &event_memory);
    std::vector<std::shared_ptr<Subscriber>> subscribers;
    for (int i = 0; i < 3; ++i) {
        subscribers.push_back(std::make_shared<Subscriber>(
            MailboxLimits{100, 100'000}, [] {}, plain_framer, false,
            std::make_unique<Annotator>(std::vector<std::vector<filter::Leaf>>{compiled->leaves}, 1'000),
            SubscriberMemory{{}, memory.force_charge(base::MemoryUse::mailboxes, 0), &mailboxes}));
        put_in_place(fanout, {{{subscription, {subscribers.back(), 0}}}, {}});
    }
    const auto items = document({"<title>ACGT</title>", "<title>TTTT</title>", "<title>ACG</title>"});
    const auto stream = std::make_shared<const std::string>("genes");
    const std::vector<feed::Event> events{{items, 0, stream, 1}, {items, 1, stream, 2}, {items, 2, stream, 3}};
    BatchMatcher matcher;
    const auto matches = matcher.match(*program, events);
    const MatchedValues values = GENERATE(true, false) ? matcher.values() : MatchedValues();
    deliver(fanout, {events, matches, {}, values});
    for (const auto& each : subscribers) {
        const auto taken = each->mailbox.take().deliveries;
        REQUIRE(taken.size() == 2);
        const std::vector<FoundAlignment>&first = *taken[0].annotations->alignments,
              &second = *taken[1].annotations->alignments;
        REQUIRE(first.size() == 2);
        CHECK((first[0].cigar == "4=" && first[0].value == 0 && first[1].cigar == "4=" && first[1].value == 1));
        REQUIRE(second.size() == 2);
        CHECK((second[0].cigar == "3=" && second[1].cigar == "4=" && second[1].value == 1));
    }
}

TEST_CASE_METHOD(TwoEvents,
                 "an event's body is made once for all who have the same format, and says which filters hold") {
    Counters counters;
    Fanout fanout(counters);
    const PlainFormat other_format;
    const PlainFramer same_format, another(other_format);
    const auto a = subscriber(true), b = subscriber();
    const auto c = std::make_shared<Subscriber>(
        MailboxLimits{10, 10'000}, [] {}, another, false);
    const auto d = std::make_shared<Subscriber>(
        MailboxLimits{10, 10'000}, [] {}, same_format, false);
    put_in_place(fanout, {{{subscription, {a, 0}},
                           {other, {a, 1}},
                           {subscription, {b, 0}},
                           {subscription, {c, 0}},
                           {subscription, {d, 0}}},
                          {}});
    const std::vector<engine::Match> matches{{other, 0, 1}, {subscription, 0, 3}};
    const int before = plain_format.bodies;
    deliver(fanout, {events, matches, {}});
    CHECK(plain_format.bodies == before + 2);
    CHECK(other_format.bodies == 2);
    const auto of_a = a->mailbox.take().deliveries, of_b = b->mailbox.take().deliveries;
    CHECK(texts_of(plain_framer, of_a) ==
          std::vector<std::string>{"1 <item><title>a</title></item> 0 1", "2 <item><title>b</title></item> 0"});
    CHECK(texts_of(plain_framer, of_b) ==
          std::vector<std::string>{"1 <item><title>a</title></item>", "2 <item><title>b</title></item>"});
    CHECK(of_a[0].event == of_b[0].event);
    CHECK(of_a[0].event == d->mailbox.take().deliveries[0].event);
    CHECK(*of_a[0].event->stream == "news");
    CHECK(of_a[0].bytes == of_b[0].bytes + 4);
    CHECK(of_a[0].deliveries == 1);
    CHECK(c->mailbox.bytes() == of_b[0].bytes + of_b[1].bytes);
}

TEST_CASE_METHOD(TwoEvents, "an undecided filter is a gap in the event's place, or the end") {
    Counters counters;
    const auto policy = GENERATE(config::UndecidedPolicy::gap, config::UndecidedPolicy::disconnect);
    Fanout fanout(counters, policy);
    const auto a = subscriber();
    put_in_place(fanout, {{{subscription, {a, 0}}, {other, {a, 1}}}, {}});
    const std::vector<engine::Match> matches{{subscription, 0, 3}}, undecided{{other, 0, 2}};
    deliver(fanout, {events, matches, undecided});
    const auto [taken, state, can_wait, replaying, left_bytes] = a->mailbox.take();
    CHECK(texts_of(plain_framer, taken).front() == "1 <item><title>a</title></item>");
    if (policy == config::UndecidedPolicy::gap) {
        CHECK(taken.size() == 3);
        CHECK(texts_of(plain_framer, taken)[1] == "2 <item><title>b</title></item>");
        CHECK(texts_of(plain_framer, taken)[2] == "gap 2 1");
        CHECK(counters.deliveries == 2);
        CHECK(counters.gaps == 1);
        CHECK(state == Mailbox::State::open);
    } else {
        CHECK(taken.size() == 1);
        CHECK(counters.slow_filters == 1);
        const auto reason = a->mailbox.end_reason();
        REQUIRE(reason);
        CHECK(reason->kind == EndReason::Kind::slow_filter);
        CHECK(reason->filter == 1);
        CHECK(*reason->stream == "news");
        CHECK(reason->id == 2);
    }
}

TEST_CASE("events that a filter leaves undecided are one gap, unless an event is delivered between them") {
    const auto items = document({item("a"), item("b"), item("c"), item("d"), item("e")});
    std::vector<feed::Event> events;
    for (std::size_t i = 0; i < 5; ++i) events.push_back({items, i, TwoEvents::stream, 10 * i + 1});
    events[4].stream = std::make_shared<const std::string>("other");
    Counters counters;
    Fanout fanout(counters);
    const engine::SubscriptionId first{0, 1}, second{1, 1}, third{2, 1};
    const auto a = subscriber();
    put_in_place(fanout, {{{first, {a, 0}}, {second, {a, 1}}, {third, {a, 2}}}, {}});
    const std::vector<engine::Match> matches{{third, 0, 0b00100}};
    const std::vector<engine::Match> undecided{{first, 0, 0b11111}, {second, 0, 0b00011}, {second, 0, 0b01000}};
    deliver(fanout, {events, matches, undecided});
    const auto taken = a->mailbox.take().deliveries;
    std::vector<std::string> told;
    for (const Delivery& delivery : taken) {
        const std::string last = std::to_string(delivery.event->id);
        told.push_back(delivery.kind == Delivery::Kind::event
                           ? "event " + last
                           : std::to_string(delivery.filters.front()) + ": " + std::to_string(delivery.first_id) + "-" +
                                 last + "/" + std::to_string(delivery.gap_events));
    }
    CHECK(told ==
          std::vector<std::string>{"0: 1-11/2", "1: 1-11/2", "event 21", "0: 21-31/2", "1: 31-31/1", "0: 41-41/1"});
    CHECK(counters.gaps == 8);
    CHECK(counters.deliveries == 1);
}

TEST_CASE_METHOD(TwoEvents,
                 "who comes or goes while a batch waits for its turn gets nothing of it, and it keeps none of a "
                 "session that is gone") {
    Counters counters;
    base::MemoryBudget memory(10'000'000);
    Mailboxes mailboxes;
    EventMemory event_memory(memory, mailboxes, counters);
    Fanout fanout(counters, config::UndecidedPolicy::gap, &event_memory);
    const auto charged = [&] { return SubscriberMemory{{}, memory.charge(base::MemoryUse::mailboxes, 0), &mailboxes}; };
    auto stays = subscriber(false, charged()), leaves = subscriber(false, charged());
    put_in_place(fanout, {{{subscription, {stays, 0}}, {other, {leaves, 0}}}, {}});
    const std::vector<engine::Match> matches{{subscription, 0, 3}, {other, 0, 3}};
    deliver(fanout, {events, matches, {}});
    auto batch = std::make_optional(fanout.prepare({events, matches, {}}));

    // As when a session ends, and the registry removes its subscription and reuses the slot.
    leaves->mailbox.close();
    CHECK(leaves->mailbox.bytes() == 0);
    leaves->gone = true;
    fanout.lose(other);
    const auto comes = subscriber(false, charged());
    comes->first_id = 3;
    fanout.apply({{{{other.slot, other.generation + 1}, {comes, 0}}, {subscription, {comes, 1}}}, {}});
    const std::weak_ptr<Subscriber> gone = leaves;
    leaves.reset();

    fanout.deliver(*batch);
    batch.reset();
    CHECK(gone.expired());
    CHECK(comes->mailbox.events() == 0);
    CHECK(stays->mailbox.events() == 4);
    CHECK(counters.deliveries == 6);
    stays->mailbox.settled(stays->mailbox.take().deliveries);
    CHECK(memory.used() == 0);
}

TEST_CASE_METHOD(TwoEvents, "Fanout: subscriber in place from an id on → gets no event before it") {
    Counters counters;
    Fanout fanout(counters);
    const auto later = subscriber(), none = subscriber(), all = subscriber();
    put_in_place(fanout, {{{subscription, {later, 0}}, {subscription, {none, 0}}, {subscription, {all, 0}}}, {}});
    later->first_id = 2;
    none->first_id = Subscriber::no_id;
    const std::vector<engine::Match> matches{{subscription, 0, 3}};
    deliver(fanout, {events, matches, {}});
    deliver(fanout, {events, {}, matches});
    CHECK(all->mailbox.events() == 3);  // with one gap for both events
    CHECK(none->mailbox.events() == 0);
    const auto taken = later->mailbox.take().deliveries;
    REQUIRE(taken.size() == 2);
    for (const Delivery& delivery : taken) CHECK(delivery.event->id == 2);
    CHECK(taken[1].gap_events == 1);
}

TEST_CASE_METHOD(TwoEvents, "nothing is put into the mailbox of a subscriber that is removed while a batch waits") {
    Counters counters;
    Fanout fanout(counters);
    const auto a = subscriber();
    put_in_place(fanout, {{{subscription, {a, 0}}}, {}});
    const std::vector<engine::Match> matches{{subscription, 0, 3}};
    PreparedBatch batch = fanout.prepare({events, matches, {}});
    a->gone = true;
    fanout.deliver(batch);
    CHECK(a->mailbox.events() == 0);
    CHECK(counters.deliveries == 0);
}

TEST_CASE_METHOD(TwoEvents, "a subscriber without memory gets the deliveries of earlier batches, then the error") {
    struct Failing : PlainFramer {
        std::size_t bytes(const Delivery& delivery) const override {
            if (fails) throw std::bad_alloc();
            return PlainFramer::bytes(delivery);
        }
        bool fails = false;
    } failing;
    Counters counters;
    Fanout fanout(counters);
    const auto a = std::make_shared<Subscriber>(
                   MailboxLimits{10, 10'000}, [] {}, failing, false),
               b = subscriber();
    put_in_place(fanout, {{{subscription, {a, 0}}, {subscription, {b, 0}}}, {}});
    const std::vector<engine::Match> matches{{subscription, 0, 3}};
    PreparedBatch first = fanout.prepare({events, matches, {}});
    failing.fails = true;
    PreparedBatch second = fanout.prepare({events, matches, {}});
    CHECK(a->mailbox.state() == Mailbox::State::open);
    fanout.deliver(first);
    CHECK_THROWS_AS(fanout.deliver(second), std::bad_alloc);
    CHECK(a->mailbox.events() == 2);
    CHECK(a->mailbox.end_reason()->kind == EndReason::Kind::undelivered);
    CHECK(b->mailbox.events() == 4);
    CHECK(b->mailbox.state() == Mailbox::State::open);
}

TEST_CASE_METHOD(TwoEvents, "what is prepared is charged for until it is in the mailboxes", "[memory]") {
    Counters counters;
    base::MemoryBudget memory(GENERATE(100'000u, 100'000'000u));  // the first is too small to prepare all of them
    Mailboxes mailboxes;
    EventMemory event_memory(memory, mailboxes, counters);
    Fanout fanout(counters, config::UndecidedPolicy::gap, &event_memory);
    std::vector<std::shared_ptr<Subscriber>> crowd;
    Fanout::Change change;
    for (int i = 0; i < 100; ++i) {
        crowd.push_back(
            subscriber(false, SubscriberMemory{{}, memory.charge(base::MemoryUse::mailboxes, 0), &mailboxes}));
        change.gained.emplace_back(subscription, Target{crowd.back(), 0});
    }
    put_in_place(fanout, std::move(change));
    const std::vector<engine::Match> matches{{subscription, 0, 3}};
    {
        PreparedBatch batch = fanout.prepare({events, matches, {}});
        const bool all = memory.bytes_max() > 1'000'000;
        const std::size_t own = sizeof(PreparedBatch::Made) + 2 * sizeof(Delivery);
        CHECK(memory.used() >= (all ? 100 : 2) * own);
        const std::size_t found = all ? 0 : 100 * 2 * sizeof(Wanted);
        CHECK(memory.used() <= (all ? 100 : 100'000 / 64 / own + 1) * own + found + 1'000);
        fanout.deliver(batch);
    }
    CHECK(memory.used() >= 100 * 2 * sizeof(Delivery));
    CHECK(memory.used() <= 100 * 2 * sizeof(Delivery) + 1'000);
    SharedEventPtr second;
    for (const auto& each : crowd) {
        const auto taken = each->mailbox.take().deliveries;
        REQUIRE(taken.size() == 2);
        if (!second) second = taken[1].event;
        CHECK(taken[1].event == second);  // even if some were made later
        each->mailbox.settled(taken);
    }
    second.reset();
    CHECK(memory.used() == 0);
}

TEST_CASE_METHOD(TwoEvents, "what very many filters accept is prepared event by event") {
    Counters counters;
    Fanout fanout(counters);
    const auto one = subscriber();
    Fanout::Change change;
    const std::size_t filters = Fanout::found_bytes_max / sizeof(Wanted) / 2;
    for (std::uint32_t i = 0; i < filters; ++i) change.gained.emplace_back(subscription, Target{one, i});
    put_in_place(fanout, std::move(change));
    const std::vector<engine::Match> both{{subscription, 0, 3}}, first{{subscription, 0, 1}};
    CHECK_THROWS_AS(fanout.prepare({events, both, {}}), Fanout::TooManyFound);
    CHECK(fanout.prepare({std::span(events).first(1), first, {}}).size() == 1);
}

}  // namespace sluice::broker
