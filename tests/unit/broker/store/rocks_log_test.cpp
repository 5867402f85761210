#include "broker/store/rocks/rocks_log.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "broker/store/rocks/database/database.hpp"
#include "broker/store/selected_extent.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/store/rocks_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

using Fixture = RocksFixture;
using Ids = Fixture::Ids;

feed::RecordDigest digest(std::uint8_t of) {
    feed::RecordDigest bytes{};
    bytes.fill(of);
    return bytes;
}
text::Digest as_text(const feed::RecordDigest& digest) { return std::bit_cast<text::Digest>(digest); }

}  // namespace

TEST_CASE_METHOD(Fixture, "RocksLog: appends to several streams → ids rise over all of them, with holes in each") {
    CHECK(append("a", 2) == 1);
    CHECK(append("b", 1) == 3);
    CHECK(append("a", 3, 10, true) == 4);
    CHECK(ids("a") == Ids{1, 2, 4, 5, 6});
    CHECK(ids("a", 2, 2) == Ids{2, 4});
    CHECK(ids("a", 5) == Ids{5, 6});
    CHECK(ids("b") == Ids{3});
    CHECK(ids("*") == Ids{1, 2, 3, 4, 5, 6});
    CHECK(ids("*", 2, 3) == Ids{2, 3, 4});
    CHECK(ids("unknown").empty());
    CHECK(log->last_id() == 6);
    CHECK(log->extent("a").events == 5);
    CHECK(log->extent("a").first_id == 1);
    CHECK(log->extent("b").first_id == 3);
    CHECK(log->extent("unknown").first_id == 7);
    CHECK(heard == decltype(heard){{"a", 1}, {"b", 3}, {"a", 4}});
}

TEST_CASE_METHOD(Fixture, "RocksLog: what is read is what was appended, with its stream, time, records and items") {
    now = 5'000'000;
    Append whole = make("a", 2, 3'000);
    whole.events[1].change = feed::EventHead::Change::updated;
    whole.events[1].identity = digest(7);
    append_all({whole, make("b", 2, 40, true)});
    const Slice slice = log->read("a", 2, 10, 10);
    REQUIRE(slice.kept.size() == 1);
    const KeptEvents& kept = slice.kept.front();
    CHECK(*kept.of->stream == "a");
    CHECK(kept.of->record->text->size() == 3'000);
    CHECK(kept.of->record->content_type == "text/plain");
    CHECK(kept.events.size() == 1);
    CHECK(kept.events[0].time == 5'000'000);
    CHECK(kept.events[0].change == feed::EventHead::Change::updated);
    CHECK(kept.events[0].identity == digest(7));
    CHECK(kept.events[0].item.offset == 1);
    const Slice alone = log->read("b", 0, 10, 1'000);
    REQUIRE(alone.kept.size() == 2);
    CHECK(alone.kept[1].events[0].id == 4);
    CHECK(alone.kept[1].events[0].item.offset == 3);
    CHECK(alone.kept[1].of->record->text->size() == 40);
}

TEST_CASE_METHOD(Fixture, "RocksLog: a slice ends after so many events or bytes, but not before one") {
    for (int i = 0; i < 4; ++i) append("a", 2, 5'000);
    CHECK(ids("a", 4) == Ids{4, 5, 6, 7, 8});
    CHECK(ids("a", 4, 2) == Ids{4, 5});
    CHECK(ids("a", 4, 0).empty());
    CHECK(log->read("a", 4, 0, 100).next_id == 4);
    CHECK(ids("a", 4, 100, 1) == Ids{4});
    CHECK(ids("a", 9).empty());
    const Slice slice = log->read("a", 4, 1, 1);
    CHECK(slice.next_id == 5);
    CHECK_FALSE(slice.at_end);
    CHECK(log->read("a", 8, 1, 1).at_end);
    CHECK(log->read("*", 8, 10, 1).next_id == 9);
}

TEST_CASE_METHOD(Fixture, "RocksLog: stopped and opened again → it goes on where it was") {
    append("a", 2);
    append("b", 1);
    const std::string epoch = log->epoch();
    const auto begun_at = log->begun_at();
    now = 9'000'000;
    restart();
    CHECK(log->epoch() == epoch);
    CHECK(log->begun_at() == begun_at);
    CHECK(log->last_id() == 3);
    CHECK(ids("*") == Ids{1, 2, 3});
    CHECK(log->extent("a").events == 2);
    CHECK(log->extent("*").bytes == log->extent("a").bytes + log->extent("b").bytes);
    CHECK(append("b", 1) == 4);
    now = 2'000'000;  // the clock has gone back
    restart();
    append("c", 1);
    CHECK(log->read("c", 0, 1, 1).kept.at(0).events[0].time == 9'000'000);
    CHECK(heard.size() == 4);
}

TEST_CASE_METHOD(Fixture, "RocksLog: identities, replies and definitions are kept, until their stream is cleared") {
    DurableState& state = *log->durable_state();
    CHECK(state.has_seen_none("a"));
    Append first = make("a", 2);
    first.events[0].identity = digest(1);
    first.events[0].content = digest(2);
    const auto reply = std::make_shared<StoredReply>();
    reply->request = {1, 2};
    reply->received = 5;
    reply->faults = "none";
    append_all({first}, {AttemptId{7, 8}, reply});
    state.define("a", "{}");
    state.define("b", "{\"x\":1}");
    CHECK_FALSE(state.sync());
    restart();
    DurableState& again = *log->durable_state();
    CHECK_FALSE(again.has_seen_none("a"));
    CHECK(again.has_seen_none("b"));
    const std::vector<text::Digest> wanted{as_text(digest(9)), as_text(digest(1))};
    auto seen = again.find_seen("a", wanted);
    CHECK_FALSE(seen.at(0));
    REQUIRE(seen.at(1));
    CHECK(seen[1]->identity == as_text(digest(1)));
    CHECK(seen[1]->content == as_text(digest(2)));
    CHECK(seen[1]->seen_at == 1'000'000);
    CHECK_FALSE(again.find_seen("b", wanted).at(1));
    again.note_seen("a", {{as_text(digest(1)), as_text(digest(2)), 3'000'000}});
    const auto found = again.find_reply({7, 8});
    REQUIRE(found);
    CHECK(found->request == text::Digest{1, 2});
    CHECK(found->received == 5);
    CHECK(found->first_id == 1);
    CHECK(found->last_id == 2);
    CHECK(found->faults == "none");
    CHECK_FALSE(again.find_reply({7, 9}));
    auto streams = again.streams();
    REQUIRE(streams.size() == 2);
    CHECK(streams[0].name == "b");
    CHECK(streams[0].definition == "{\"x\":1}");
    log->clear("a");
    again.define("b", std::nullopt);
    CHECK_FALSE(again.sync());
    CHECK(again.has_seen_none("a"));
    CHECK(ids("*").empty());
    CHECK(log->extent("a").dropped_id == 2);
    append("a", 1);
    CHECK(ids("a") == Ids{3});
    restart();
    streams = log->durable_state()->streams();
    REQUIRE(streams.size() == 2);
    CHECK(streams[0].name == "b");
    CHECK_FALSE(streams[0].definition);
    CHECK(ids("*") == Ids{3});
    CHECK_FALSE(log->durable_state()->find_seen("a", wanted).at(1));
}

TEST_CASE_METHOD(Fixture, "RocksLog: beyond a stream's retention → the oldest events are dropped soon, and stay so") {
    log->retain("a", {.events = 5});
    for (int i = 0; i < 4; ++i) append("a", 2);
    EVENTUALLY(ids("a") == Ids{4, 5, 6, 7, 8});
    CHECK(log->extent("a").dropped_id == 3);
    CHECK(log->read("a", 1, 9, 9).dropped_id == 3);
    CHECK(ids("*", 1) == Ids{4, 5, 6, 7, 8});
    append("b", 1, 10'000);
    append("b", 1, 10'000);
    log->retain("b", {.bytes = 15'000});
    EVENTUALLY(ids("b") == Ids{10});
    now = 2'000'000;
    append("b", 1);
    log->retain("b", {.age = std::chrono::microseconds(10)});
    EVENTUALLY(ids("b") == Ids{11});
    now = 2'000'011;
    EVENTUALLY(ids("b").empty());
    CHECK(log->extent("b").first_id == 12);
    CHECK(log->extent("b").bytes == 0);
    EVENTUALLY(log->durable_state()->sync() == std::nullopt);
    restart();
    CHECK(ids("*") == Ids{4, 5, 6, 7, 8});
    CHECK(log->extent("b").dropped_id == 11);
}

TEST_CASE_METHOD(Fixture, "RocksLog: events of one append are dropped singly, and compacted → the others of it stay") {
    log->retain("a", {.events = 4'001});
    for (int i = 0; i < 3'000; ++i) append("a", 3, 200);
    EVENTUALLY(log->extent("a").events == 4'001);
    restart();
    log->retain("a", {.events = 4'001});
    for (int i = 0; i < 100; ++i) append("b", 3);
    CHECK_FALSE(log->durable_state()->sync());
    const Ids left = ids("a", 0, 10'000, 10'000'000);
    CHECK(left.size() == 4'001);
    CHECK(left.front() == 5'000);
    CHECK(log->state().damage.empty());
}

TEST_CASE_METHOD(Fixture, "RocksLog: more than store.bytes → the stream with the most gives up its oldest events") {
    log.reset();
    settings.bytes_max = 100'000;
    open();
    append("small", 1, 5'000);
    for (int i = 0; i < 40; ++i) append("large", 1, 5'000);
    EVENTUALLY(log->extent("*").bytes <= 100'000);
    CHECK(ids("small") == Ids{1});
    CHECK(ids("large").back() == 41);
    CHECK(ids("large").size() > 10);
}

TEST_CASE_METHOD(Fixture, "RocksLog: several streams → their extents, and what was dropped from forgotten ones") {
    const text::StreamSelection prefix(std::vector<std::string>{"news.*", "named"});
    append("news.a", 2);
    append("news.b", 2);
    append("other", 2);
    log->purge("news.b", 4);
    const StreamExtent all = selected_extent(*log, prefix);
    CHECK(all.first_id == 1);
    CHECK(all.last_id == 4);
    CHECK(all.events == 3);
    CHECK(all.dropped_id == 3);
    KnownDrops known = drops_of(selected_extents(*log, prefix));
    const auto has_more = [&] { return has_dropped_more(selected_extents(*log, prefix), known, 1); };
    log->purge("other", 6);
    CHECK_FALSE(has_more());
    log->clear("other");  // it may have been one of these
    EVENTUALLY(has_more());
    known = drops_of(selected_extents(*log, prefix));
    append("news.c", 1);
    CHECK_FALSE(has_more());
    log->clear("news.a");  // below what was forgotten before
    EVENTUALLY(has_more());
}

TEST_CASE_METHOD(Fixture, "RocksLog: since a time → the first retained event of that time or later") {
    for (int i = 1; i <= 20; ++i) {
        now = i * 1'000'000;
        append(i % 2 != 0 ? "odd" : "even", 2);
    }
    for (int i = 1; i <= 20; ++i) {
        const auto first = static_cast<std::uint64_t>(2 * i - 1);
        CHECK(log->first_id_since("*", i * 1'000'000) == first);
        CHECK(log->first_id_since("*", i * 1'000'000 - 1) == first);
        CHECK(log->first_id_since(i % 2 != 0 ? "odd" : "even", i * 1'000'000) == first);
        CHECK(log->first_id_since(i % 2 != 0 ? "even" : "odd", i * 1'000'000) == first + 2);
    }
    CHECK(log->first_id_since("*", 21'000'000) == 41);
    log->clear("odd");
    CHECK(log->first_id_since("*", 3'000'000) == 7);
    log->retain("even", {.events = 9});
    EVENTUALLY(ids("even").size() == 9);
    CHECK(log->first_id_since("even", 0) == ids("even").front());
}

TEST_CASE_METHOD(Fixture,
                 "RocksLog: what a deleted stream had is dropped from the whole log, also when it is opened again") {
    append("a", 2);
    append("b", 1);
    log->clear("a");
    CHECK(log->extent("*").dropped_id == 2);
    restart();
    CHECK(ids("*") == Ids{3});
    CHECK(log->extent("*").dropped_id == 2);
}

TEST_CASE_METHOD(Fixture, "RocksLog: a store that can't be opened → the reason says what to do") {
    const auto refusal = [&](const RocksSettings& wanted) -> std::string {
        RocksLog other(wanted, budget);
        try {
            other.open();
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    };
    CHECK_THAT(refusal(settings), Catch::Contains("this process has it open, and only one may"));
    log.reset();
    RocksSettings strange = settings;
    strange.path = folder.path().string() + "/strange";
    std::filesystem::create_directory(strange.path);
    std::ofstream(strange.path + "/letter.txt") << "dear";
    CHECK_THAT(refusal(strange),
               Catch::EndsWith("it is no store or a damaged one; check store.path; else restore a backup"));
    strange.path += "/letter.txt";
    CHECK_THAT(refusal(strange), Catch::EndsWith("can't be opened: it is not a folder"));
    {
        Database::Settings raw;
        raw.path = settings.path;
        raw.memory = 8u << 20;
        raw.begin_compaction = [] { return [](auto...) { return false; }; };
        auto opened = Database::open(raw);
        REQUIRE(opened.database);
        Batch batch = opened.database->batch();
        batch.put(Family::state, "format", "2");
        REQUIRE_FALSE(opened.database->write(batch, true));
    }
    CHECK_THAT(refusal(settings), Catch::Contains("it has format 2"));
}

// Against a plain list of what was appended, searched from the beginning for every answer.
TEST_CASE_METHOD(Fixture, "RocksLog: random appends, reads, clears and restarts → the same as a plain list") {
    struct Event {
        std::string stream;
        std::uint64_t id;
        feed::RecordTime time;
    };
    std::vector<Event> all;
    std::mt19937 random(7);
    const auto any = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    const std::vector<std::string> names{"a", "b", "c", "*"};
    for (int round = 0; round < 1'500; ++round) {
        const std::string name = names[any(3)];
        const std::size_t what = any(20);
        if (what < 8) {
            now = now + static_cast<feed::RecordTime>(any(3));
            const std::size_t n = 1 + any(5);
            const std::uint64_t first = append(name, n, 1 + any(2'000), any(2) == 0);
            for (std::size_t i = 0; i < n; ++i) all.push_back({name, first + i, now});
        } else if (what == 8 && any(5) == 0) {
            log->clear(name);
            std::erase_if(all, [&](const Event& event) { return event.stream == name; });
        } else if (what == 9 && any(5) == 0) {
            restart();
        } else if (what < 15) {
            const std::string from_stream = names[any(4)];
            const std::uint64_t from = any(log->last_id() + 2);
            const std::size_t events_max = any(40);
            Ids expected;
            for (const Event& event : all)
                if ((from_stream == "*" || event.stream == from_stream) && event.id >= from)
                    expected.push_back(event.id);
            const Slice slice = log->read(from_stream, from, events_max, 1'000'000);
            const bool is_whole = expected.size() <= events_max;
            if (!is_whole) {
                CHECK(slice.next_id == expected[events_max]);
                expected.resize(events_max);
            } else {
                CHECK(slice.next_id == log->last_id() + 1);
            }
            CHECK(slice.at_end == is_whole);
            CHECK(slice.damaged_id == 0);
            CHECK(ids_of(slice) == expected);
        } else {
            const std::string of = names[any(4)];
            const feed::RecordTime time = now - static_cast<feed::RecordTime>(any(50));
            std::uint64_t expected = log->last_id() + 1;
            for (const Event& event : all)
                if ((of == "*" || event.stream == of) && event.time >= time) {
                    expected = event.id;
                    break;
                }
            CHECK(log->first_id_since(of, time) == expected);
        }
    }
}
