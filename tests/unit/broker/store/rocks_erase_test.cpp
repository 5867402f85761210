#include <catch2/catch.hpp>
#include <future>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "broker/store/rocks/rocks_log.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/feed/parse.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "protocol/feed/record/record_item.hpp"
#include "tests/support/stored_bytes.hpp"
#include "tests/unit/broker/store/rocks_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

using Ids = RocksFixture::Ids;

std::string random_text(std::size_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::string text(bytes, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 26);
    return text;
}

struct Fixture : RocksFixture {
    // Appends the items of an RSS feed with these indices; with `alone`, without their document.
    std::uint64_t publish(const std::string& stream, const std::vector<std::string>& titles,
                          const std::vector<std::size_t>& which, bool alone = false, feed::DeadLetterPtr letter = {}) {
        std::string text = "<rss version='2.0'><channel><title>Feed</title>";
        for (const std::string& title : titles) text += "<item><title>" + title + "</title></item>";
        feed::DocumentOptions options;
        const auto document = feed::parse_document(text + "</channel></rss>", options);
        REQUIRE(document.has_value());
        feed::DocumentRecord record = feed::record_document(**document, options);
        record.dead_letter = std::move(letter);
        Append append{std::make_shared<const std::string>(stream), nullptr, {}, nullptr};
        append.record = std::make_shared<const feed::DocumentRecord>(record);
        for (const std::size_t i : which) append.events.emplace_back().item = feed::source_range(**document, i);
        if (alone) append.items = feed::record_items(**document, record, which, 1'000'000).value();
        const AppendResult result = append_all({append});
        REQUIRE_FALSE(result.error);
        return result.first_ids.at(0);
    }
    static feed::DeadLetterPtr letter(const std::string& stream, std::uint64_t id) {
        return std::make_shared<const feed::DeadLetter>(feed::DeadLetter{"sub", stream, id, 3, "busy"});
    }
    std::vector<std::string> sources(const std::string& stream) {
        std::vector<std::string> all;
        const Slice slice = log->read(stream, 0, 1'000, 1'000'000);
        CHECK(slice.damaged_id == 0);
        for (const KeptEvents& kept : slice.kept) {
            const auto document = feed::parse_record(*kept.of->record, {});
            REQUIRE(document.has_value());
            for (const feed::EventHead& event : kept.events) {
                const auto item = feed::find_item(**document, event.item);
                REQUIRE(item);
                all.emplace_back((*document)->items()[*item].source);
            }
        }
        return all;
    }
    std::vector<std::string> places_of(std::string_view bytes) {
        log.reset();
        auto places = testing::find_stored_bytes(settings.path, bytes);
        open();
        return places;
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "RocksLog: an event is erased → its bytes are in no file, and all others are as before") {
    settings.sync = GENERATE(true, false);
    restart();
    const std::string secret = random_text(2'000, 1), other = random_text(2'000, 2);
    const bool alone = GENERATE(false, true);
    const std::uint64_t id = publish("a", {"first", secret, other}, {0, 1, 2}, alone) + 1;
    const auto before = sources("a");
    if (GENERATE(false, true)) {
        restart();
        for (int i = 0; i < 20; ++i) publish("b", {random_text(50'000, 10 + static_cast<unsigned>(i))}, {0});
        restart();
    }
    CHECK_FALSE(places_of(secret).empty());
    const Erased erased = log->erase("a", id);
    CHECK(erased.is_found);
    CHECK_FALSE(erased.error);
    CHECK(ids("a") == Ids{id - 1, id + 1});
    CHECK(log->read("a", id, 9, 9'999).erased_id == id);
    CHECK(log->read("a", id + 1, 9, 9'999).erased_id == 0);
    CHECK(sources("a") == std::vector{before[0], before[2]});
    CHECK_FALSE(log->erase("a", id).is_found);
    CHECK_FALSE(log->erase("b", id).is_found);
    CHECK_FALSE(log->erase("c", id).is_found);
    CHECK_FALSE(log->erase("a", 1'000'000).is_found);
    CHECK_FALSE(log->erase("a", 0).is_found);
    CHECK(testing::find_stored_bytes(settings.path, secret).empty());  // also while it is open
    CHECK(places_of(secret).empty());
    CHECK_FALSE(places_of(other).empty());
    CHECK(sources("a") == std::vector{before[0], before[2]});
    CHECK(log->extent("a").events == 3);
    CHECK(log->state().damage.empty());
}

TEST_CASE_METHOD(Fixture, "RocksLog: an erased event → its dead letters and copies beside other events go, too") {
    const std::string secret = random_text(500, 1), own = "<item><title>" + secret + "</title></item>";
    const std::uint64_t id = publish("a", {"first", secret}, {0, 1}) + 1;
    publish("a", {secret, "second"}, {1});                                    // still in the feed
    const std::uint64_t again = publish("a", {"third", secret}, {0, 1}) + 1;  // an event of its own
    const std::uint64_t letter_id = publish("dead", {secret}, {0}, true, letter("a", id));
    publish("deader", {secret}, {0}, true, letter("dead", letter_id));
    publish("dead", {secret}, {0}, true, letter("a", again));
    publish("deader", {"first", secret}, {0}, false, letter("a", id - 1));  // could not be kept alone
    const auto before = sources("a");
    CHECK_FALSE(log->erase("a", id).error);
    CHECK(sources("a") == std::vector{before[0], before[2], before[3], before[4]});
    CHECK(before[4] == own);
    CHECK(sources("dead") == std::vector{own});
    CHECK(sources("deader") == std::vector{before[0]});
    restart();
    CHECK_FALSE(log->erase("a", again).error);
    CHECK(sources("dead").empty());
    CHECK(places_of(secret).empty());
}

TEST_CASE_METHOD(Fixture, "RocksLog: a dead letter of an event that was erased meanwhile → it is not appended") {
    const std::uint64_t id = publish("a", {"one"}, {0});
    publish("b", {"two"}, {0});
    Append late = make("dead", 1);
    feed::DocumentRecord record = *late.record;
    record.dead_letter = letter("a", id);
    late.record = std::make_shared<const feed::DocumentRecord>(record);
    CHECK_FALSE(log->erase("b", id).is_found);  // where it never was
    publish("dead", {"one"}, {0}, true, letter("a", id));
    CHECK(ids("dead").size() == 1);
    CHECK_FALSE(log->erase("a", id).error);
    CHECK_FALSE(log->erase("b", id).is_found);
    CHECK(append_all({late}).error == AppendError::unknown);
    CHECK(ids("dead").empty());
}

TEST_CASE_METHOD(Fixture, "RocksLog: many erase events at once, while others are appended → all are gone") {
    std::vector<std::string> texts;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < 40; ++i) {
        texts.push_back(random_text(300, static_cast<unsigned>(i)));
        which.push_back(i);
    }
    const std::uint64_t first = publish("a", texts, which);
    std::vector<std::future<Erased>> all;
    for (std::size_t i = 0; i < 40; i += 2)
        all.push_back(std::async(std::launch::async, [&, i] { return log->erase("a", first + i); }));
    for (int i = 0; i < 50; ++i) append("b", 1);
    for (auto& each : all) {
        const Erased erased = each.get();
        CHECK(erased.is_found);
        CHECK_FALSE(erased.error);
    }
    CHECK(ids("a").size() == 20);
    CHECK(sources("a").size() == 20);
    CHECK(ids("b").size() == 50);
    for (std::size_t i = 0; i < 40; i += 13) CHECK(places_of(texts[i]).empty() == (i % 2 == 0));
}

TEST_CASE_METHOD(Fixture, "RocksLog: a stream is purged → its events are gone for good, whatever holds them") {
    log->retain("a", {.events = 100});
    log->hold("a", {.first_id = 1, .bytes = 1'000'000});
    for (int i = 0; i < 4; ++i) append("a", 3);
    append("b", 1);
    Purged purged = log->purge("a", 5);
    CHECK_FALSE(purged.error);
    CHECK(purged.events == 4);
    CHECK(purged.first_id == 5);
    CHECK(ids("a") == Ids{5, 6, 7, 8, 9, 10, 11, 12});
    CHECK(log->read("a", 1, 9, 9).dropped_id == 4);
    purged = log->purge("a", 5);
    CHECK(purged.events == 0);
    CHECK(purged.first_id == 5);
    restart();
    CHECK(ids("a") == Ids{5, 6, 7, 8, 9, 10, 11, 12});
    purged = log->purge("a", ~std::uint64_t{0});
    CHECK(purged.events == 8);
    CHECK(purged.first_id == 14);
    CHECK(ids("a").empty());
    CHECK(log->extent("a").dropped_id == 12);
    CHECK(log->purge("unknown", 5).events == 0);
    append("a", 1);
    restart();
    CHECK(ids("a") == Ids{14});
    CHECK(ids("b") == Ids{13});
    CHECK_FALSE(log->erase("a", 3).is_found);
}
