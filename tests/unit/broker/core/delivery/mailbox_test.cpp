#include "broker/core/delivery/mailbox.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <span>
#include <thread>

#include "tests/unit/broker/core/delivery/plain_framer.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

Delivery event_with(std::uint64_t id) {
    return delivery_of(
        std::make_shared<const SharedEvent>(SharedEvent{std::make_shared<const std::string>("s"), id, "x"}));
}

}  // namespace

TEST_CASE("a mailbox wakes its reader once per empty take") {
    int wakes = 0;
    Mailbox mailbox({100, 1000}, [&] { ++wakes; });
    CHECK(mailbox.push(deliveries(1)).accepted);
    CHECK(wakes == 0);  // nobody has looked yet
    CHECK(mailbox.take().deliveries.size() == 1);
    CHECK(mailbox.take().deliveries.empty());
    mailbox.push(deliveries(2));
    mailbox.push(deliveries(3));
    CHECK(wakes == 1);
    CHECK(mailbox.take().deliveries.size() == 5);
}

TEST_CASE("deliveries can wait where all of them can") {
    Mailbox mailbox({100, 1'000'000}, [] {});
    mailbox.push(deliveries(1), true);
    CHECK(mailbox.take().can_wait);
    mailbox.push(deliveries(1), true);
    mailbox.push(deliveries(1));
    mailbox.push(deliveries(1), true);
    CHECK_FALSE(mailbox.take().can_wait);
    mailbox.push(deliveries(1), true);
    CHECK(mailbox.take().can_wait);
}

TEST_CASE("Mailbox: deliveries that a reader leaves are taken with those that come meanwhile") {
    using Leave = Mailbox::Leave;
    int wakes = 0;
    Mailbox mailbox({100, 1'000'000}, [&] { ++wakes; });
    CHECK_FALSE(mailbox.take(100, Leave::all).left_bytes);  // there are none to leave
    mailbox.push(deliveries(1), true);
    CHECK(wakes == 1);
    const auto left = mailbox.take(100, Leave::waiting);
    CHECK(left.deliveries.empty());
    CHECK(left.left_bytes == 10u);
    mailbox.push(deliveries(2), true);
    CHECK(wakes == 1);  // the reader knows of some
    CHECK(mailbox.take(100, Leave::waiting).left_bytes == 30u);
    const auto taken = mailbox.take(100);
    CHECK(taken.deliveries.size() == 3);
    CHECK_FALSE(taken.left_bytes);
    mailbox.push(deliveries(1), true);
    mailbox.push(deliveries(1));  // can't wait
    CHECK(mailbox.take(100, Leave::all).left_bytes == 20u);
    CHECK(mailbox.take(100, Leave::waiting).deliveries.size() == 2);
}

TEST_CASE("Mailbox: deliveries left until the reader's turn do not make it slow") {
    using Leave = Mailbox::Leave;
    const bool in_bytes = GENERATE(false, true);
    Mailbox mailbox(in_bytes ? MailboxLimits{1000, 40} : MailboxLimits{4, 1000}, [] {});
    CHECK(mailbox.push(deliveries(20)).accepted);
    CHECK(mailbox.take(20, Leave::all).left_bytes == 200u);
    CHECK(mailbox.push(deliveries(5)).accepted);  // a large batch, for a reader that is not behind
    CHECK(mailbox.take(30, Leave::all).left_bytes == 250u);
    CHECK(mailbox.push(deliveries(3)).accepted);
    CHECK(mailbox.push(deliveries(1)).accepted);
    CHECK(mailbox.take(25).deliveries.size() == 25);
    CHECK_FALSE(mailbox.push(deliveries(1)).accepted);  // four others wait still
}

TEST_CASE("Mailbox: no more than a reader takes at once counts as taken when it is left") {
    const bool in_bytes = GENERATE(false, true);
    Mailbox mailbox(in_bytes ? MailboxLimits{1000, 40} : MailboxLimits{4, 1000}, [] {});
    CHECK(mailbox.push(deliveries(13)).accepted);
    CHECK(mailbox.take(10, Mailbox::Leave::all).left_bytes == 100u);
    CHECK(mailbox.push(deliveries(1)).accepted);
    CHECK_FALSE(mailbox.push(deliveries(1)).accepted);
    CHECK(mailbox.events() == 0);
}

TEST_CASE("Mailbox: what was left before an overflow is forgotten when it goes on with the log") {
    Mailbox mailbox({4, 1000, true}, [] {});
    mailbox.first_id = 1;
    CHECK(mailbox.push({event_with(1), event_with(2), event_with(3)}).accepted);
    CHECK(mailbox.take(100, Mailbox::Leave::all).left_bytes == 3u);
    mailbox.overflow();
    CHECK(mailbox.next_id() == 1);
    mailbox.begin_joining();
    mailbox.first_id = 1;
    CHECK(mailbox.end_joining());
    CHECK(mailbox.push({event_with(1), event_with(2), event_with(3), event_with(4)}).accepted);
    CHECK_FALSE(mailbox.push({event_with(5)}).accepted);
}

TEST_CASE("what is being written does not make a reader slow") {
    const bool in_bytes = GENERATE(false, true);
    Mailbox mailbox(in_bytes ? MailboxLimits{1000, 40} : MailboxLimits{4, 1000}, [] {});
    CHECK(mailbox.push(deliveries(20)).accepted);  // a large batch, for a reader that is not behind
    const auto taken = mailbox.take();
    CHECK(mailbox.events() == 20);
    CHECK(mailbox.push(deliveries(3)).accepted);
    CHECK(mailbox.push(deliveries(1)).accepted);
    CHECK(mailbox.events() == 24);
    mailbox.settled(taken.deliveries);
    CHECK(mailbox.events() == 4);
    CHECK_FALSE(mailbox.push(deliveries(1)).accepted);
}

TEST_CASE("a closed mailbox says how many deliveries were not settled") {
    Mailbox mailbox({4, 1000}, [] {}), slow({4, 1000}, [] {});
    mailbox.push(deliveries(3));
    const auto taken = mailbox.take(2);
    mailbox.settled(std::span(taken.deliveries).first(1));
    CHECK(mailbox.close() == 2);
    CHECK(mailbox.close() == 0);
    slow.push(deliveries(4));
    slow.push(deliveries(1));
    CHECK(slow.close() == 4);
}

TEST_CASE("an overflow empties the mailbox for good and is reported once") {
    const bool in_bytes = GENERATE(false, true);
    int wakes = 0;
    Mailbox mailbox(in_bytes ? MailboxLimits{1000, 50} : MailboxLimits{5, 1000}, [&] { ++wakes; });
    CHECK(mailbox.push(deliveries(5)).accepted);
    const auto overflowing = mailbox.push(deliveries(1));
    CHECK_FALSE(overflowing.accepted);
    CHECK(overflowing.overflowed_now);
    CHECK(wakes == 1);
    const auto later = mailbox.push(deliveries(1));
    CHECK_FALSE(later.accepted);
    CHECK_FALSE(later.overflowed_now);
    const auto taken = mailbox.take();
    CHECK(taken.deliveries.empty());
    CHECK(taken.state == Mailbox::State::overflowed);
    mailbox.finish();
    CHECK(mailbox.state() == Mailbox::State::overflowed);
}

TEST_CASE("a reader that is not behind gets more than the bounds at once") {
    const bool in_bytes = GENERATE(false, true);
    Mailbox mailbox(in_bytes ? MailboxLimits{1000, 50} : MailboxLimits{5, 1000}, [] {});
    CHECK(mailbox.push(deliveries(6)).accepted);
    CHECK_FALSE(mailbox.push(deliveries(1)).accepted);
}

TEST_CASE("a finished mailbox gives what it has and takes nothing more") {
    int wakes = 0;
    Mailbox mailbox({100, 1000}, [&] { ++wakes; });
    mailbox.push(deliveries(2));
    mailbox.finish();
    mailbox.finish();
    CHECK(wakes == 1);
    CHECK_FALSE(mailbox.push(deliveries(1)).accepted);
    const auto taken = mailbox.take();
    CHECK(taken.deliveries.size() == 2);
    CHECK(taken.state == Mailbox::State::finished);
}

TEST_CASE("the reason of the first end is the one that counts") {
    Mailbox mailbox({100, 1000}, [] {}), wished({100, 1000}, [] {}), slow({100, 1000}, [] {});
    CHECK_FALSE(mailbox.end_reason());
    mailbox.finish(EndReason{EndReason::Kind::undelivered});
    mailbox.finish(EndReason{EndReason::Kind::slow_filter});
    CHECK(mailbox.end_reason()->kind == EndReason::Kind::undelivered);
    wished.finish();
    wished.finish(EndReason{EndReason::Kind::slow_filter});
    CHECK_FALSE(wished.end_reason());
    slow.overflow();
    slow.finish(EndReason{EndReason::Kind::slow_filter});
    CHECK(slow.end_reason()->kind == EndReason::Kind::undelivered);
}

TEST_CASE("a reader with credit takes the oldest, as many as it may, and settles each by itself") {
    int wakes = 0;
    Mailbox mailbox({100, 1000}, [&] { ++wakes; });
    std::uint64_t last_id = 0, next_id = 0;
    const auto push = [&](std::size_t n) {
        std::vector<Delivery> pushed;
        for (std::size_t i = 0; i < n; ++i)
            pushed.push_back(delivery_of(std::make_shared<const SharedEvent>(
                SharedEvent{std::make_shared<const std::string>("s"), ++last_id, "0123456789"})));
        CHECK(mailbox.push(std::move(pushed)).accepted);
    };
    std::vector<Delivery> unsettled;
    for (int round = 0; round < 10; ++round) {
        push(3);
        for (Delivery& delivery : mailbox.take(2).deliveries) {
            CHECK(delivery.event->id == ++next_id);
            unsettled.push_back(std::move(delivery));
        }
        CHECK(unsettled.size() == 2u * static_cast<std::size_t>(round + 1));
        CHECK(mailbox.events() == last_id);
        CHECK(mailbox.bytes() == 10 * last_id);
    }
    mailbox.settled(std::span(unsettled).subspan(7, 1));
    mailbox.settled(std::span(unsettled).first(5));
    CHECK(mailbox.events() == last_id - 6);
    CHECK(mailbox.bytes() == 10 * (last_id - 6));
    CHECK(wakes == 0);  // it was never found empty
    mailbox.overflow();
    CHECK(mailbox.events() == unsettled.size() - 6);
    CHECK(mailbox.take(2).deliveries.empty());
}

TEST_CASE("deliveries can wait until all that could not are taken") {
    Mailbox mailbox({100, 1000}, [] {});
    mailbox.push(deliveries(3));
    mailbox.push(deliveries(1), true);
    CHECK_FALSE(mailbox.take(2).can_wait);
    CHECK_FALSE(mailbox.take(2).can_wait);
    mailbox.push(deliveries(1), true);
    CHECK(mailbox.take(2).can_wait);
}

TEST_CASE("what came live while a replay caught up is not decided before it is handed out") {
    Mailbox mailbox({100, 1'000'000, true}, [] {});
    mailbox.begin_replay(5);
    mailbox.begin_joining();
    mailbox.first_id = 10;
    CHECK(mailbox.push({event_with(12)}).accepted);
    CHECK(mailbox.take().deliveries.empty());
    CHECK(mailbox.push_replayed({}, 5, 10));
    CHECK(mailbox.end_joining());
    CHECK(mailbox.note_decided(20) == 9);
    CHECK(mailbox.note_decided(0) == 9);
    CHECK(mailbox.take().deliveries.size() == 1);
    CHECK(mailbox.note_decided(0) == 12);
    CHECK(mailbox.note_decided(20) == 20);
}

TEST_CASE("what is asked for again comes by itself, in any phase, and as many at once as are wanted") {
    int wakes = 0;
    Mailbox mailbox({100, 1'000'000, true}, [&] { ++wakes; });
    mailbox.begin_replay(5);
    CHECK_FALSE(mailbox.wants_again());
    mailbox.ask_again(std::vector<Mailbox::Again>{{1, 2}, {3, 2}});
    CHECK(mailbox.wants_again());
    CHECK(mailbox.take_asked(1).size() == 1);
    CHECK(mailbox.take_asked(5).front().id == 3);
    CHECK_FALSE(mailbox.wants_again());
    CHECK(mailbox.push_again({event_with(1), event_with(3)}));
    CHECK(wakes == 1);
    CHECK(mailbox.take().deliveries.empty());
    const auto first = mailbox.take_again(1);
    CHECK(first.size() == 1);
    CHECK(mailbox.events() == 2);
    mailbox.settled(first);
    CHECK(mailbox.events() == 1);
    mailbox.ask_again(std::vector<Mailbox::Again>{{4, 2}});
    mailbox.close();
    CHECK(mailbox.take_asked(5).empty());
    mailbox.ask_again(std::vector<Mailbox::Again>{{4, 2}});  // it was taken before, and not found
    CHECK(mailbox.take_asked(5).empty());
    CHECK_FALSE(mailbox.push_again({event_with(1)}));
    mailbox.settled(first);  // too late, and harmless
}

TEST_CASE("what is a subscriber's own is charged for until it is settled, or the session is gone", "[memory]") {
    base::MemoryBudget memory(1'000'000);
    Mailbox mailbox(
        {100, 100'000}, [] {}, memory.charge(base::MemoryUse::mailboxes, 0));
    std::vector<Delivery> pushed = deliveries(4);
    const auto annotations = std::make_shared<const Annotations>(Annotations{{}, {std::string(5'000, 'a')}});
    const std::size_t of_annotations = sizeof(Annotations) + sizeof(std::string) + 5'000 + 1;
    CHECK(annotations->memory_bytes() == of_annotations);
    pushed[0].annotations = annotations;
    pushed[0].bytes += 1'020;
    pushed[1].filters = std::vector<std::uint32_t>(100);
    pushed[1].bytes += 500;
    // Annotations and the filters' numbers, as values and as text.
    const std::size_t own = 4 * sizeof(Delivery) + of_annotations + 1'020 + 100 * sizeof(std::uint32_t) + 500;
    mailbox.push(std::move(pushed));
    CHECK(memory.used() == own);
    const auto first = mailbox.take(1).deliveries;
    CHECK(memory.used() == own);
    mailbox.settled(first);
    CHECK(memory.used() == own - sizeof(Delivery) - of_annotations - 1'020);
    SECTION("an overflow keeps what is taken") {
        const auto second = mailbox.take(1).deliveries;
        mailbox.overflow();
        CHECK(memory.used() == sizeof(Delivery) + 100 * sizeof(std::uint32_t) + 500);
        mailbox.settled(second);
        CHECK(memory.used() == 0);
    }
    SECTION("nothing is kept for a session that is gone") {
        mailbox.take(1);
        mailbox.close();
        CHECK(memory.used() == 0);
        CHECK(mailbox.events() == 0);
        CHECK_FALSE(mailbox.push(deliveries(1)).accepted);
    }
}

TEST_CASE("Mailbox: the charge does not change with each of many small deliveries", "[memory]") {
    base::MemoryBudget memory(1'000'000);
    Mailbox mailbox(
        {100, 100'000}, [] {}, memory.charge(base::MemoryUse::mailboxes, 0));
    mailbox.push(deliveries(2));
    for (int i = 0; i < 10; ++i) {
        mailbox.settled(mailbox.take(1).deliveries);
        mailbox.push(deliveries(1));
        CHECK(memory.used() == 2 * sizeof(Delivery));
    }
    mailbox.settled(mailbox.take(1).deliveries);
    CHECK(memory.used() == 2 * sizeof(Delivery));
    mailbox.settled(mailbox.take(1).deliveries);
    CHECK(memory.used() == 0);
}

TEST_CASE("a reader on another thread misses nothing") {
    constexpr std::size_t rounds = 20'000;
    std::mutex mutex;
    std::condition_variable rung;
    bool ring = false;
    Mailbox mailbox({rounds, rounds * 10}, [&] {
        const std::lock_guard lock(mutex);
        ring = true;
        rung.notify_one();
    });
    std::thread writer([&] {
        for (std::size_t i = 0; i < rounds; ++i) mailbox.push(deliveries(1));
        mailbox.finish();
    });
    std::size_t received = 0;
    for (;;) {
        const auto [taken, state, can_wait, replaying, left_bytes] = mailbox.take();
        received += taken.size();
        mailbox.settled(taken);
        if (!taken.empty()) continue;
        if (state == Mailbox::State::finished) break;
        std::unique_lock lock(mutex);
        if (!rung.wait_for(lock, std::chrono::minutes(1), [&] { return ring; })) break;
        ring = false;
    }
    writer.join();
    CHECK(received == rounds);
}
