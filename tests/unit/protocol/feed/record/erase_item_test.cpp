#include "protocol/feed/record/erase_item.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "protocol/feed/model/source_range.hpp"
#include "protocol/feed/record/record_codec.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/unit/protocol/feed/record_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

struct Record {
    DocumentRecordPtr document;
    std::vector<EventHead> events;

    explicit Record(const DocumentPtr& parsed, const DocumentOptions& options = {})
        : document(std::make_shared<const DocumentRecord>(record_document(*parsed, options))) {
        for (std::size_t i = 0; i < parsed->items().size(); ++i) {
            EventHead& event = events.emplace_back();
            event.id = i + 1;
            event.item = source_range(*parsed, i);
        }
    }
    // As a store reads it again.
    void store() {
        std::vector<EventRecord> records;
        for (const EventHead& event : events) records.push_back({event, nullptr});
        const auto read = decode_append(*encode_append(*document, records));
        REQUIRE(read.has_value());
        document = read->document;
        events.assign(read->events.begin(), read->events.end());
    }
    const std::string& text() const { return *document->text; }
};

bool contains(const SourceRange& outer, const SourceRange& inner) {
    return outer.offset <= inner.offset && outer.offset + outer.length >= inner.offset + inner.length;
}

// All events that are left are the same; those that the erased item was inside of have changed themselves.
void check_others(const DocumentPtr& before, const Record& after) {
    bool any_left = false;
    for (const EventHead& event : after.events) any_left = any_left || !event.is_erased;
    if (!any_left) return;
    const auto parsed = parse_record(*after.document, {});
    REQUIRE(parsed.has_value());
    for (std::size_t i = 0; i < after.events.size(); ++i) {
        const EventHead& event = after.events[i];
        if (event.is_erased) continue;
        const auto found = find_item(**parsed, event.item);
        REQUIRE(found);
        bool has_changed = false;
        for (const EventHead& other : after.events)
            has_changed = has_changed || (other.is_erased && contains(event.item, other.item));
        if (!has_changed) check_same_item(before, i, *parsed, *found);
    }
}

}  // namespace

TEST_CASE("erase_item: any item of a document in any format → it is gone, and the others are as before") {
    constexpr std::size_t items_max = 12;
    std::size_t checked = 0;
    for (const Published& published : published_documents()) {
        INFO(published.name);
        const DocumentPtr document = parsed(published.bytes, published.options);
        const Record whole(document, published.options);
        for (std::size_t i = 0; i < std::min(items_max, whole.events.size()); ++i, ++checked) {
            INFO(i);
            Record record = whole;
            const SourceRange place = record.events[i].item;
            erase_item(record.document, record.events, i);
            record.store();
            for (std::size_t other = 0; other < record.events.size(); ++other) {
                CHECK(record.events[other].is_erased == contains(place, whole.events[other].item));
                CHECK(record.events[other].item == whole.events[other].item);
            }
            REQUIRE(record.text().size() == whole.text().size());
            std::string there = record.text().substr(place.offset, place.length);
            std::string expected = whole.text();
            expected.replace(place.offset, place.length, there);
            CHECK(record.text() == expected);
            if (there.starts_with("null")) there.erase(0, 4);
            if (there.starts_with("0")) there.erase(0, 1);
            if (there.starts_with("<e/>")) there.erase(0, 4);
            CHECK(there.find_first_not_of(" \n") == std::string::npos);
            check_others(document, record);
        }
        Record record = whole;
        for (std::size_t i = 0; i < whole.events.size(); i += 2) erase_item(record.document, record.events, i);
        record.store();
        check_others(document, record);
    }
    CHECK(checked > 50);
}

TEST_CASE("erase_copies: an item beside other events → it is gone, unless it is an event there") {
    const std::string one = "<item><title>one</title></item>", two = "<item><title>two</title></item>";
    const DocumentPtr document = parsed("<rss><channel>" + one + two + one + "</channel></rss>");
    Record record(document);
    CHECK_FALSE(erase_copies(record.document, record.events, one, false));
    CHECK_FALSE(erase_copies(record.document, record.events, "<item>other</item>", false));
    CHECK_FALSE(erase_copies(record.document, record.events, "", false));
    record.events.erase(record.events.begin());
    CHECK(erase_copies(record.document, record.events, one, false));
    CHECK(record.text() == "<rss><channel>" + std::string(one.size(), ' ') + two + one + "</channel></rss>");
    CHECK_FALSE(erase_copies(record.document, record.events, one, false));
    erase_item(record.document, record.events, 1);
    CHECK(record.text().find("one") == std::string::npos);
    check_others(parsed("<rss><channel>" + two + "</channel></rss>"), Record(parsed(record.text())));
}

TEST_CASE("erase_copies: an item inside the one item of a record → it is gone where it may nest") {
    const std::string inner = "<a><b>secret</b></a>", text = "<a>x" + inner + "</a>";
    const DocumentPtr document = parsed("<r>" + text + "</r>");
    DocumentRecord alone = record_document(*document, {});
    alone.context = RecordContext::item;
    auto record = std::make_shared<const DocumentRecord>(alone);
    std::vector<EventHead> events(1);
    events[0].item = source_range(*document, 0);
    CHECK_FALSE(erase_copies(record, events, inner, false));
    CHECK(erase_copies(record, events, inner, true));
    CHECK(*record->text == "<r><a>x" + std::string(inner.size(), ' ') + "</a></r>");
}
