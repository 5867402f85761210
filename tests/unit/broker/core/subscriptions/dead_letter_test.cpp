#include "broker/core/subscriptions/dead_letter.hpp"

#include <catch2/catch.hpp>

#include "broker/core/replay/stored_documents.hpp"
#include "broker/store/memory_log.hpp"
#include "protocol/feed/item/event_json.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/feed/record/record_codec.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/unit/protocol/feed/record_support.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

const std::string trace_parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

feed::DocumentPtr parsed_again(const feed::DocumentRecord& record) {
    const auto document = feed::parse_record(record, {});
    if (!document) FAIL(document.error().message);
    return *document;
}

struct DeadLetters {
    DeadLetters() {
        log.listen([this](const store::Append& append) {
            if (append.document != nullptr) heard = append.document;
        });
    }

    // Appends a document to "news", all its items or one alone, and returns what the log has of it.
    store::KeptEvents published(const feed::DocumentPtr& document, const feed::DocumentOptions& options,
                                std::optional<std::size_t> alone = std::nullopt) {
        feed::DocumentRecord record = feed::record_document(*document, options);
        record.owner = "ada";
        record.attributes = {{"k", "v"}};
        store::Append append{news, std::make_shared<const feed::DocumentRecord>(record), {}, document};
        for (std::size_t i = 0; i < document->items().size(); ++i) {
            if (alone && *alone != i) continue;
            feed::EventHead& event = append.events.emplace_back();
            event.change = feed::EventHead::Change::updated;
            event.identity.fill(1);
            event.content.fill(2);
            event.item = feed::source_range(*document, i);
        }
        if (alone) {
            auto records = feed::record_items(*document, record, std::span(&*alone, 1), all);
            if (records) append.items = *records;
        }
        return appended(std::move(append));
    }

    store::KeptEvents appended(store::Append append) {
        const std::string stream = *append.stream;
        const std::uint64_t from = log.last_id() + 1;
        store::Appends appends;
        appends.push_back(std::move(append));
        const auto result = log.append(store::AttemptId{}, std::move(appends), nullptr);
        REQUIRE(result);
        REQUIRE_FALSE(result->error);
        const store::Slice slice = log.read(stream, from, all, all);
        REQUIRE(slice.kept.size() == 1);
        return slice.kept.front();
    }

    std::optional<store::Append> dead(const store::KeptEvents& of, std::size_t i, bool is_always_alone = false) {
        return dead_letter_append(documents, *of.of, of.events[i], {"bill", "", 0, 10, "busy"}, morgue,
                                  is_always_alone);
    }

    // As it is delivered when it has been read from a log that was closed meanwhile.
    static std::string json_of(const store::KeptEvents& kept) {
        REQUIRE(kept.events.size() == 1);
        const auto bytes = feed::encode_append(*kept.of->record, {});
        REQUIRE(bytes.has_value());
        const auto record = feed::decode_append(*bytes);
        REQUIRE(record.has_value());
        return json_of(parsed_again(*record->document), kept.events.front(), kept.of->stream);
    }
    static std::string json_of(const feed::DocumentPtr& document, const feed::EventHead& head,
                               const std::shared_ptr<const std::string>& stream) {
        const auto item = feed::find_item(*document, head.item);
        REQUIRE(item);
        return feed::event_json({document, *item, stream, head.id, head.time, head.change}, feed::JsonValues::all);
    }

    // What the dead letter of an item must be delivered as.
    std::string expected(const feed::DocumentPtr& document, std::size_t item, std::uint64_t was,
                         const feed::EventHead& now) {
        std::string json = feed::event_json({document, item, morgue, now.id, now.time, feed::EventHead::Change::added},
                                            feed::JsonValues::all);
        const std::string letter = R"(,"dead_letter":{"subscription":"bill","stream":"news","id":)" +
                                   std::to_string(was) + R"(,"deliveries":10,"reason":"busy"})";
        return json.insert(json.find(R"(,"item":{)"), letter);
    }

    static constexpr std::size_t all = 1u << 30;
    const std::shared_ptr<const std::string> news = std::make_shared<const std::string>("news");
    const std::shared_ptr<const std::string> morgue = std::make_shared<const std::string>("dead");
    base::MemoryBudget budget{1u << 30};
    store::MemoryLog log{64u << 20, budget, [] { return feed::RecordTime{1'795'687'200'000'000}; }};
    StoredDocuments documents{{}, budget};
    feed::DocumentPtr heard;
};

std::string text_of(const store::KeptEvents& kept) { return *kept.of->record->text; }

}  // namespace

TEST_CASE_METHOD(DeadLetters, "dead_letter_append: each item of each format → the same item alone, with what it was") {
    std::size_t events = 0;
    for (const feed::Published& published_document : feed::published_documents()) {
        INFO(published_document.name);
        feed::DocumentOptions options = published_document.options;
        options.trace = {trace_parent, "a=b"};
        const feed::DocumentPtr document = feed::parsed(published_document.bytes, options);
        const store::KeptEvents whole = published(document, options);
        for (std::size_t i = 0; i < std::min<std::size_t>(document->items().size(), 20); ++i, ++events) {
            for (const store::KeptEvents& of : {whole, published(document, options, i)}) {
                const std::size_t at = of.events.size() == 1 ? 0 : i;
                const auto append = dead(of, at);
                REQUIRE(append);
                const store::KeptEvents kept = appended(*append);
                const feed::EventHead& event = kept.events.front();
                const std::string json = expected(document, i, of.events[at].id, event);
                REQUIRE(json_of(kept) == json);
                REQUIRE(heard == append->document);
                REQUIRE(json_of(heard, event, morgue) == json);
                REQUIRE(event.change == feed::EventHead::Change::added);
                REQUIRE(event.identity == feed::RecordDigest{});
                REQUIRE(event.content == feed::RecordDigest{});
                REQUIRE(text_of(kept).size() <= document->text()->size());
                REQUIRE(kept.of->record->owner == "ada");
                REQUIRE(kept.of->record->attributes.size() == 1);
                REQUIRE(kept.of->record->trace_parent == trace_parent);
            }
        }
    }
    CHECK(events > 20);
}

TEST_CASE_METHOD(DeadLetters, "dead_letter_append: an item among others → its neighbours are not kept") {
    struct Case {
        const char *type, *bytes, *kept;
    };
    const Case cases[] = {
        {"application/rss+xml",
         "<rss version='2.0'><channel><title>f</title><item><title>a</title></item><item><title>b</title></item>"
         "</channel></rss>",
         "<rss version='2.0'><channel><item><title>b</title></item></channel></rss>"},
        {"application/xml", "<r x='1'><a>1</a><b>2</b></r>", "<r x='1'><b>2</b></r>"},
        {"application/feed+json",
         R"({"version":"https://jsonfeed.org/version/1.1","title":"f","items":[{"id":"a"},{"id":"b"}]})",
         R"({"items":[{"id":"b"}]})"},
        {"application/json", R"([{"a":1},{"b":2}])", R"([{"b":2}])"},
        {"text/csv", "id,port\n1,Hull\n2,Kiel\n", "id,port\n2,Kiel"},
    };
    for (const Case& each : cases) {
        INFO(each.type);
        const feed::DocumentOptions options{each.type, "", {}};
        const store::KeptEvents of = published(feed::parsed(each.bytes, options), options);
        REQUIRE(of.events.size() == 2);
        const auto append = dead(of, 1);
        REQUIRE(append);
        const store::KeptEvents kept = appended(*append);
        CHECK(text_of(kept) == each.kept);
        CHECK(kept.of->record->context == feed::RecordContext::item);
    }
}

TEST_CASE_METHOD(DeadLetters, "dead_letter_append: its JSON, with the trace and the feed's fields kept") {
    feed::DocumentOptions options{"text/csv", "", {}};
    options.trace = {trace_parent, ""};
    const store::KeptEvents of = published(feed::parsed("id,port\n1,Hull\n2,Kiel\n", options), options);
    const auto append = dead_letter_append(documents, *of.of, of.events[1],
                                           {"bill", "", 0, 3, "not acknowledged within ack_wait"}, morgue);
    REQUIRE(append);
    const store::KeptEvents kept = appended(*append);
    const feed::EventHead& event = kept.events.front();
    CHECK(feed::event_json({parsed_again(*kept.of->record), 0, kept.of->stream, event.id, event.time, event.change}) ==
          R"({"id":3,"stream":"dead","time":"2026-11-26T10:00:00.000000Z","change":"new","traceparent":")" +
              trace_parent +
              R"(","dead_letter":{"subscription":"bill","stream":"news","id":2,"deliveries":3,)"
              R"("reason":"not acknowledged within ack_wait"},"item":{"id":"2"},"data":{"id":"2","port":"Kiel"}})");

    const feed::DocumentOptions rss{"application/rss+xml", "", {}};
    const auto feed_document = feed::parsed(
        "<rss><channel><title>Harbour</title><link>http://f/</link><item><title>a</title></item></channel></rss>", rss);
    const auto of_feed = dead(published(feed_document, rss), 0);
    REQUIRE(of_feed);
    CHECK(of_feed->record->feed_fields.title == "Harbour");
    CHECK(of_feed->document->feed_fields().link == "http://f/");
}

TEST_CASE_METHOD(DeadLetters, "dead_letter_append: a dead letter that dies again → what it was last") {
    const feed::DocumentOptions options{"application/json", "", {}};
    const store::KeptEvents first =
        appended(*dead(published(feed::parsed(R"([{"a":1},{"b":2}])", options), options), 1));
    const auto second = dead_letter_append(documents, *first.of, first.events.front(), {"heirs", "", 0, 2, "late"},
                                           std::make_shared<const std::string>("grave"));
    REQUIRE(second);
    CHECK(*second->stream == "grave");
    CHECK(*second->record->dead_letter == feed::DeadLetter{"heirs", "dead", 3, 2, "late"});
    CHECK(*second->record->text == R"([{"b":2}])");
}

TEST_CASE_METHOD(DeadLetters, "dead_letter_append: an item that would be read otherwise alone → its whole document") {
    const feed::DocumentOptions options{"application/xml", "", {}};
    // Without the channel, this <rss> is no feed.
    const std::string bytes = "<r><rss><channel><title>f</title></channel><item><title>a</title></item></rss></r>";
    const feed::DocumentPtr document = feed::parsed(bytes, options);
    const store::KeptEvents of = published(document, options);
    const auto append = dead(of, 0);
    REQUIRE(append);
    const store::KeptEvents kept = appended(*append);
    CHECK(text_of(kept) == bytes);
    CHECK(json_of(kept) == expected(document, 0, of.events[0].id, kept.events.front()));
    CHECK(dead(of, 0, true));  // it has no neighbours
    const feed::DocumentPtr two = feed::parsed(
        "<r><rss><channel><title>f</title></channel><item><title>a</title></item><item><title>b</title></item></rss></"
        "r>",
        options);
    const store::KeptEvents first = published(two, options);
    CHECK(dead(first, 0));
    CHECK_FALSE(dead(first, 0, true));
}

TEST_CASE_METHOD(DeadLetters, "dead_letter_append: an event without its item → none") {
    const feed::DocumentOptions options{"application/json", "", {}};
    const feed::DocumentPtr document = feed::parsed(R"([{"a":1},{"b":2}])", options);
    for (const bool alone : {false, true}) {
        const store::KeptEvents of = alone ? published(document, options, 1) : published(document, options);
        feed::EventHead event = of.events.front();
        ++event.item.offset;
        CHECK_FALSE(dead_letter_append(documents, *of.of, event, {}, morgue));
        StoredDocuments small({.document_bytes_max = 3}, budget);
        CHECK_FALSE(dead_letter_append(small, *of.of, of.events.front(), {}, morgue));
    }
    base::MemoryBudget nothing(1);
    StoredDocuments poor({}, nothing);
    const store::KeptEvents of = published(document, options);
    CHECK_THROWS_AS(dead_letter_append(poor, *of.of, of.events.front(), {}, morgue), StoredDocuments::NoMemory);
}
