#include "broker/matching/fanout.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <new>
#include <utility>

#include "protocol/filter/filter.hpp"
#include "tests/unit/broker/support.hpp"

namespace sluice {

TEST_CASE("whoever a batch could not be delivered to is told so and ended; all others get it") {
    Counters counters;
    Fanout fanout(counters);
    bool fails = true;
    const auto wake = [&] {
        if (std::exchange(fails, false)) throw std::bad_alloc();
    };
    const MailboxLimits limits{10, 10'000};
    const auto first = std::make_shared<Subscriber>(limits, wake, EventFormat::json, false);
    const auto second = std::make_shared<Subscriber>(
        limits, [] {}, EventFormat::json, false);
    const SubscriptionId subscription{0, 1};
    fanout.apply({{{subscription, {first, 0}}, {subscription, {second, 0}}}, {}});
    CHECK(first->mailbox.take().messages.empty());  // it waits, so that it will be woken
    const auto items = document({item("one"), item("two")});
    const auto stream = std::make_shared<const std::string>("news");
    const std::vector<Event> two{{items, 0, stream, 1}, {items, 1, stream, 2}}, one{{items, 0, stream, 3}};
    const std::vector<Match> both{{subscription, 0, 3}}, only{{subscription, 0, 1}};
    CHECK_THROWS_AS(fanout.deliver({two, both, {}, 1}), std::bad_alloc);
    CHECK(second->mailbox.events() == 2);
    CHECK(first->mailbox.state() == Mailbox::State::finished);
    CHECK(first->mailbox.farewell().find("problem:undelivered") != std::string::npos);
    fanout.deliver({one, only, {}, 2});
    CHECK(second->mailbox.events() == 3);
    CHECK(second->mailbox.state() == Mailbox::State::open);
}

TEST_CASE("nothing is made for whoever reads no more") {
    const std::size_t events = Annotator::batch_share;
    const auto subscriber = [](const std::string& filter) {
        const std::uint64_t cells_max = 4 * 4;
        return std::make_shared<Subscriber>(
            MailboxLimits{100, 100'000}, [] {}, EventFormat::json, false,
            std::make_unique<Annotator>(std::vector<std::vector<Leaf>>{compile_filter(filter)->leaves}, cells_max));
    };
    const auto closed = subscriber("align(title, 'ACGA') >= 0"), open = subscriber("align(title, 'ACGT') >= 0");
    Counters counters;
    Fanout fanout(counters);
    const SubscriptionId subscription{0, 1};
    fanout.apply({{{subscription, {closed, 0}}, {subscription, {open, 0}}}, {}});
    closed->mailbox.finish();
    const auto items = document({"<title>ACGT</title>"});
    const std::vector<Event> batch(events, {items, 0, std::make_shared<const std::string>("genes"), 1});
    const std::vector<Match> all{{subscription, 0, 0xffffffffu}};
    fanout.deliver({batch, all, {}, 1});
    CHECK(closed->mailbox.take().messages.empty());
    const auto messages = open->mailbox.take().messages;
    REQUIRE(messages.size() == events);
    for (const Message& message : messages) CHECK(message.tail.find("\"cigar\":\"4=\"") != std::string::npos);
    CHECK(counters.deliveries == events);
}

}  // namespace sluice
