#include "broker/ingest/publisher.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/broker/support.hpp"

using sluice::document;
using sluice::Event;
using sluice::EventQueue;
using sluice::item;
using sluice::prepare_publication;
using sluice::Publisher;
using sluice::PublishRefusal;

namespace {

sluice::Publication publication(const std::vector<std::string>& items, const std::string& stream = "s",
                                bool deduplicate = true) {
    return prepare_publication(stream, document(items), 100, deduplicate);
}

struct Fixture {
    EventQueue queue{4, 100'000};
    sluice::Counters counters;
    Publisher publisher{{2, 100}, queue, counters};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "ids are positions in the stream") {
    const auto first = publisher.publish(publication({item("a"), item("b")})).value();
    CHECK(first.received == 2);
    CHECK(first.added == 2);
    CHECK(first.first_id == 1);
    CHECK(first.last_id == 2);
    CHECK(publisher.publish(publication({item("c")})).value().first_id == 3);
    CHECK(publisher.publish(publication({item("c")}, "t")).value().first_id == 1);

    std::vector<Event> batch;
    queue.pop(32, std::chrono::microseconds(0), batch);
    REQUIRE(batch.size() == 4);
    CHECK(batch[1].id == 2);
    CHECK(*batch[1].stream == "s");
    CHECK(*batch[3].stream == "t");
    CHECK(publisher.streams() == std::vector<std::pair<std::string, std::uint64_t>>{{"s", 3}, {"t", 1}});
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

    std::vector<Event> batch;
    queue.pop(32, std::chrono::microseconds(0), batch);
    const auto nothing = publisher.publish(publication({item("b")})).value();
    CHECK(nothing.unchanged == 1);
    CHECK(nothing.first_id == 0);
    CHECK(queue.events() == 0);
}

TEST_CASE_METHOD(Fixture, "the queue counts all bytes of a document however few of its items are delivered") {
    publisher.publish(publication({item("a"), item("b"), item("c")})).value();
    std::vector<Event> batch;
    queue.pop(32, std::chrono::microseconds(0), batch);
    publisher.publish(publication({item("a"), item("b"), item("c", "changed")})).value();
    CHECK(queue.bytes() == 100);
}

TEST_CASE_METHOD(Fixture, "deduplication can be switched off, and is by stream") {
    publisher.publish(publication({item("a")})).value();
    CHECK(publisher.publish(publication({item("a")}, "s", false)).value().added == 1);
    CHECK(publisher.publish(publication({item("a")}, "t")).value().added == 1);
    CHECK(publisher.publish(publication({item("a")})).value().unchanged == 1);
}

TEST_CASE_METHOD(Fixture, "an item within one document can repeat and change") {
    const auto result = publisher.publish(publication({item("a"), item("a"), item("a", "x")})).value();
    CHECK(result.added == 1);
    CHECK(result.unchanged == 1);
    CHECK(result.updated == 1);
}

TEST_CASE_METHOD(Fixture, "a refusal changes nothing") {
    publisher.publish(publication({item("a"), item("b"), item("c"), item("d")})).value();
    CHECK(publisher.publish(publication({item("e")})).error() == PublishRefusal::no_room);
    CHECK(counters.events.load() == 4);
    std::vector<Event> batch;
    queue.pop(32, std::chrono::microseconds(0), batch);
    const auto retried = publisher.publish(publication({item("e")})).value();
    CHECK(retried.added == 1);
    CHECK(retried.first_id == 5);

    publisher.publish(publication({item("a")}, "t")).value();
    CHECK(publisher.publish(publication({item("a")}, "third")).error() == PublishRefusal::too_many_streams);
    queue.close();
    CHECK(publisher.publish(publication({item("f")})).error() == PublishRefusal::closed);
}

TEST_CASE_METHOD(Fixture, "a document without items is accepted and publishes nothing") {
    const auto result = publisher.publish(publication({})).value();
    CHECK(result.received == 0);
    CHECK(result.last_id == 0);
}
