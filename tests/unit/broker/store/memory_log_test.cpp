#include "broker/store/memory_log.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "broker/store/selected_extent.hpp"
#include "protocol/feed/parse.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

struct Fixture {
    base::MemoryBudget budget{10'000'000};
    feed::RecordTime now = 1'000;
    MemoryLog log{1'000'000, budget, [this] { return now; }};

    std::uint64_t append(const std::string& stream, std::size_t events, std::size_t bytes = 10) {
        auto document = std::make_shared<feed::DocumentRecord>();
        document->text = std::make_shared<const std::string>(bytes, 'x');
        Append append{std::make_shared<const std::string>(stream), document, {}, nullptr};
        for (std::size_t i = 0; i < events; ++i)
            append.events.emplace_back().item.offset = static_cast<std::uint32_t>(i);
        return append_all({append}).at(0);
    }
    std::vector<std::uint64_t> append_all(const Appends& appends) {
        const auto result = log.append(AttemptId{}, appends, [](const AppendResult&) { FAIL("it ended at once"); });
        REQUIRE(result);
        REQUIRE_FALSE(result->error);
        return {result->first_ids.begin(), result->first_ids.end()};
    }
    std::vector<std::uint64_t> ids(const std::string& stream, std::uint64_t from = 0, std::size_t events_max = 1'000,
                                   std::size_t bytes_max = 1'000'000) {
        std::vector<std::uint64_t> list;
        for (const KeptEvents& kept : log.read(stream, from, events_max, bytes_max).kept)
            for (const feed::EventHead& event : kept.events) list.push_back(event.id);
        return list;
    }
};

using Ids = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE_METHOD(Fixture, "MemoryLog: appends to several streams → ids rise over all of them, with holes in each") {
    CHECK(append("a", 2) == 1);
    CHECK(append("b", 1) == 3);
    CHECK(append("a", 3) == 4);
    CHECK(ids("a") == Ids{1, 2, 4, 5, 6});
    CHECK(ids("a", 3) == Ids{4, 5, 6});
    CHECK(ids("b") == Ids{3});
    CHECK(ids("unknown").empty());
    const StreamExtent extent = log.extent("a");
    CHECK(extent.first_id == 1);
    CHECK(extent.last_id == 6);
    CHECK(extent.events == 5);
    CHECK(log.extent("unknown").last_id == 0);
    CHECK(log.extent("unknown").first_id == 7);
}

TEST_CASE_METHOD(Fixture,
                 "what is read begins where asked, and ends after so many events or bytes, but not before one") {
    for (int i = 0; i < 4; ++i) append("a", 2, 5'000);
    CHECK(ids("a", 4) == Ids{4, 5, 6, 7, 8});
    CHECK(ids("a", 4, 2) == Ids{4, 5});
    CHECK(ids("a", 4, 0).empty());
    CHECK(ids("a", 4, 100, 1) == Ids{4});
    CHECK(ids("a", 4, 100, 0) == Ids{4});
    CHECK(ids("a", 9).empty());
    const Slice slice = log.read("a", 4, 1, 1);
    CHECK(slice.next_id == 5);
    CHECK_FALSE(slice.at_end);
    const KeptEvents& kept = slice.kept.at(0);
    CHECK(kept.events[0].item.offset == 1);
    CHECK(kept.events[0].time == 1'000);
    CHECK(*kept.of->stream == "a");
    CHECK(kept.of->record->text->size() == 5'000);
    CHECK(log.read("a", 8, 1, 1).at_end);
    CHECK(log.read("a", 8, 1, 1).next_id == 9);
}

TEST_CASE_METHOD(
    Fixture, "listeners hear of each append once, with its ids and its document, and the log drops the document then") {
    auto parsed = feed::parse_document("<r><a/><b/></r>", {}).value();
    const std::weak_ptr<const feed::Document> watched = parsed;
    std::vector<std::uint64_t> heard;
    log.listen([&](const Append& append) {
        CHECK(*append.stream == "a");
        CHECK(append.document == watched.lock());
        CHECK(*append.record->text == "x");
        for (const auto& event : append.events) heard.push_back(event.id);
    });
    for (int i = 0; i < 2; ++i) {
        auto document = std::make_shared<feed::DocumentRecord>();
        document->text = std::make_shared<const std::string>("x");
        append_all({{std::make_shared<const std::string>("a"), document, std::vector<feed::EventHead>(2), parsed}});
    }
    CHECK(heard == Ids{1, 2, 3, 4});
    CHECK(ids("a") == heard);
    parsed.reset();
    CHECK(watched.expired());
}

TEST_CASE_METHOD(Fixture,
                 "MemoryLog: several appends at once → each gets its ids, and listeners hear of each in order") {
    const auto document = std::make_shared<feed::DocumentRecord>();
    document->text = std::make_shared<const std::string>("x");
    const auto of = [&](const std::string& stream, std::size_t events) {
        return Append{std::make_shared<const std::string>(stream), document, std::vector<feed::EventHead>(events), {}};
    };
    std::vector<std::string> heard;
    log.listen([&](const Append& each) { heard.push_back(*each.stream + std::to_string(each.events.front().id)); });
    append("a", 1);
    CHECK(append_all({of("a", 2), of("b", 1), of("a", 1)}) == Ids{2, 4, 5});
    CHECK(heard == std::vector<std::string>{"a1", "a2", "b4", "a5"});
    CHECK(ids("a") == Ids{1, 2, 3, 5});
    CHECK(ids("b") == Ids{4});
}

TEST_CASE_METHOD(Fixture, "retention by events, bytes and age goes from the oldest on, now and with every append") {
    for (int i = 0; i < 3; ++i) append("a", 3);
    log.retain("a", {.events = 4});
    CHECK(ids("a") == Ids{6, 7, 8, 9});
    CHECK(log.extent("a").first_id == 6);
    append("a", 1);
    CHECK(ids("a") == Ids{7, 8, 9, 10});

    append("b", 1, 6'000);
    append("b", 1, 6'000);
    log.retain("b", {.bytes = 10'000});
    CHECK(ids("b") == Ids{12});
    append("b", 1, 20'000);
    CHECK(ids("b").empty());
    CHECK(log.extent("b").first_id == 14);
    CHECK(log.extent("b").bytes == 0);

    log.retain("c", {.age = std::chrono::microseconds(100)});
    append("c", 1);
    now += 60;
    append("c", 1);
    now += 41;
    CHECK(ids("c") == Ids{15});
    CHECK(log.extent("c").oldest == 1'060);
    log.retain("d", {.events = 0});
    CHECK(append("d", 2) == 16);
    CHECK(ids("d").empty());
    CHECK(log.extent("d").last_id == 0);
    CHECK(log.extent("d").first_id == 18);
}

TEST_CASE_METHOD(Fixture, "MemoryLog: events from an id on are held → neither age nor number nor bytes drop them") {
    log.retain("a", {.events = 3});
    log.hold("a", {.first_id = 4, .bytes = 100'000});
    for (int i = 0; i < 5; ++i) append("a", 2);
    CHECK(ids("a") == Ids{4, 5, 6, 7, 8, 9, 10});
    CHECK(log.extent("a").dropped_id == 3);
    log.hold("a", {.first_id = 7, .bytes = 100'000});
    CHECK(ids("a") == Ids{7, 8, 9, 10});
    log.retain("a", {.age = std::chrono::microseconds(1), .bytes = 1});
    now += 10;
    append("a", 1);
    CHECK(ids("a") == Ids{7, 8, 9, 10, 11});
    log.retain("a", {.events = 4});  // which is within the retention again
    log.hold("a", {.first_id = 8, .bytes = 1});
    CHECK(ids("a") == Ids{8, 9, 10, 11});
    log.retain("a", {.events = 1});
    CHECK(ids("a") == Ids{11});
    log.hold("unknown", {});
    CHECK(log.extent("unknown").events == 0);
}

TEST_CASE_METHOD(Fixture, "MemoryLog: what is only held takes more than the hold's bytes → the oldest are dropped") {
    log.hold("a", {.first_id = 0, .bytes = 12'000});
    log.retain("a", {.events = 2});
    for (int i = 0; i < 4; ++i) append("a", 2, 5'000);
    CHECK(ids("a") == Ids{3, 4, 5, 6, 7, 8});
    log.hold("a", {.first_id = 0, .bytes = 7'000});
    CHECK(ids("a") == Ids{5, 6, 7, 8});
    for (int i = 0; i < 100; ++i) append("b", 1, 20'000);  // more than fits
    log.hold("a", {});
    CHECK(ids("a") == Ids{7, 8});
    log.hold("c", {.first_id = 0, .bytes = 10'000'000});
    log.retain("c", {.events = 0});
    for (int i = 0; i < 100; ++i) append("c", 1, 20'000);
    CHECK(log.extent("*").bytes <= 1'000'000);
    CHECK(log.extent("c").events > 20);
}

TEST_CASE_METHOD(Fixture, "MemoryLog: full → the stream with the most bytes gives its oldest events") {
    append("small", 1, 200'000);
    for (int i = 0; i < 4; ++i) append("large", 1, 200'000);
    CHECK(ids("small") == Ids{1});
    CHECK(ids("large") == Ids{3, 4, 5});
    append("small", 1, 200'000);
    append("small", 1, 200'000);
    CHECK(ids("small") == Ids{6, 7});
    CHECK(ids("large") == Ids{4, 5});
    append("huge", 1, 600'000);  // more than any other's
    CHECK(ids("huge").empty());
    CHECK(ids("*") == Ids{4, 5, 6, 7});
    append("huge", 1, 2'000'000);
    CHECK(ids("*") == Ids{4, 5, 6, 7});
    CHECK(log.extent("huge").dropped_id == 9);
    CHECK(append("huge", 1) == 10);
}

TEST_CASE_METHOD(Fixture, "where the memory budget refuses less is kept, and nothing fails") {
    const std::size_t empty = budget.used(base::MemoryUse::store);
    append("a", 1, 100'000);
    CHECK(budget.used(base::MemoryUse::store) > empty + 100'000);
    auto others = budget.force_charge(base::MemoryUse::mailboxes, 10'000'000);
    CHECK(append("a", 1, 100'000) == 2);
    CHECK(ids("a").empty());
    CHECK(budget.used(base::MemoryUse::store) < empty + 1'000);
    CHECK(budget.refusals() == 0);
    others.release();
    for (int i = 0; i < 4; ++i) append("a", 1, 100'000);
    log.relieve_memory();
    CHECK(ids("a") == Ids{3, 4, 5, 6});
    others = budget.force_charge(base::MemoryUse::mailboxes, 5'000'000);
    log.relieve_memory();
    CHECK(ids("a") == Ids{5, 6});
}

TEST_CASE_METHOD(Fixture, "MemoryLog: stream that was cleared → no id is given twice") {
    append("a", 3);
    log.clear("a");
    log.clear("unknown");
    CHECK(ids("a").empty());
    CHECK(log.extent("a").first_id == 4);
    CHECK(append("a", 1) == 4);
    CHECK(ids("a") == Ids{4});
}

TEST_CASE_METHOD(Fixture, "MemoryLog: several streams → their extents, and what was dropped from forgotten ones") {
    const text::StreamSelection prefix(std::vector<std::string>{"news.*", "named"});
    append("news.a", 2);
    append("news.b", 2);
    append("other", 2);
    log.retain("news.b", {.events = 1});
    const StreamExtent all = selected_extent(log, prefix);
    CHECK(all.first_id == 1);
    CHECK(all.last_id == 4);
    CHECK(all.events == 3);
    CHECK(all.dropped_id == 3);
    CHECK(selected_extent(log, text::StreamSelection(std::vector<std::string>{"x", "y"})).first_id == 7);

    KnownDrops known;
    const auto know = [&] { known = drops_of(selected_extents(log, prefix)); };
    const auto has_more = [&](std::uint64_t from) {
        return has_dropped_more(selected_extents(log, prefix), known, from);
    };
    CHECK(has_more(1));
    CHECK_FALSE(has_more(4));
    know();
    CHECK_FALSE(has_more(1));
    log.purge("other", 6);
    CHECK_FALSE(has_more(1));
    log.clear("other");  // it may have been one of these
    CHECK(has_more(6));
    CHECK_FALSE(has_more(7));
    know();
    append("news.c", 1);
    CHECK_FALSE(has_more(1));
    log.clear("news.a");  // below what was forgotten before
    CHECK(has_more(1));

    const text::StreamSelection names(std::vector<std::string>{"news.b", "news.c"});
    known = drops_of(selected_extents(log, names));
    append("other", 1);
    log.clear("other");
    CHECK_FALSE(has_dropped_more(selected_extents(log, names), known, 1));
    log.clear("news.b");
    CHECK(has_dropped_more(selected_extents(log, names), known, 1));
}

TEST_CASE_METHOD(Fixture, "MemoryLog: clock put back → no event's time is below that of an earlier one") {
    append("a", 1);
    now = 500;
    append("b", 1);
    now = 1'001;
    append("a", 1);
    CHECK(log.read("b", 0, 1, 100).kept.at(0).events[0].time == 1'000);
    CHECK(log.read("a", 0, 2, 10'000).kept.at(1).events[0].time == 1'001);
}

TEST_CASE_METHOD(Fixture, "MemoryLog: time → id of the first retained event since then, or of the next one at most") {
    CHECK(log.first_id_since("a", 0) == 1);
    for (const feed::RecordTime time : {1'000, 2'000, 1'500, 3'000}) {  // the third counts as 2,000
        now = time;
        append("a", 2);
        append("b", 1);
    }
    const std::vector<std::pair<feed::RecordTime, std::uint64_t>> expected{
        {0, 1}, {1'000, 1}, {1'001, 4}, {1'500, 4}, {2'000, 4}, {2'001, 10}, {3'000, 10}, {3'001, 13}};
    for (const auto& [time, id] : expected) CHECK(log.first_id_since("a", time) == id);
    CHECK(log.first_id_since("b", 2'000) == 6);
    CHECK(log.first_id_since("unknown", 0) == 13);
    log.retain("a", {.events = 3});
    CHECK(log.first_id_since("a", 0) == 8);
    CHECK(log.first_id_since("a", 2'000) == 8);
    log.clear("a");
    CHECK(log.first_id_since("a", 0) == 13);
}

TEST_CASE_METHOD(Fixture, "memory does not grow with what has gone") {
    log.retain("a", {.events = 3});
    for (int i = 0; i < 3; ++i) append("a", 1);
    append("slow", 1);
    const std::size_t before = budget.used(base::MemoryUse::store);
    for (int i = 0; i < 1'000; ++i) append("a", 1);
    CHECK(budget.used(base::MemoryUse::store) == before);
    for (int i = 0; i < 1'000; ++i) {
        append("brief", 1);
        log.clear("brief");
    }
    CHECK(budget.used(base::MemoryUse::store) == before);
    for (int i = 0; i < 1'000; ++i) {
        append("unkept" + std::to_string(i), 1, 2'000'000);
        log.clear("unkept" + std::to_string(i));
    }
    CHECK(budget.used(base::MemoryUse::store) == before);
    log.retain("a", {.events = 0});
    CHECK(budget.used(base::MemoryUse::store) < before);
    log.clear("a");
    log.clear("slow");
    CHECK(budget.used(base::MemoryUse::store) == 0);
}

TEST_CASE_METHOD(Fixture,
                 "MemoryLog: all streams → read in the order of ids, what was dropped and forgotten included") {
    append("a", 2);
    append("b", 1);
    append("a", 1);
    CHECK(ids("*") == Ids{1, 2, 3, 4});
    CHECK(ids("*", 2, 2) == Ids{2, 3});
    CHECK(log.extent("*").events == 4);
    CHECK(log.extent("*").bytes == log.extent("a").bytes + log.extent("b").bytes);
    log.retain("a", {.events = 1});
    CHECK(log.extent("a").dropped_id == 2);
    CHECK(log.extent("a").dropped_time == 1'000);
    CHECK(log.extent("b").dropped_id == 0);
    CHECK(log.extent("*").dropped_id == 2);
    CHECK(log.read("*", 0, 10, 10'000).dropped_id == 2);
    CHECK(log.read("*", 0, 10, 10'000).oldest_id == 3);
    log.clear("a");
    for (const char* stream : {"a", "*", "unknown"}) CHECK(log.extent(stream).dropped_id == 4);
    CHECK(log.extent("b").dropped_id == 0);
    append("a", 1);
    CHECK(log.extent("a").dropped_id == 4);
}

TEST_CASE_METHOD(Fixture, "MemoryLog: events too old → dropped also from a stream that gets no appends") {
    log.retain("old", {.age = std::chrono::microseconds(1'000)});
    append("other", 1);
    append("old", 1);
    append("old", 1);
    now += 1'001;
    append("other", 1);
    CHECK(log.extent("*").events == 2);
    CHECK(ids("*") == Ids{1, 4});
    CHECK(log.extent("old").dropped_id == 3);
}

TEST_CASE_METHOD(Fixture, "MemoryLog: items kept alone → each is read with its own record") {
    std::uint64_t heard = 0;
    log.listen([&](const Append& each) { heard += each.events.at(1).item.offset; });
    auto document = std::make_shared<feed::DocumentRecord>();
    document->text = std::make_shared<const std::string>(1'000, 'x');
    Append append{std::make_shared<const std::string>("a"), document, std::vector<feed::EventHead>(2), nullptr};
    append.events[1].item = {500, 10};
    for (std::uint32_t i = 0; i < 2; ++i) {
        feed::DocumentRecord record = *document;
        record.text = std::make_shared<const std::string>(20 + i, 'x');
        append.items.push_back({record, {5 + i, 10}});
    }
    append_all({append});
    CHECK(heard == 500);
    const Slice slice = log.read("a", 0, 10, 10'000);
    REQUIRE(slice.kept.size() == 2);
    CHECK(slice.kept[1].events[0].id == 2);
    CHECK(slice.kept[1].events[0].item == feed::SourceRange{6, 10});
    CHECK(slice.kept[1].of->record->text->size() == 21);
    CHECK(log.read("a", 2, 10, 10'000).kept.size() == 1);
}

TEST_CASE_METHOD(Fixture, "MemoryLog: slice → keeps what was dropped meanwhile") {
    append("a", 1, 1'000);
    const Slice slice = log.read("a", 0, 10, 10'000);
    log.clear("a");
    CHECK(slice.kept.at(0).of->record->text->size() == 1'000);
}

TEST_CASE_METHOD(Fixture, "MemoryLog: many streams beside a large one → all of them keep their events") {
    for (int i = 0; i < 100; ++i) append("small" + std::to_string(i), 1, 1'000);
    for (int i = 0; i < 200; ++i) append("large", 1, 10'000);
    for (int i = 0; i < 100; ++i) CHECK(log.extent("small" + std::to_string(i)).events == 1);
    CHECK(log.extent("large").events > 50);
    CHECK(log.extent("*").bytes <= 1'000'000);
}

TEST_CASE("MemoryLog: epoch → letters and digits that differ from those of another log") {
    base::MemoryBudget budget(1'000'000);
    const MemoryLog one(0, budget, [] { return 5; }), other(0, budget);
    CHECK(one.epoch().size() == 11);
    CHECK(one.epoch().find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") ==
          std::string::npos);
    CHECK(one.epoch() != other.epoch());
    CHECK(one.begun_at() == 5);
}

TEST_CASE("MemoryLog: nothing is kept → ids go on, and what was appended counts as dropped") {
    base::MemoryBudget budget(1'000'000);
    MemoryLog log(0, budget, [] { return 5; });
    auto document = std::make_shared<feed::DocumentRecord>();
    document->text = std::make_shared<const std::string>("x");
    const Append append{std::make_shared<const std::string>("a"), document, std::vector<feed::EventHead>(2), nullptr};
    CHECK(log.append(AttemptId{}, {append}, nullptr)->first_ids.at(0) == 1);
    CHECK(log.append(AttemptId{}, {append}, nullptr)->first_ids.at(0) == 3);
    CHECK(log.extent("a").dropped_id == 4);
    CHECK(log.extent("a").first_id == 5);
    CHECK(log.read("*", 0, 10, 10'000).at_end);
}

TEST_CASE_METHOD(Fixture,
                 "MemoryLog: a stream is purged → its events are gone, whatever holds them, and all else stays") {
    log.retain("a", {.events = 100});
    log.hold("a", {.first_id = 1, .bytes = 1'000'000});
    for (int i = 0; i < 4; ++i) append("a", 3);
    append("b", 1);
    CHECK(log.purge("a", 5).events == 4);
    CHECK(ids("a") == Ids{5, 6, 7, 8, 9, 10, 11, 12});
    CHECK(log.extent("a").dropped_id == 4);
    CHECK(log.purge("a", 5).first_id == 5);
    CHECK(log.purge("a", 12).events == 7);
    CHECK(ids("a") == Ids{12});
    const Purged purged = log.purge("a", ~std::uint64_t{0});
    CHECK(purged.events == 1);
    CHECK(purged.first_id == 14);
    CHECK(log.extent("a").events == 0);
    CHECK(log.extent("a").bytes == 0);
    append("a", 1);
    CHECK(ids("*") == Ids{13, 14});
    CHECK(log.purge("unknown", 5).events == 0);
}

TEST_CASE_METHOD(Fixture, "MemoryLog: an event is erased → its bytes are gone, and the others are read as before") {
    append("a", 3);
    append("b", 1);
    append("a", 2);
    const std::weak_ptr<const Kept> before = log.read("a", 0, 1, 1).kept.front().of;
    CHECK(log.erase("a", 2).is_found);
    CHECK(before.expired());
    CHECK_FALSE(log.erase("a", 2).is_found);
    CHECK_FALSE(log.erase("a", 4).is_found);
    CHECK_FALSE(log.erase("a", 0).is_found);
    CHECK_FALSE(log.erase("a", 7).is_found);
    CHECK_FALSE(log.erase("c", 1).is_found);
    CHECK(ids("a") == Ids{1, 3, 5, 6});
    CHECK(ids("*") == Ids{1, 3, 4, 5, 6});
    const Slice slice = log.read("a", 1, 2, 1'000'000);
    CHECK(slice.erased_id == 2);
    CHECK(slice.kept.size() == 2);
    CHECK(slice.next_id == 5);
    CHECK(log.erase("a", 1).is_found);
    CHECK(log.erase("a", 3).is_found);
    CHECK(ids("a") == Ids{5, 6});
    CHECK(log.extent("a").events == 5);
    CHECK(log.extent("a").first_id == 1);
    log.retain("a", {.events = 2});
    CHECK(ids("a") == Ids{5, 6});
    CHECK(log.extent("a").events == 2);
    CHECK(log.erase("a", 6).is_found);
    CHECK(ids("a") == Ids{5});
    log.clear("a");
    CHECK(log.extent("*").events == 1);
}
