#include "broker/core/ingest/publisher.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "broker/core/matching/dispatch.hpp"
#include "broker/store/memory_log.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using sluice::broker::Dispatch;
using sluice::broker::document;
using sluice::broker::EventQueue;
using sluice::broker::item;
using sluice::broker::Publisher;
using sluice::broker::PublishRefusal;
using sluice::broker::StreamHold;
using sluice::feed::Event;

namespace {

sluice::broker::Publication publication(const std::vector<std::string>& items, const std::string& stream = "s",
                                        bool deduplicate = true) {
    const auto parsed = document(items);
    auto record = std::make_shared<const sluice::feed::DocumentRecord>(sluice::feed::record_document(*parsed, {}));
    sluice::broker::Publication result{stream, parsed, std::move(record), 100, {}, {}};
    if (deduplicate) result.keys = sluice::broker::item_keys(*parsed, sluice::feed::IgnoredParts());
    return result;
}

// A publisher whose log completes every append at once.
struct Trial : Publisher {
    using Publisher::Publisher;

    Outcome publish(sluice::broker::Publication what) {
        const auto shared = std::make_shared<const sluice::broker::Publication>(std::move(what));
        return Publisher::publish(shared, [](const Outcome&) { FAIL("it ended at once"); }).value();
    }
    // Name and last id of every stream.
    std::vector<std::pair<std::string, std::uint64_t>> last_ids() {
        std::vector<std::pair<std::string, std::uint64_t>> list;
        for (const std::string& name : streams().names()) list.emplace_back(name, streams().last_id(name));
        return list;
    }
};

struct Fixture {
    EventQueue queue{8, 100'000};
    sluice::broker::Counters counters;
    sluice::broker::Fanout fanout{counters};
    sluice::base::MemoryBudget memory{1'000'000};
    sluice::store::MemoryLog log{1'000'000, memory};
    Trial publisher{{2, 100, std::chrono::hours(1)}, queue, log, counters, memory};

    Fixture() { log.listen(Dispatch(queue, fanout, counters, {})); }

    std::vector<Event> take() {
        sluice::broker::QueuedBatch batch;
        queue.pop(sluice::broker::Lane::fast, 32, std::chrono::microseconds(0), batch);
        queue.finish(batch);
        return batch.events;
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "Publisher: documents of several streams → their ids are positions in the log") {
    const auto first = publisher.publish(publication({item("a"), item("b")})).value();
    CHECK(first.received == 2);
    CHECK(first.added == 2);
    CHECK(first.first_id == 1);
    CHECK(first.last_id == 2);
    CHECK(publisher.publish(publication({item("c")})).value().first_id == 3);
    CHECK(publisher.publish(publication({item("c")}, "t")).value().first_id == 4);

    const std::vector<Event> batch = take();
    REQUIRE(batch.size() == 4);
    CHECK(batch[1].id == 2);
    CHECK(*batch[1].stream == "s");
    CHECK(*batch[3].stream == "t");
    CHECK(publisher.last_ids() == std::vector<std::pair<std::string, std::uint64_t>>{{"s", 3}, {"t", 4}});
}

TEST_CASE_METHOD(Fixture, "posting a feed again delivers what is new or changed") {
    publisher.publish(publication({item("a"), item("b")})).value();
    const auto again = publisher.publish(publication({item("c"), item("a", "changed"), item("b")})).value();
    CHECK(again.received == 3);
    CHECK(again.added == 1);
    CHECK(again.updated == 1);
    CHECK(again.unchanged == 1);
    CHECK(again.first_id == 3);
    CHECK(again.last_id == 4);
    CHECK(queue.events() == 4);

    take();
    const auto nothing = publisher.publish(publication({item("b")})).value();
    CHECK(nothing.unchanged == 1);
    CHECK(nothing.first_id == 0);
    CHECK(queue.events() == 0);
}

TEST_CASE_METHOD(Fixture, "the queue counts all bytes of a document however few of its items are delivered") {
    publisher.publish(publication({item("a"), item("b"), item("c")})).value();
    take();
    publisher.publish(publication({item("a"), item("b"), item("c", "changed")})).value();
    CHECK(queue.bytes() == 100);
}

TEST_CASE_METHOD(Fixture, "Publisher: publication → locks the queue at most three times") {
    const auto locks = [&](const std::vector<std::string>& items) {
        const std::uint64_t before = queue.locks();
        publisher.publish(publication(items)).value();
        return queue.locks() - before;
    };
    CHECK(locks({item("a"), item("b")}) == 2);
    CHECK(locks({item("a"), item("c")}) == 3);  // it has reserved too much
    CHECK(locks({item("a"), item("b")}) == 2);
}

TEST_CASE_METHOD(Fixture,
                 "Publisher: known stream that is erased before the publication → goes to a new one of its name") {
    publisher.publish(publication({item("a")})).value();
    const sluice::broker::StreamPtr stream = publisher.streams().known("s").stream;
    REQUIRE(stream != nullptr);
    CHECK(publisher.streams().known("t").stream == nullptr);
    const auto again = [&] {
        auto made = publication({item("a")});
        made.known_stream = stream;
        return publisher.publish(std::move(made)).value();
    };
    CHECK(again().unchanged == 1);
    REQUIRE(publisher.streams().erase("s"));
    CHECK(again().added == 1);
    CHECK(publisher.last_ids() == std::vector<std::pair<std::string, std::uint64_t>>{{"s", 2}});
}

TEST_CASE_METHOD(Fixture, "deduplication can be switched off, and is by stream") {
    publisher.publish(publication({item("a")})).value();
    CHECK(publisher.publish(publication({item("a")}, "s", false)).value().added == 1);
    CHECK(publisher.publish(publication({item("a")}, "t")).value().added == 1);
    CHECK(publisher.publish(publication({item("a")})).value().unchanged == 1);
}

TEST_CASE_METHOD(Fixture, "an item within one document can repeat and change") {
    const auto result = publisher.publish(publication({item("a"), item("a"), item("a", "x")})).value();
    CHECK(result.added == 2);  // the content decides
    CHECK(result.unchanged == 1);
    CHECK(result.updated == 0);
}

TEST_CASE_METHOD(Fixture,
                 "items that share an identity are delivered once, in whatever company they are posted again") {
    const auto publish = [&](const std::vector<std::string>& items) {
        const auto result = publisher.publish(publication(items)).value();
        if (result.added + result.updated != 0) take();
        return std::array<std::size_t, 3>{result.added, result.updated, result.unchanged};
    };
    using Counts = std::array<std::size_t, 3>;
    CHECK(publish({item("a", "1")}) == Counts{1, 0, 0});
    CHECK(publish({item("a", "2"), item("a", "1")}) == Counts{1, 0, 1});
    CHECK(publish({item("a", "2"), item("a", "1")}) == Counts{0, 0, 2});
    CHECK(publish({item("a", "2"), item("a", "3"), item("a", "3")}) == Counts{1, 0, 2});
    CHECK(publish({item("a", "1")}) == Counts{0, 0, 1});
    CHECK(publish({item("b", "1"), item("b", "2")}) == Counts{2, 0, 0});
    CHECK(publish({item("b", "2")}) == Counts{0, 0, 1});
    CHECK(publish({item("b", "2")}) == Counts{0, 0, 1});
    CHECK(publish({item("b", "3")}) == Counts{0, 1, 0});
}

TEST_CASE_METHOD(Fixture, "a refusal changes nothing") {
    publisher.publish(publication({item("a"), item("b"), item("c"), item("d")})).value();
    CHECK(publisher.publish(publication({item("e")})).error() == PublishRefusal::no_room);
    CHECK(counters.events.load() == 4);
    take();
    const auto retried = publisher.publish(publication({item("e")})).value();
    CHECK(retried.added == 1);
    CHECK(retried.first_id == 5);

    take();
    queue.close();
    CHECK(publisher.publish(publication({item("f")})).error() == PublishRefusal::closed);
    CHECK(publisher.last_ids().front().second == 5);
}

TEST_CASE_METHOD(Fixture, "of too many streams one that was used once goes first, and ids continue") {
    for (const char* title : {"a", "b"}) {
        publisher.publish(publication({item(title)}, "used")).value();
        take();
    }
    for (std::size_t i = 0; i < 20; ++i) {
        publisher.publish(publication({item("a"), item("b")}, "flood" + std::to_string(i))).value();
        take();
        CHECK(publisher.last_ids().size() <= 2);
    }
    CHECK(publisher.publish(publication({item("a")}, "used")).value().unchanged == 1);
    const auto back = publisher.publish(publication({item("a")}, "flood3")).value();
    CHECK(back.added == 1);
    CHECK(back.first_id == 43);
}

TEST_CASE_METHOD(Fixture, "of too many streams those with subscribers or options of their own stay") {
    Trial few({4, 100, std::chrono::hours(1), {{"configured", {}}}}, queue, log, counters, memory);
    const auto added = [&](const std::string& stream, const char* title) {
        const std::size_t n = few.publish(publication({item(title)}, stream)).value().added;
        if (n > 0) take();
        return n;
    };
    const auto flood = [&](const std::string& name) {
        for (int i = 0; i < 20; ++i)
            for (const char* title : {"a", "b"}) CHECK(added(name + std::to_string(i), title) == 1);
    };
    std::optional<StreamHold> first(std::in_place, few.streams(), "held");
    std::optional<StreamHold> second(std::in_place, few.streams(), "held");
    for (const char* name : {"configured", "held", "other"}) CHECK(added(name, "a") == 1);
    flood("some");
    CHECK(added("configured", "a") == 0);
    CHECK(added("held", "a") == 0);
    CHECK(added("other", "a") == 1);
    first.reset();
    flood("more");
    CHECK(added("held", "a") == 0);
    second.reset();
    flood("most");
    CHECK(added("configured", "a") == 0);
    CHECK(added("held", "a") == 1);
}

TEST_CASE_METHOD(Fixture, "items that were not posted for the window are new again, and ids go on") {
    sluice::feed::RecordTime now = 1'000'000;
    Trial brief({2, 100, std::chrono::microseconds(100)}, queue, log, counters, memory, [&] { return now; });
    const auto added = [&](sluice::feed::RecordTime time) {
        now = time;
        return brief.publish(publication({item("a")})).value().added;
    };
    CHECK(added(1'000'000) == 1);
    CHECK(added(1'000'100) == 0);
    CHECK(added(1'000'200) == 0);
    CHECK(added(900'000) == 0);  // the clock is put back: the item was last seen at 1,000,200
    CHECK(added(1'000'300) == 0);
    CHECK(added(1'000'401) == 1);
    CHECK(brief.last_ids().front().second == 2);
}

TEST_CASE_METHOD(Fixture, "a new stream needs leave, and memory") {
    auto refused = publication({item("a")}, "new");
    refused.may_begin_stream = [] { return false; };
    CHECK(publisher.publish(std::move(refused)).error() == PublishRefusal::too_many_new_streams);
    CHECK(publisher.last_ids().empty());
    publisher.publish(publication({item("a")}, "known")).value();
    auto known = publication({item("b")}, "known");
    known.may_begin_stream = [] { return false; };
    CHECK(publisher.publish(std::move(known)).value().added == 1);
    const sluice::base::MemoryCharge others = memory.force_charge(sluice::base::MemoryUse::mailboxes, 1'000'000);
    CHECK(publisher.publish(publication({item("a")}, "new")).error() == PublishRefusal::no_memory);
    CHECK(publisher.publish(publication({item("c")}, "known")).value().added == 1);
}

TEST_CASE_METHOD(Fixture, "when memory is short the stream with most items forgets the older half of them") {
    sluice::broker::EventQueue wide(10'000, 100'000'000);
    sluice::base::MemoryBudget small(200'000);
    sluice::store::MemoryLog small_log(0, small);
    small_log.listen(Dispatch(wide, fanout, counters, {}));
    Trial many({10, 10'000, std::chrono::hours(1)}, wide, small_log, counters, small);
    std::vector<std::string> items;
    for (int i = 0; i < 600; ++i) items.push_back(item("t" + std::to_string(i)));
    many.publish(publication(items, "large")).value();
    many.publish(publication({item("a")}, "small")).value();
    const std::size_t before = small.used(sluice::base::MemoryUse::identities);
    many.streams().relieve_memory();
    CHECK(small.used(sluice::base::MemoryUse::identities) < before * 2 / 3);
    CHECK(many.publish(publication({item("a")}, "small")).value().unchanged == 1);
    CHECK(many.publish(publication({items.back()}, "large")).value().unchanged == 1);
    CHECK(many.publish(publication({items.front()}, "large")).value().added == 1);
    sluice::base::MemoryBudget wide_budget(100'000'000);
    sluice::store::MemoryLog wide_log(0, wide_budget);
    wide_log.listen(Dispatch(wide, fanout, counters, {}));
    Trial at_ease({10, 10'000, std::chrono::hours(1)}, wide, wide_log, counters, wide_budget);
    at_ease.publish(publication(items, "large")).value();
    at_ease.streams().relieve_memory();
    CHECK(at_ease.publish(publication({items.front()}, "large")).value().unchanged == 1);
}

TEST_CASE_METHOD(Fixture, "a document without items is accepted and publishes nothing") {
    const auto result = publisher.publish(publication({})).value();
    CHECK(result.received == 0);
    CHECK(result.last_id == 0);
}

TEST_CASE_METHOD(Fixture, "Publisher: appended items → events with their time and what became of them") {
    using Change = sluice::feed::EventRecord::Change;
    publisher.publish(publication({item("a"), item("b")})).value();
    const auto first = take();
    REQUIRE(first.size() == 2);
    for (const Event& event : first) {
        CHECK(event.time > 1'500'000'000'000'000);
        CHECK(event.time == first.front().time);
        CHECK(event.change == Change::added);
    }
    publisher.publish(publication({item("a"), item("c"), item("b", "sport")})).value();
    const auto second = take();
    REQUIRE(second.size() == 2);
    CHECK(second[0].change == Change::added);
    CHECK(second[1].change == Change::updated);
    CHECK(second[0].time >= first[0].time);
    CHECK(log.read("s", 1, 10, 100'000).kept.back().events.back().time == second[1].time);
}

TEST_CASE_METHOD(Fixture, "Publisher: few new items → the log keeps them alone, with their ancestors") {
    std::vector<std::string> items;
    const std::string text(2'000, 'x');
    for (int i = 0; i < 6; ++i) items.push_back(item("t" + std::to_string(i), text));
    publisher.publish(publication(items)).value();
    take();
    items[2] = item("t2", "changed" + text);
    items[4] = item("t4", "changed" + text);
    publisher.publish(publication(items)).value();
    const auto slice = log.read("s", 0, 100, 1'000'000);
    REQUIRE(slice.kept.size() == 3);
    CHECK(slice.kept[0].events.size() == 6);
    CHECK(slice.kept[0].of->record->context == sluice::feed::RecordContext::document);
    for (const std::size_t i : {1u, 2u}) {
        const auto& kept = slice.kept[i];
        REQUIRE(kept.events.size() == 1);
        CHECK(kept.of->record->context == sluice::feed::RecordContext::item);
        CHECK(kept.of->record->text->size() < 3'000);
        const auto again = sluice::feed::parse_record(*kept.of->record, {}).value();
        const auto at = sluice::feed::find_item(*again, kept.events[0].item);
        REQUIRE(at);
        CHECK(again->items()[*at].source == "<item>" + items[2 * i] + "</item>");
        CHECK(kept.events[0].change == sluice::feed::EventHead::Change::updated);
    }
}

TEST_CASE_METHOD(Fixture, "Publisher: half of the items new, or small ones, or context: document → all of it is kept") {
    const auto kept_of = [&](const std::vector<std::string>& before, const std::vector<std::string>& after) {
        if (publisher.publish(publication(before)).value().unchanged != before.size()) take();
        const auto first = log.last_id() + 1;
        publisher.publish(publication(after)).value();
        take();
        return log.read("s", first, 100, 1'000'000).kept.at(0).of->record->context;
    };
    using sluice::feed::RecordContext;
    const std::string text(2'000, 'x');
    CHECK(kept_of({item("a", text)}, {item("a", text), item("b", text), item("c", text)}) == RecordContext::document);
    CHECK(kept_of({item("x"), item("d"), item("e")}, {item("x"), item("d"), item("e"), item("f")}) ==
          RecordContext::document);
    const std::vector<std::string> three{item("g", text), item("h", text), item("i", text)};
    std::vector<std::string> four = three;
    four.push_back(item("j", text));
    CHECK(kept_of(three, four) == RecordContext::item);
    sluice::config::StreamOptions options;
    options.context = sluice::config::ContextOption::document;
    publisher.streams().define("s", options, nullptr).value();
    four.back() = item("k", text);
    CHECK(kept_of(three, four) == RecordContext::document);
}

namespace {

// A log that completes appends on request.
struct SlowLog : sluice::store::EventLog {
    struct Waiting {
        sluice::store::Append append;
        Done done;
    };

    void listen(Listener set) override { listener = std::move(set); }
    std::optional<sluice::store::AppendResult> append(const sluice::store::Attempt& attempt,
                                                      sluice::store::Appends appends, Done done) override {
        if (throws) throw std::bad_alloc();
        attempts.push_back(attempt.id);
        waiting.push_back({std::move(appends.at(0)), std::move(done)});
        if (at_once) return finish(take_first(), std::nullopt);
        return std::nullopt;
    }
    const std::string& epoch() const override { return epoch_text; }
    std::uint64_t last_id() override { return 0; }
    sluice::feed::RecordTime begun_at() const override { return 0; }
    sluice::store::Slice read(std::string_view, std::uint64_t, std::size_t, std::size_t) override { return {}; }
    std::uint64_t first_id_since(std::string_view, sluice::feed::RecordTime) override { return 1; }
    sluice::store::StreamExtent extent(std::string_view) override { return {}; }
    std::vector<sluice::store::StreamExtent> extents(const sluice::text::StreamSelection&) override { return {}; }
    void retain(const std::string&, const sluice::store::Retention&) override {}
    void hold(const std::string&, const sluice::store::Hold&) override {}
    void clear(std::string_view) override {}
    sluice::store::Purged purge(std::string_view, std::uint64_t) override { return {}; }
    sluice::store::Erased erase(std::string_view, std::uint64_t) override { return {}; }
    void relieve_memory() override {}

    void end(std::optional<sluice::store::AppendError> error = std::nullopt) { end(take_first(), error); }
    Waiting take_first() {
        Waiting first = std::move(waiting.front());
        waiting.erase(waiting.begin());
        return first;
    }
    void end(Waiting first, std::optional<sluice::store::AppendError> error) {
        const Done done = std::move(first.done);
        done(finish(std::move(first), error));
    }
    sluice::store::AppendResult finish(Waiting first, std::optional<sluice::store::AppendError> error) {
        const std::uint64_t first_id = 10 * ++ended;
        if (!error) {
            for (std::size_t i = 0; i < first.append.events.size(); ++i) first.append.events[i].id = first_id + i;
            listener(first.append);
        }
        return {error, {first_id}};
    }

    const std::string epoch_text = "1";
    Listener listener;
    std::vector<Waiting> waiting;
    std::vector<sluice::store::AttemptId> attempts;
    std::uint64_t ended = 0;
    bool throws = false;
    bool at_once = false;  // completes further appends before append() returns
};

struct SlowFixture {
    EventQueue queue{100, 100'000};
    sluice::broker::Counters counters;
    sluice::broker::Fanout fanout{counters};
    sluice::base::MemoryBudget memory{1'000'000};
    SlowLog log;
    Publisher publisher{{2, 100, std::chrono::hours(1)}, queue, log, counters, memory};
    std::vector<Publisher::Outcome> outcomes;

    SlowFixture() { log.listen(Dispatch(queue, fanout, counters, {})); }

    void publish(const std::vector<std::string>& items, std::optional<sluice::store::AttemptId> attempt = {}) {
        const auto shared = std::make_shared<sluice::broker::Publication>(publication(items));
        shared->attempt = attempt;
        const auto known = publisher.publish(shared, [this](const Publisher::Outcome& o) { outcomes.push_back(o); });
        if (known) outcomes.push_back(*known);
    }
};

}  // namespace

TEST_CASE_METHOD(SlowFixture, "a publication ends when its append does, and its events are matched from then on") {
    publish({item("a"), item("b")});
    publish({item("b"), item("c")});
    CHECK(outcomes.empty());
    CHECK(queue.events() == 0);
    CHECK(counters.events.load() == 0);
    log.end();
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes[0].value().first_id == 10);
    CHECK(outcomes[0].value().last_id == 11);
    CHECK(queue.events() == 2);
    log.end();
    REQUIRE(outcomes.size() == 2);
    CHECK(outcomes[1].value().added == 1);
    CHECK(outcomes[1].value().unchanged == 1);
    CHECK(outcomes[1].value().first_id == 20);
    CHECK(queue.events() == 3);
}

TEST_CASE_METHOD(SlowFixture, "a log that may append later may also append at once") {
    log.at_once = true;
    publish({item("a"), item("b")});
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes[0].value().first_id == 10);
    CHECK(queue.events() == 2);
    log.at_once = false;
    publish({item("a"), item("c")});
    CHECK(outcomes.size() == 1);
    log.end();
    REQUIRE(outcomes.size() == 2);
    CHECK(outcomes[1].value().unchanged == 1);
    CHECK(outcomes[1].value().first_id == 20);
    CHECK(queue.events() == 3);
}

TEST_CASE_METHOD(SlowFixture, "what repeats an item that is being appended ends with it") {
    publish({item("a")});
    publish({item("a")});
    CHECK(outcomes.empty());
    log.end();
    REQUIRE(outcomes.size() == 2);
    CHECK(outcomes[1].value().unchanged == 1);
    publish({item("a")});
    CHECK(outcomes.size() == 3);
}

TEST_CASE_METHOD(SlowFixture, "a failed append takes back what it remembered, and so do those that began after it") {
    publish({item("a", "one")});
    log.end();
    publish({item("a", "two"), item("b")});
    publish({item("a", "three")});
    publish({item("b")});
    REQUIRE(outcomes.size() == 1);
    log.end(sluice::store::AppendError::unknown);
    REQUIRE(outcomes.size() == 4);
    for (std::size_t i = 1; i < 4; ++i) CHECK(outcomes[i].error() == PublishRefusal::unavailable);
    log.end(sluice::store::AppendError::unknown);
    CHECK(outcomes.size() == 4);
    CHECK(queue.events() == 1);
    publish({item("a", "one"), item("b")});
    log.end();
    REQUIRE(outcomes.size() == 5);
    CHECK(outcomes[4].value().unchanged == 1);
    CHECK(outcomes[4].value().added == 1);
    CHECK(counters.events.load() == 2);
}

TEST_CASE_METHOD(SlowFixture, "Publisher: events that are being appended → count as room, until their append fails") {
    std::vector<std::string> items;
    for (int i = 0; i < 50; ++i) items.push_back(item(std::to_string(i)));
    publish({item("first")});
    log.end();
    publish(items);
    CHECK(queue.events() == 1);
    publish({item("a")});
    REQUIRE(outcomes.size() == 2);
    CHECK(outcomes[1].error() == PublishRefusal::no_room);
    log.end(sluice::store::AppendError::unknown);
    publish({item("a")});
    log.end();
    REQUIRE(outcomes.size() == 4);
    CHECK(outcomes[3].value().added == 1);
    CHECK(queue.events() == 2);
}

TEST_CASE_METHOD(SlowFixture, "Publisher: items known already → no room is taken, though their append goes on") {
    std::vector<std::string> items;
    for (int i = 0; i < 40; ++i) items.push_back(item(std::to_string(i)));
    publish(items);
    for (int i = 0; i < 5; ++i) publish(items);
    publish({item("a")});
    CHECK(outcomes.empty());
    log.end();
    CHECK(outcomes.size() == 6);
    log.end();
    REQUIRE(outcomes.size() == 7);
    CHECK(outcomes[6].value().added == 1);
    CHECK(queue.events() == 41);
}

TEST_CASE_METHOD(SlowFixture, "Publisher: failed append → refusal says whether anything can have been stored") {
    using sluice::store::AppendError;
    const std::pair<AppendError, PublishRefusal> refusals[] = {{AppendError::no_memory, PublishRefusal::no_memory},
                                                               {AppendError::no_space, PublishRefusal::no_space},
                                                               {AppendError::unknown, PublishRefusal::unavailable}};
    for (const auto& [error, refusal] : refusals) {
        publish({item("a")});
        log.end(error);
        CHECK(outcomes.back().error() == refusal);
    }
    CHECK(outcomes.size() == 3);
}

TEST_CASE_METHOD(SlowFixture, "Publisher: attempt → has the client's id, or one of its own") {
    publish({item("a")});
    publish({item("b")});
    publish({item("c")}, sluice::store::AttemptId{1, 2});
    publish({item("d")}, sluice::store::AttemptId{1, 2});
    REQUIRE(log.attempts.size() == 4);
    CHECK(log.attempts[0] != log.attempts[1]);
    CHECK(log.attempts[2] == sluice::store::AttemptId{1, 2});
    CHECK(log.attempts[3] == log.attempts[2]);
    for (int i = 0; i < 4; ++i) log.end();
    CHECK(outcomes.size() == 4);
}

TEST_CASE_METHOD(SlowFixture, "a log that throws has taken nothing") {
    log.throws = true;
    CHECK_THROWS_AS(publish({item("a")}), std::bad_alloc);
    log.throws = false;
    publish({item("a")});
    log.end();
    CHECK(outcomes.at(0).value().added == 1);
    CHECK(queue.events() == 1);
}

TEST_CASE_METHOD(SlowFixture, "a queue that is closed ends only when what is being appended is known") {
    publish({item("a")});
    queue.close();
    publish({item("b")});
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes[0].error() == PublishRefusal::closed);
    log.end();
    sluice::broker::QueuedBatch batch;
    CHECK(queue.pop(sluice::broker::Lane::fast, 32, std::chrono::microseconds(0), batch));
    CHECK(batch.events.size() == 1);
    queue.finish(batch);
    batch.clear();
    CHECK_FALSE(queue.pop(sluice::broker::Lane::fast, 32, std::chrono::microseconds(0), batch));
}

namespace {

// A log that completes appends on a thread of its own.
struct ThreadedLog final : SlowLog {
    ThreadedLog() : thread([this] { run(); }) {}
    ~ThreadedLog() override {
        {
            const std::lock_guard lock(mutex);
            over = true;
        }
        changed.notify_one();
        thread.join();
    }
    std::optional<sluice::store::AppendResult> append(const sluice::store::Attempt& attempt,
                                                      sluice::store::Appends appends, Done done) override {
        {
            const std::lock_guard lock(mutex);
            SlowLog::append(attempt, std::move(appends), std::move(done));
        }
        changed.notify_one();
        return std::nullopt;
    }
    void run() {
        for (std::unique_lock lock(mutex);; lock.lock()) {
            changed.wait(lock, [this] { return over || !waiting.empty(); });
            if (waiting.empty()) return;
            Waiting first = take_first();
            lock.unlock();
            end(std::move(first), std::nullopt);
        }
    }

    std::mutex mutex;
    std::condition_variable changed;
    bool over = false;
    std::thread thread;
};

struct ThreadedFixture {
    EventQueue queue{8, 100'000};
    sluice::broker::Counters counters;
    sluice::broker::Fanout fanout{counters};
    sluice::base::MemoryBudget memory{10'000'000};
    ThreadedLog log;
    Publisher publisher{{10, 10'000, std::chrono::hours(1)}, queue, log, counters, memory};

    ThreadedFixture() { log.listen(Dispatch(queue, fanout, counters, {})); }

    Publisher::Outcome try_to_publish(const std::shared_ptr<const sluice::broker::Publication>& what) {
        const auto ended = std::make_shared<std::promise<Publisher::Outcome>>();
        const auto known = publisher.publish(what, [ended](const Publisher::Outcome& o) { ended->set_value(o); });
        return known ? *known : ended->get_future().get();
    }
    // Waits for room. Returns false if it is refused for another reason.
    bool publish(const std::vector<std::string>& items, const std::string& stream) {
        const auto what = std::make_shared<const sluice::broker::Publication>(publication(items, stream));
        EventQueue::Waiting waiting{items.size()};
        auto outcome = try_to_publish(what);
        for (; !outcome && outcome.error() == PublishRefusal::no_room; outcome = try_to_publish(what)) {
            const auto room = std::make_shared<std::promise<void>>();
            if (queue.wait_for_room(stream, waiting, [room] { room->set_value(); })) room->get_future().wait();
        }
        queue.end_waiting(waiting);
        return outcome.has_value();
    }
};

}  // namespace

TEST_CASE_METHOD(ThreadedFixture,
                 "Publisher: log that answers later → the queue keeps its bound, and nothing is lost") {
    constexpr std::size_t publishers = 4, documents = 200, items = 3;
    std::atomic<std::size_t> refused{0}, running{publishers};
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < publishers; ++p) {
        threads.emplace_back([&, p] {
            for (std::size_t d = 0; d < documents; ++d) {
                std::vector<std::string> news;
                for (std::size_t i = 0; i < items; ++i)
                    news.push_back(item(std::to_string(p) + '/' + std::to_string(items * d + i)));
                news.push_back(news.front());  // the queue gets fewer than were reserved
                if (!publish(news, "s" + std::to_string(p % 2))) ++refused;
            }
            if (--running == 0) queue.close();
        });
    }
    std::map<std::string, std::uint64_t> last_ids;
    std::size_t most = 0, received = 0, out_of_order = 0;
    sluice::broker::QueuedBatch batch;
    for (; queue.pop(sluice::broker::Lane::fast, 2, std::chrono::microseconds(0), batch); batch.clear()) {
        most = std::max(most, queue.events());
        received += batch.events.size();
        for (const Event& event : batch.events) {
            std::uint64_t& last = last_ids[*event.stream];
            out_of_order += event.id <= last ? 1 : 0;
            last = event.id;
        }
        if (!batch.events.empty()) queue.finish(batch);
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(refused == 0);
    CHECK(received == publishers * documents * items);
    CHECK(out_of_order == 0);
    CHECK(most < 8 + items + 1);
    CHECK(queue.bytes() == 0);
}
