// Any bytes as an event log: decoding ends with an append or an error with its position. Their last four are replaced
// by the checksum of the others, which an input would never fit by chance. A decoded append is the same after it is
// encoded and decoded again, and its document can be parsed or is refused. If the bytes are a published document
// instead, its items are the same when parsed from records of all items and of one. The last byte chooses the content
// type and the event path.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/feed/item/event_json.hpp"
#include "protocol/feed/parse.hpp"
#include "protocol/feed/record/record_codec.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "protocol/feed/record/record_format.hpp"
#include "protocol/feed/record/record_item.hpp"
#include "tests/fuzz/document_type.hpp"
#include "tests/support/records.hpp"

namespace {

using namespace sluice;

void require(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "does not hold: " << what << '\n';
    std::abort();
}

constexpr feed::RecordLimits limits{1u << 20, 1000, 100};

void check_round_trip(const feed::RecordAppend& append) {
    const auto bytes = feed::encode_append(*append.document, append.events, limits);
    require(bytes.has_value(), "what was decoded can be encoded");
    const auto again = feed::decode_append(*bytes, limits);
    require(again.has_value() && feed::is_same(append, *again), "what was encoded is the same when it is decoded");
    const auto bytes_again = feed::encode_append(*again->document, again->events, limits);
    require(bytes_again.has_value() && *bytes == *bytes_again, "encoding again gives the same bytes");
}

void check_places(const feed::Document& document) {
    for (std::size_t i = 0; i < document.items().size(); ++i)
        require(feed::find_item(document, feed::source_range(document, i)) == i, "an item is found by its place");
}

void check_document(const feed::RecordAppend& append) {
    const feed::DocumentRecord& record = *append.document;
    const auto document = feed::parse_record(record, {.document_bytes_max = 1u << 16});
    if (!document) {
        require(!document.error().message.empty(), "a refusal says why");
        return;
    }
    require((*document)->text() == record.text, "a document shares its record's text");
    if (record.context == feed::RecordContext::item)
        require((*document)->items().size() == 1, "a document of one item has one");
    check_places(**document);
    for (const feed::EventRecord& event : append.events) {
        const auto item = feed::find_item(**document, event.item);
        require(!item || feed::source_range(**document, *item) == event.item, "no other item is found");
    }
}

std::string json_of(const feed::DocumentPtr& document, std::size_t item) {
    static const auto stream = std::make_shared<const std::string>("s");
    return feed::event_json({document, item, stream, 1}, feed::JsonValues::all);
}

feed::DocumentPtr parsed_again(const feed::DocumentRecord& record, const feed::Document& document,
                               const feed::FeedLimits& of_document) {
    const auto again = feed::parse_record(record, of_document);
    require(again.has_value() && (*again)->format() == document.format(), "a record is parsed to the same format");
    require((*again)->feed_fields().title == document.feed_fields().title, "and to the same feed");
    return *again;
}

void check_published(std::string bytes) {
    feed::DocumentOptions options = take_document_type(bytes);
    if (!bytes.empty() && bytes.back() % 2 != 0) options.event_path = "//*";
    const auto parsed = feed::parse_document(bytes, options);
    if (!parsed) return;
    const feed::DocumentPtr& document = *parsed;
    const feed::DocumentRecord record = feed::record_document(*document, options);
    const feed::DocumentPtr whole = parsed_again(record, *document, options.limits);
    require(whole->items().size() == document->items().size(), "with the same items");
    check_places(*document);

    std::vector<std::size_t> items;
    for (std::size_t i = 0; i < std::min<std::size_t>(document->items().size(), 40); i += 1 + i % 3) items.push_back(i);
    const auto records = feed::record_items(*document, record, items, limits.bytes_max);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string json = json_of(document, items[i]);
        require(json_of(whole, items[i]) == json, "that have the same values");
        if (!records) continue;
        const feed::DocumentPtr alone = parsed_again((*records)[i].document, *document, options.limits);
        require(alone->items().size() == 1, "a record of one item has one");
        require(feed::source_range(*alone, 0) == (*records)[i].item, "where the record says");
        require(alone->items()[0].source == document->items()[items[i]].source, "which is the same");
        require(json_of(alone, 0) == json, "and has the same values");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    std::string sealed(bytes);
    if (size >= feed::record_format::checksum_bytes) {
        sealed.resize(size - feed::record_format::checksum_bytes);
        sealed += feed::record_format::checksum_of(sealed);
    }
    const auto append = feed::decode_append(sealed, limits);
    if (!append) {
        require(!append.error().message.empty() && append.error().offset <= size, "an error says what and where");
        check_published(std::string(bytes));
        return 0;
    }
    require(append->events.size() <= limits.events_max, "an append is within its limits");
    check_round_trip(*append);
    check_document(*append);
    return 0;
}
