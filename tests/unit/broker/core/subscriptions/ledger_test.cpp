#include "broker/core/subscriptions/ledger.hpp"

#include <catch2/catch.hpp>
#include <limits>

using sluice::broker::Ledger;

namespace {

using Ids = std::vector<std::uint64_t>;
using Dues = std::vector<Ledger::Due>;
using Spents = std::vector<Ledger::Spent>;
using std::chrono::seconds;

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

Ledger::Time at(int s) { return Ledger::Time(seconds(s)); }

Ledger::Settings settings_of(std::uint32_t deliveries_max = 0, bool has_dead_letters = false) {
    return {seconds(30), 10, deliveries_max, has_dead_letters};
}

Ids ids_of(const Dues& dues) {
    Ids ids;
    for (const Ledger::Due& due : dues) ids.push_back(due.id);
    return ids;
}

Ledger stored(const Ledger& ledger, const Ledger::Settings& settings) {
    auto again = Ledger::decode(settings, ledger.encode());
    REQUIRE(again);
    return *again;
}

// Delivers an id that is due, or about to be.
std::uint32_t again(Ledger& ledger, std::uint64_t id, Ledger::Time now) {
    const Dues dues = ledger.take_due(now, all);
    REQUIRE(ids_of(dues) == Ids{id});
    const std::uint32_t deliveries = ledger.deliver_again(id, 1, now);
    CHECK(deliveries == dues.front().deliveries);
    return deliveries;
}

}  // namespace

TEST_CASE("Ledger: the cursor follows what is read, up to what is outstanding") {
    Ledger ledger(settings_of(), 5);
    CHECK(ledger.cursor() == 4);
    CHECK(ledger.credit() == 10);
    CHECK(ledger.deliver(6, 1, at(0)) == 1);
    CHECK(ledger.deliver(8, 1, at(0)) == 1);
    CHECK(ledger.cursor() == 4);
    ledger.advance(10);
    CHECK(ledger.next() == 10);
    CHECK(ledger.cursor() == 5);
    CHECK(ledger.outstanding() == 2);
    CHECK(ledger.credit() == 8);
    CHECK(ledger.acknowledge(8));
    CHECK(ledger.cursor() == 5);
    CHECK(ledger.acknowledge(6));
    CHECK(ledger.cursor() == 9);
    CHECK_FALSE(ledger.acknowledge(6));
    ledger.advance(7);
    CHECK(ledger.next() == 10);
    CHECK(Ledger(settings_of(), 0).cursor() == 0);
}

TEST_CASE("Ledger: what is outstanding, done or read over is not delivered for the first time again") {
    Ledger ledger(settings_of(), 1);
    CHECK(ledger.deliver(7, 1, at(0)) == 1);
    CHECK(ledger.deliver(7, 1, at(0)) == 0);
    CHECK(ledger.acknowledge(7));
    CHECK(ledger.deliver(7, 1, at(0)) == 0);
    CHECK(ledger.deliver(5, 1, at(0)) == 1);  // of a stream that was overtaken
    ledger.advance(7);
    CHECK(ledger.deliver(6, 1, at(0)) == 0);
    CHECK(ledger.deliver(7, 1, at(0)) == 0);
    Ledger restarted = stored(ledger, settings_of());
    CHECK(restarted.deliver(7, 1, at(0)) == 0);
    ledger.advance(8);
    CHECK(ledger.cursor() == 4);
    CHECK(ledger.deliver(8, 1, at(0)) == 1);
}

TEST_CASE("Ledger: with less prefetch there is no credit until enough is acknowledged") {
    Ledger ledger(settings_of(), 1);
    for (std::uint64_t id = 1; id <= 4; ++id) ledger.deliver(id, 1, at(0));
    Ledger::Settings settings = settings_of();
    settings.prefetch = 3;
    ledger.set(settings);
    CHECK(ledger.credit() == 0);
    CHECK(ledger.acknowledge_up_to(2) == 2);
    CHECK(ledger.credit() == 1);
    CHECK(ledger.acknowledge_up_to(2) == 0);
}

TEST_CASE("Ledger: what is not acknowledged in time is due, the lowest ids first") {
    Ledger ledger(settings_of(), 1);
    CHECK_FALSE(ledger.next_time());
    ledger.deliver(3, 1, at(0));
    ledger.deliver(1, 1, at(1));
    ledger.deliver(2, 1, at(2));
    ledger.advance(4);
    CHECK(ledger.next_time() == at(30));
    CHECK(ledger.take_due(at(29), all).empty());
    CHECK(ledger.take_due(at(31), 1) == Dues{{1, 2}});
    CHECK(ledger.expired() == 2);
    CHECK(ledger.next_time() == Ledger::Time::min());
    CHECK(ledger.take_due(at(32), all) == Dues{{2, 2}, {3, 2}});
    CHECK_FALSE(ledger.next_time());
    CHECK(ledger.deliver_again(2, 1, at(40)) == 2);
    CHECK(ledger.deliver_again(2, 1, at(40)) == 0);
    CHECK(ledger.next_time() == at(70));
    CHECK(ledger.acknowledge(3));
    CHECK(ledger.deliver_again(3, 1, at(40)) == 0);
    ledger.give_up_fetching();
    CHECK(ledger.deliver_again(1, 1, at(41)) == 0);
    CHECK(ledger.take_due(at(41), all) == Dues{{1, 2}});
    CHECK(ledger.drop(1));
    CHECK_FALSE(ledger.drop(1));
    CHECK(ledger.cursor() == 1);
    CHECK(again(ledger, 2, at(70)) == 3);
}

TEST_CASE("Ledger: rejections and extensions hold for one delivery, while it is with a consumer") {
    Ledger ledger(settings_of(), 1);
    ledger.deliver(1, 1, at(0));
    CHECK_FALSE(ledger.reject(1, 2, "", at(5)));
    CHECK_FALSE(ledger.extend(1, 2, at(5)));
    CHECK_FALSE(ledger.reject(2, 0, "", at(5)));
    CHECK(ledger.extend(1, 1, at(100)));
    CHECK(ledger.take_due(at(50), all).empty());
    CHECK(ledger.reject(1, 0, "", at(60)));
    CHECK_FALSE(ledger.reject(1, 0, "", at(60)));
    CHECK_FALSE(ledger.extend(1, 0, at(60)));
    CHECK(ledger.next_time() == at(60));
    CHECK(ledger.take_due(at(59), all).empty());
    CHECK(again(ledger, 1, at(60)) == 2);
    CHECK_FALSE(ledger.extend(1, 1, at(61)));  // too late: it has been delivered again
    CHECK(ledger.extend(1, 2, at(61)));
    CHECK(ledger.expired() == 0);
    CHECK(again(ledger, 1, at(61)) == 3);
    CHECK(ledger.expired() == 1);
    CHECK(ledger.acknowledge(1));
    CHECK_FALSE(ledger.next_time());
}

TEST_CASE("Ledger: what a consumer had is due when it leaves, and nothing else") {
    Ledger ledger(settings_of(), 1);
    for (std::uint64_t id = 1; id <= 4; ++id) ledger.deliver(id, id % 2, at(0));
    CHECK(ledger.reject(3, 0, "", at(20)));
    ledger.release(1, at(1));
    CHECK(ledger.take_due(at(1), all) == Dues{{1, 2}});
    ledger.release(1, at(2));
    ledger.release(0, at(2));
    CHECK(ledger.take_due(at(2), all) == Dues{{2, 2}, {4, 2}});
    CHECK(ledger.expired() == 0);
}

TEST_CASE("Ledger: what has been delivered often enough is spent, with the reason why") {
    const Ledger::Settings settings = settings_of(2, true);
    Ledger ledger(settings, 1);
    for (std::uint64_t id = 1; id <= 4; ++id) ledger.deliver(id, id, at(0));
    CHECK(ids_of(ledger.take_due(at(30), all)) == Ids{1, 2, 3, 4});
    for (std::uint64_t id = 1; id <= 4; ++id) CHECK(ledger.deliver_again(id, id, at(30)) == 2);
    CHECK(ledger.reject(2, 2, "no such harbour", at(1'000)));
    CHECK(ledger.reject(4, 2, "", at(1'000)));
    CHECK(ledger.next_time() == Ledger::Time::min());
    CHECK(ledger.take_due(at(31), all).empty());
    CHECK(ledger.take_spent(at(31), 1) == Spents{{2, 2, "no such harbour"}});
    ledger.release(3, at(32));
    CHECK(ledger.take_spent(at(32), all) == Spents{{3, 2, "the consumer left"}, {4, 2, "rejected"}});
    CHECK(ledger.take_spent(at(60), all) == Spents{{1, 2, "not acknowledged within ack_wait"}});
    CHECK_FALSE(ledger.next_time());
    CHECK(ledger.outstanding() == 4);

    ledger.return_spent(2, at(90));
    CHECK(ledger.take_spent(at(89), all).empty());
    CHECK(ledger.take_spent(at(90), all) == Spents{{2, 2, "no such harbour"}});
    CHECK(ledger.drop(2));
    CHECK(ledger.acknowledge(1));  // late, but not too late
    ledger.return_spent(1, at(90));
    CHECK_FALSE(ledger.next_time());

    Ledger restarted = stored(ledger, settings);
    CHECK(restarted.take_due(at(0), all).empty());
    CHECK(restarted.take_spent(at(0), all) ==
          Spents{{3, 2, "delivered before a restart"}, {4, 2, "delivered before a restart"}});
}

TEST_CASE("Ledger: the reason of an earlier delivery is not that of a later one") {
    Ledger ledger(settings_of(2, true), 1);
    ledger.deliver(1, 1, at(0));
    CHECK(ledger.reject(1, 1, "busy", at(0)));
    CHECK(again(ledger, 1, at(0)) == 2);
    CHECK(ledger.take_spent(at(30), all) == Spents{{1, 2, "not acknowledged within ack_wait"}});
}

TEST_CASE("Ledger: reasons that are too long are shortened between characters") {
    Ledger ledger(settings_of(1, true), 1);
    ledger.deliver(1, 1, at(0));
    const std::string reason(Ledger::reason_bytes_max - 1, 'x');
    CHECK(ledger.reject(1, 0, reason + "\xC3\xA9", at(0)));
    const std::string told = ledger.take_spent(at(0), all).at(0).reason;
    CHECK(told == reason + "…");
}

TEST_CASE("Ledger: without dead letters, what was delivered often enough waits longer each time") {
    Ledger ledger(settings_of(2), 1);
    ledger.deliver(1, 1, at(0));
    CHECK(again(ledger, 1, at(30)) == 2);
    int now = 30;
    for (const int wait : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300}) {
        now += 30;
        CHECK(ledger.take_due(at(now), all).empty());
        CHECK(ledger.take_due(at(now + wait - 1), all).empty());
        now += wait;
        again(ledger, 1, at(now));
        CHECK(ledger.take_spent(at(now), all).empty());
    }
    CHECK(ledger.reject(1, 0, "", at(now + 10)));
    CHECK(ledger.next_time() == at(now + 310));
    again(ledger, 1, at(now + 310));
    ledger.release(1, at(now + 311));
    CHECK(ledger.next_time() == at(now + 611));

    Ledger restarted = stored(ledger, settings_of(2));
    CHECK(restarted.next_time() == Ledger::Time::min());
    CHECK(restarted.take_due(at(0), all).empty());
    CHECK(restarted.next_time() == at(300));
    CHECK(restarted.expired() == 0);
    CHECK(ids_of(restarted.take_due(at(300), all)) == Ids{1});
}

TEST_CASE("Ledger: new settings hold for what is due or spent already") {
    Ledger ledger(settings_of(), 1);
    for (std::uint64_t id = 1; id <= 2; ++id) ledger.deliver(id, 1, at(0));
    ledger.release(1, at(0));
    CHECK(ledger.take_due(at(0), 1) == Dues{{1, 2}});
    ledger.set(settings_of(1, true));
    CHECK(ledger.take_due(at(0), all).empty());
    CHECK(ledger.take_spent(at(0), 1) == Spents{{2, 1, "the consumer left"}});
    ledger.return_spent(2, at(1));
    ledger.give_up_fetching();
    ledger.set(settings_of(1, false));
    CHECK(ledger.take_spent(at(1), all).empty());
    CHECK(ids_of(ledger.take_due(at(1), all)) == Ids{1, 2});
}

TEST_CASE("Ledger: what may have been delivered before a crash is delivered as again") {
    Ledger ledger(settings_of(), 1);
    ledger.set_mark(100);
    CHECK(ledger.mark() == 100);
    ledger.set_mark(50);
    CHECK(ledger.mark() == 100);
    CHECK(ledger.loaded_mark() == 0);
    ledger.deliver(3, 1, at(0));
    ledger.advance(5);
    Ledger crashed = stored(ledger, settings_of());
    CHECK(crashed.mark() == 100);
    CHECK(crashed.loaded_mark() == 100);
    CHECK(crashed.next() == 5);
    CHECK(crashed.deliver(100, 1, at(0)) == 2);
    CHECK(crashed.deliver(101, 1, at(0)) == 1);
    CHECK(crashed.take_due(at(0), all) == Dues{{3, 2}});
    crashed.set_mark(200);
    CHECK(crashed.loaded_mark() == 100);
    CHECK(stored(crashed, settings_of()).take_due(at(0), all) == Dues{{3, 2}, {100, 3}, {101, 2}});
}

TEST_CASE("Ledger: after a seek, nothing is outstanding, and what lies ahead is delivered anew") {
    Ledger ledger(settings_of(1, true), 1);
    ledger.set_mark(100);
    for (std::uint64_t id = 1; id <= 4; ++id) ledger.deliver(id, 1, at(0));
    CHECK(ledger.acknowledge(4));
    CHECK(ledger.reject(1, 0, "", at(0)));
    CHECK(ledger.take_spent(at(0), all).size() == 1);
    ledger.advance(3);
    ledger.seek(2);
    CHECK(ledger.outstanding() == 0);
    CHECK(ledger.cursor() == 1);
    CHECK_FALSE(ledger.next_time());
    CHECK_FALSE(ledger.drop(1));
    CHECK(ledger.mark() == 0);
    CHECK(ledger.deliver(1, 1, at(1)) == 0);
    CHECK(ledger.deliver(3, 1, at(1)) == 1);
    CHECK(ledger.deliver(4, 1, at(1)) == 1);
    ledger.seek(0);
    CHECK(ledger.deliver(1, 1, at(1)) == 1);
    CHECK(stored(ledger, settings_of()).deliver(50, 1, at(1)) == 1);
    ledger.set_mark(100);
    Ledger restarted = stored(ledger, settings_of());
    restarted.seek(2);
    CHECK(restarted.deliver(50, 1, at(1)) == 1);
}

TEST_CASE("Ledger: what is being appended as a dead letter can't be acknowledged, is not stored, and ends once") {
    Ledger ledger(settings_of(1, true), 1);
    for (std::uint64_t id = 1; id <= 3; ++id) ledger.deliver(id, 1, at(0));
    CHECK_FALSE(ledger.bury(2));
    CHECK(ledger.reject(2, 0, "bad", at(0)));
    CHECK(ledger.take_spent(at(0), all) == std::vector<Ledger::Spent>{{2, 1, "bad"}});
    CHECK(ledger.bury(2));
    CHECK_FALSE(ledger.acknowledge(2));
    CHECK(ledger.acknowledge_up_to(3) == 2);
    CHECK(ledger.outstanding() == 1);
    CHECK(stored(ledger, settings_of(1, true)).outstanding() == 0);
    ledger.return_spent(2, at(1));
    CHECK(stored(ledger, settings_of(1, true)).outstanding() == 1);
    CHECK(ledger.take_spent(at(1), all).size() == 1);
    CHECK_FALSE(ledger.end_burial(2));
    CHECK(ledger.bury(2));
    CHECK(ledger.end_burial(2));
    CHECK_FALSE(ledger.end_burial(2));
    CHECK(ledger.outstanding() == 0);
}

TEST_CASE("Ledger: a consumer holds what is with it") {
    Ledger ledger(settings_of(), 1);
    for (std::uint64_t id = 1; id <= 4; ++id) ledger.deliver(id, id % 2 + 1, at(0));
    CHECK(ledger.held_by(1) == 2);
    CHECK(ledger.held_by(2) == 2);
    CHECK(ledger.held_by(3) == 0);
    CHECK(ledger.acknowledge(1));
    CHECK(ledger.held_by(2) == 1);
    ledger.release(1, at(0));
    CHECK(ledger.held_by(1) == 0);
    CHECK_FALSE(ledger.all_with_consumers());
    for (const Ledger::Due& due : ledger.take_due(at(0), all)) ledger.deliver_again(due.id, 2, at(0));
    CHECK(ledger.held_by(2) == 3);
    CHECK(ledger.all_with_consumers());
}

TEST_CASE("Ledger: deadlines beyond all time are the end of time") {
    Ledger::Settings settings = settings_of(1);
    settings.ack_wait = Ledger::Duration::max();
    Ledger ledger(settings, 1);
    ledger.deliver(1, 1, at(5));
    CHECK(ledger.next_time() == Ledger::Time::max());
    CHECK(ids_of(ledger.take_due(Ledger::Time::max(), all)) == Ids{1});
}

TEST_CASE("Ledger: its bytes are few, and change with its version only") {
    Ledger ledger(settings_of(), 1'000'000'000'000);
    std::string bytes = ledger.encode();
    std::uint64_t version = ledger.version();
    const auto has_changed = [&] {
        const std::string now = ledger.encode();
        const bool changed = ledger.version() != version;
        CHECK(changed == (now != bytes));
        bytes = now;
        version = ledger.version();
        return changed;
    };
    ledger.set_mark(1'000'000'065'536);
    CHECK(has_changed());
    for (std::uint64_t i = 0; i < 65'536; ++i) ledger.deliver(1'000'000'000'000 + i * 100, 1, at(0));
    CHECK(has_changed());
    CHECK(bytes.size() < 200'000);
    CHECK(ledger.reject(1'000'000'000'000, 0, "busy", at(0)));
    CHECK(ledger.take_due(at(0), all).size() == 1);
    ledger.release(1, at(1));
    CHECK_FALSE(has_changed());
    CHECK(ledger.deliver_again(1'000'000'000'000, 1, at(1)) == 2);
    CHECK(has_changed());
    ledger.advance(1'000'000'000'000);
    CHECK_FALSE(has_changed());
    ledger.advance(1'000'000'000'001);
    CHECK(has_changed());
    CHECK(ledger.drop(1'000'000'000'000));
    CHECK(has_changed());
    CHECK(ledger.acknowledge_up_to(std::numeric_limits<std::uint64_t>::max()) == 65'535);
    CHECK(has_changed());
    CHECK(bytes.size() < 100'000);
    ledger.advance(2'000'000'000'000);
    CHECK(has_changed());
    CHECK(bytes.size() < 20);
    CHECK(stored(ledger, settings_of()).encode() == bytes);
}

TEST_CASE("Ledger: of ids that are done ahead, the lowest are stored, and the others delivered again") {
    Ledger ledger(settings_of(), 1);
    for (std::uint64_t id = 2; id < Ledger::done_max + 4; ++id) {
        ledger.deliver(id, 1, at(0));
        ledger.acknowledge(id);
    }
    ledger.set_mark(Ledger::done_max + 4);
    Ledger restarted = stored(ledger, settings_of());
    CHECK(restarted.deliver(Ledger::done_max + 1, 1, at(0)) == 0);
    CHECK(restarted.deliver(Ledger::done_max + 2, 1, at(0)) == 2);
}

TEST_CASE("Ledger: bytes that no ledger wrote are refused") {
    const auto is_refused = [](std::string_view bytes) { return !Ledger::decode(settings_of(), bytes); };
    const auto text = [](const char* bytes, std::size_t size) { return std::string(bytes, size); };
#define BYTES(literal) text(literal, sizeof(literal) - 1)
    CHECK_FALSE(is_refused(BYTES("\x01\x05\x00\x02\x03\x01\x80\x01\x07\x01\x02")));
    CHECK(is_refused(""));
    CHECK(is_refused(BYTES("\x02\x05\x00\x00\x00")));                  // another version
    CHECK(is_refused(BYTES("\x01\x00\x00\x00\x00")));                  // next is 0
    CHECK(is_refused(BYTES("\x01\x05\x00\x00\x00\x00")));              // bytes follow
    CHECK(is_refused(BYTES("\x01\x05\x00\x00")));                      // cut off
    CHECK(is_refused(BYTES("\x01\x05\x00\x00\x80")));                  // within a number
    CHECK(is_refused(BYTES("\x01\x85\x00\x00\x00\x00")));              // a number that is longer than it need be
    CHECK(is_refused(BYTES("\x01\x05\x00\x01\x00\x01\x00")));          // the id 0
    CHECK(is_refused(BYTES("\x01\x05\x00\x02\x01\x01\x00\x01\x00")));  // the same id twice
    CHECK(is_refused(BYTES("\x01\x05\x00\x01\x01\x00\x00")));          // no deliveries
    CHECK(is_refused(BYTES("\x01\x05\x00\x01\x01\x80\x80\x80\x80\x10\x00")));  // 2^32 of them
    CHECK(is_refused(BYTES("\x01\x05\x00\x01\x06\x01\x01\x02")));              // outstanding and done
    CHECK(is_refused(BYTES("\x01\x05\x00\xFF\xFF\xFF\xFF\x0F")));              // too many
    CHECK(is_refused(BYTES("\x01\x05\x00\x00\xFF\xFF\xFF\xFF\x0F")));
    const std::string most = BYTES("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01");
    CHECK_FALSE(is_refused("\x01" + most + most + BYTES("\x00\x01\x01")));
    CHECK(is_refused("\x01" + most + most + BYTES("\x00\x01\x02")));  // an id beyond 2^64
    CHECK(is_refused("\x01" + most + BYTES("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02\x00\x00")));
#undef BYTES
}
