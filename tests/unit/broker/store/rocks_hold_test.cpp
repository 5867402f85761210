#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "tests/support/eventually.hpp"
#include "tests/unit/broker/store/rocks_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

using Fixture = RocksFixture;
using Ids = Fixture::Ids;

}  // namespace

TEST_CASE_METHOD(Fixture, "RocksLog: events from an id on are held → neither age nor number nor bytes drop them") {
    log->retain("a", {.events = 3});
    log->hold("a", {.first_id = 4, .bytes = 1'000'000});
    for (int i = 0; i < 5; ++i) append("a", 2);
    EVENTUALLY(ids("a") == Ids{4, 5, 6, 7, 8, 9, 10});
    CHECK(log->extent("a").dropped_id == 3);
    log->hold("a", {.first_id = 7, .bytes = 1'000'000});
    EVENTUALLY(ids("a") == Ids{7, 8, 9, 10});
    log->retain("a", {.age = std::chrono::microseconds(1), .bytes = 1});
    now = 2'000'000;
    append("b", 1);
    log->hold("b", {.first_id = 11, .bytes = 1'000'000});
    append("b", 1);
    log->retain("b", {.events = 0});
    CHECK(ids("*") == Ids{7, 8, 9, 10, 11, 12});
    log->hold("a", {});
    EVENTUALLY(ids("*") == Ids{11, 12});
    restart();  // holds are not stored
    log->retain("b", {.events = 1});
    EVENTUALLY(ids("*") == Ids{12});
    log->hold("unknown", {});
    CHECK(log->durable_state()->streams().size() == 2);
}

TEST_CASE_METHOD(Fixture,
                 "RocksLog: what is only held takes more than the hold's bytes → the oldest events are dropped") {
    log->hold("a", {.first_id = 0, .bytes = 12'000});
    log->retain("a", {.events = 2});
    for (int i = 0; i < 3; ++i) append("a", 2, 5'000);
    EVENTUALLY(log->extent("a").events == 6);
    append("a", 2, 5'000);
    EVENTUALLY(ids("a") == Ids{3, 4, 5, 6, 7, 8});
    log->hold("a", {.first_id = 0, .bytes = 7'000});
    EVENTUALLY(ids("a") == Ids{5, 6, 7, 8});
}

TEST_CASE_METHOD(Fixture, "RocksLog: more than store.bytes → a hold keeps nothing") {
    log.reset();
    settings.bytes_max = 100'000;
    open();
    log->hold("a", {.first_id = 0, .bytes = 1'000'000});
    log->retain("a", {.events = 5});
    for (int i = 0; i < 40; ++i) append("a", 1, 5'000);
    EVENTUALLY(log->extent("*").bytes <= 100'000);
    CHECK(ids("a").size() > 10);
    CHECK(ids("a").back() == 40);
}

// Against a list of what is kept, from the beginning for every step. The bytes of each append are those that another
// log, which keeps everything, says it takes.
TEST_CASE_METHOD(Fixture, "RocksLog: random appends, retentions, holds and times → the same as a plain list") {
    struct Entry {
        Ids ids;
        feed::RecordTime time;
        std::size_t bytes;
    };
    Fixture all;
    std::deque<Entry> kept;
    Retention retention;
    Hold hold;
    std::mt19937 random(3);
    const auto any = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    const auto bytes_of = [](const std::deque<Entry>& entries) {
        std::size_t bytes = 0;
        for (const Entry& each : entries) bytes += each.bytes;
        return bytes;
    };
    const auto count = [](const std::deque<Entry>& entries) {
        std::size_t events = 0;
        for (const Entry& each : entries) events += each.ids.size();
        return events;
    };
    const auto drop_below = [](std::deque<Entry>& entries, std::uint64_t id) {
        while (!entries.empty() && entries.front().ids.back() < id) entries.pop_front();
        if (!entries.empty()) std::erase_if(entries.front().ids, [&](std::uint64_t each) { return each < id; });
    };
    // As the retention alone would have it.
    const auto within = [&] {
        std::deque<Entry> entries = kept;
        while (!entries.empty() && (bytes_of(entries) > retention.bytes ||
                                    now - entries.front().time > static_cast<feed::RecordTime>(retention.age.count())))
            entries.pop_front();
        while (count(entries) > retention.events) drop_below(entries, entries.front().ids.front() + 1);
        return entries;
    };
    const auto enforce = [&] {
        const std::deque<Entry> right = within();
        const std::uint64_t first = right.empty() ? ~std::uint64_t{0} : right.front().ids.front();
        drop_below(kept, hold.bytes == 0 ? first : std::min(first, hold.first_id));
        const auto held = [&] { return bytes_of(kept) - bytes_of(right); };
        while (held() > hold.bytes) kept.pop_front();
    };
    for (int step = 0; step < 300; ++step) {
        CAPTURE(step);
        const std::size_t what = any(10);
        if (what < 6) {
            const std::size_t events = 1 + any(4), bytes = any(3'000);
            const bool alone = any(3) == 0;
            const std::size_t before = all.log->extent("a").bytes;
            all.now = now.load();
            const std::uint64_t first = append("a", events, bytes, alone);
            REQUIRE(all.append("a", events, bytes, alone) == first);
            const std::size_t pieces = alone ? events : 1, added = all.log->extent("a").bytes - before;
            REQUIRE(added % pieces == 0);
            for (std::size_t i = 0; i < events; ++i) {
                if (i == 0 || alone) kept.push_back({{}, now, added / pieces});
                kept.back().ids.push_back(first + i);
            }
            enforce();
        } else if (what < 7) {
            now += static_cast<feed::RecordTime>(any(300));
            enforce();
        } else if (what < 9) {
            const std::uint64_t last = all.log->last_id();
            hold = any(4) == 0 ? Hold{} : Hold{last + 3 - std::min<std::uint64_t>(last, any(60)), any(60'000)};
            log->hold("a", hold);
            enforce();
        } else {
            retention = {};
            if (any(2) == 0) retention.age = std::chrono::microseconds(any(1'000));
            if (any(2) == 0) retention.events = any(40);
            if (any(2) == 0) retention.bytes = any(40'000);
            enforce();  // with what the log may have done before it was told
        }
        log->retain("a", retention);  // so that it looks at once
        Ids expected;
        for (const Entry& each : kept) expected.insert(expected.end(), each.ids.begin(), each.ids.end());
        EVENTUALLY(ids("a") == expected);
        CHECK(log->extent("a").bytes == bytes_of(kept));
    }
}
