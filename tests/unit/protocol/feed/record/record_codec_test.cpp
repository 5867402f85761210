#include "protocol/feed/record/record_codec.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/support/records.hpp"

using namespace sluice;
using namespace sluice::feed;
using Kind = RecordError::Kind;

namespace {

std::shared_ptr<DocumentRecord> document_of(std::string text) {
    auto document = std::make_shared<DocumentRecord>();
    document->text = std::make_shared<const std::string>(std::move(text));
    return document;
}

std::shared_ptr<DocumentRecord> full_document() {
    auto document = document_of("<a>caf\u00e9 \U0001F600</a>");
    document->content_type = "text/xml; charset=utf-8";
    document->event_path = "//\u00fc";
    document->feed_fields = {"title", "", {}};
    document->owner = "o";
    document->trace_parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    document->trace_state = "a=b";
    document->dead_letter = std::make_shared<const DeadLetter>(DeadLetter{"s\u00e4", "news", 7, 10, "no, thanks"});
    document->attributes = {{"subject", "\u00e4"}, {"", ""}, {"subject", "again"}};
    document->repairs = 3;
    document->limits = {1, 2, 3, 4, std::size_t{5} << 40};
    return document;
}

std::vector<EventRecord> events_of(const DocumentRecordPtr& document, std::size_t count) {
    std::vector<EventRecord> events;
    for (std::size_t i = 0; i < count; ++i) {
        EventRecord event;
        event.id = 1000 + 3 * i;
        event.time = 1'700'000'000'000'000 + static_cast<RecordTime>(i);
        event.change = i % 2 == 0 ? EventRecord::Change::added : EventRecord::Change::updated;
        event.identity.fill(static_cast<std::uint8_t>(i));
        event.content[15] = static_cast<std::uint8_t>(255 - i % 256);
        event.item = {static_cast<std::uint32_t>(10 * i), static_cast<std::uint32_t>(i + 1)};
        event.document = document;
        events.push_back(event);
    }
    return events;
}

std::string encoded(const RecordAppend& append, const RecordLimits& limits = {}) {
    const auto bytes = encode_append(*append.document, append.events, limits);
    if (!bytes) FAIL(bytes.error().message);
    return *bytes;
}

RecordAppend decoded(const std::string& bytes) {
    const auto append = decode_append(bytes);
    if (!append) FAIL(append.error().message << " at " << append.error().offset);
    return *append;
}

RecordError refused(const std::string& bytes, const RecordLimits& limits = {}) {
    const auto append = decode_append(bytes, limits);
    REQUIRE(append.has_error());
    return append.error();
}

void check_round_trip(const RecordAppend& append) {
    const RecordAppend again = decoded(encoded(append));
    CHECK(is_same(again, append));
    for (const EventRecord& event : again.events) CHECK(event.document == again.document);
}

// A field in the format of record_codec.hpp.
std::string number(std::uint64_t value, std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i & 0xFF);
    return bytes;
}
std::string field(unsigned tag, const std::string& value) { return number(tag, 2) + number(value.size(), 4) + value; }
// Bit by bit, unlike the program's.
std::uint32_t plain_crc32c(const std::string& bytes) {
    std::uint32_t crc = ~0u;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
    }
    return ~crc;
}
std::string sealed(const std::string& bytes) { return bytes + number(plain_crc32c(bytes), 4); }
std::string append_of(const std::string& fields, char minor = 1) {
    return sealed(std::string("SLEV\1") + minor + number(fields.size(), 4) + fields);
}
std::string unsealed(const std::string& bytes) { return bytes.substr(0, bytes.size() - 4); }
const std::string text_field = field(1, "<a/>");
const std::string limits_field =
    field(13, number(16u << 20, 8) + number(256, 8) + number(10'000, 8) + number(10'000, 8) + number(1'000'000, 8));

// The append of "the bytes are those of the description", made by another program (Python's struct, and a CRC32C bit by
// bit).
constexpr std::string_view written_out =
    "534c455601018d0000000100040000003c612f3e0800020000006d650c0006000000010000006b760d0028000000000000010000"
    "000000010000000000001027000000000000102700000000000040420f00000000000e003b00000039000201000000000000feff"
    "ffffffffffff0107070707070707070707070707070707080808080808080808080808080808080504030006000000d8805394";

std::string hexadecimal(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        for (const int shift : {4, 0}) text += "0123456789abcdef"[static_cast<unsigned char>(byte) >> shift & 0xF];
    }
    return text;
}

}  // namespace

TEST_CASE("an append is the same after encoding and decoding") {
    for (const std::size_t count : {0u, 1u, 100u}) {
        const auto small = document_of("<a/>"), full = full_document();
        check_round_trip({small, events_of(small, count)});
        check_round_trip({full, events_of(full, count)});
    }
    check_round_trip({document_of(""), {}});
    check_round_trip({document_of(std::string("\0\xFF\0", 3)), {}});
    const auto huge = document_of(std::string(20u << 20, 'x'));
    huge->owner = std::string(1u << 20, 'o');
    huge->attributes = {{std::string(1u << 20, 'n'), std::string(1u << 20, 'v')}};
    check_round_trip({huge, events_of(huge, 2)});
}

TEST_CASE("extreme numbers are the same after encoding and decoding") {
    const auto document = document_of("<a/>");
    document->repairs = std::numeric_limits<std::uint64_t>::max();
    EventRecord event;
    event.id = std::numeric_limits<std::uint64_t>::max();
    event.time = std::numeric_limits<RecordTime>::min();
    event.item.offset = event.item.length = std::numeric_limits<std::uint32_t>::max();
    document->limits.values_max = std::numeric_limits<std::size_t>::max();
    event.identity.fill(0xFF);
    check_round_trip({document, {event, EventRecord()}});
}

TEST_CASE("absent and empty texts of a feed differ") {
    const auto document = document_of("<a/>");
    document->context = RecordContext::item;
    document->feed_fields = {std::nullopt, "", {"Ada", "", "Eve"}};
    const RecordAppend again = decoded(encoded({document, events_of(document, 1)}));
    CHECK(!again.document->feed_fields.title);
    CHECK(again.document->feed_fields.link == "");
    CHECK(again.document->feed_fields.authors == std::vector<std::string>{"Ada", "", "Eve"});
    CHECK(again.document->context == RecordContext::item);
}

TEST_CASE("the authors of a feed are limited") {
    std::string authors;
    for (std::size_t i = 0; i < feed_authors_max; ++i) authors += field(7, "a");
    CHECK(decoded(append_of(text_field + authors + limits_field)).document->feed_fields.authors.size() ==
          feed_authors_max);
    CHECK(refused(append_of(text_field + authors + field(7, "a"))).message.find("more than 64 authors") !=
          std::string::npos);
}

TEST_CASE("the bytes are those of the description") {
    const auto document = document_of("<a/>");
    document->owner = "me";
    document->attributes = {{"k", "v"}};
    EventRecord event;
    event.id = 0x0102;
    event.time = -2;
    event.change = EventRecord::Change::updated;
    event.identity.fill(7);
    event.content.fill(8);
    event.item = {0x030405, 6};
    const std::string event_bytes = number(0x0102, 8) + number(~std::uint64_t{1}, 8) + "\1" + std::string(16, 7) +
                                    std::string(16, 8) + number(0x030405, 4) + number(6, 4);
    const std::string bytes = encoded({document, {event}});
    CHECK(bytes == append_of(text_field + field(8, "me") + field(12, number(1, 4) + "kv") + limits_field +
                             field(14, number(57, 2) + event_bytes)));
    CHECK(hexadecimal(bytes) == written_out);
    CHECK(encoded({document_of("<a/>"), {}}) == append_of(text_field + limits_field));
}

TEST_CASE("a dead letter's bytes are those of the description") {
    const auto document = document_of("<a/>");
    document->dead_letter = std::make_shared<const DeadLetter>(DeadLetter{"bill", "news", 0x0102, 3, "busy"});
    const std::string letter = number(0x0102, 8) + number(3, 4) + number(4, 4) + number(4, 4) + "billnewsbusy";
    CHECK(encoded({document, {}}) == append_of(text_field + limits_field + field(15, letter)));
    document->dead_letter = std::make_shared<const DeadLetter>();
    CHECK(encoded({document, {}}) == append_of(text_field + limits_field + field(15, std::string(20, 0))));
    check_round_trip({document, events_of(document, 1)});
}

TEST_CASE("a reader skips what later minor versions add") {
    const std::string event = number(9, 8) + std::string(49, 0) + "more";
    const RecordAppend append = decoded(append_of(text_field + limits_field + field(14, number(61, 2) + event + event) +
                                                      field(17, "new") + field(17, "") + field(65535, "newest"),
                                                  7));
    CHECK(*append.document->text == "<a/>");
    REQUIRE(append.events.size() == 2);
    CHECK(append.events[1].id == 9);
    CHECK(append.events[1].item == SourceRange{});
    CHECK(encoded(append) ==
          append_of(text_field + limits_field + field(14, number(57, 2) + event.substr(0, 57) + event.substr(0, 57))));
}

TEST_CASE("what is no append is refused with the place") {
    struct Case {
        std::string bytes;
        Kind kind;
        std::size_t offset;
        const char* message;
    };
    std::string newer = append_of(text_field), longer = append_of(text_field), shorter = longer;
    std::string damaged = longer;
    newer[4] = 2;
    longer[6] = 11;
    shorter[6] = 9;
    damaged[20] ^= 1;
    const std::string event(57, 0);
    const Case cases[] = {
        {"", Kind::truncated, 0, "the append's header is cut off"},
        {"SLE", Kind::truncated, 3, "the append's header is cut off"},
        {"SLX", Kind::malformed, 0, "an append begins with \"SLEV\""},
        {"<rss></rss>", Kind::malformed, 0, "an append begins with \"SLEV\""},
        {newer, Kind::version, 4,
         "the append has version 2.1; this program reads version 1.1 and later minor versions"},
        {append_of(text_field, 0), Kind::version, 4,
         "the append has version 1.0; this program reads version 1.1 and later minor versions"},
        {damaged, Kind::damaged, 20, "the append is damaged: its checksum does not fit its bytes"},
        {longer, Kind::truncated, 24, "the append ends 1 bytes too early"},
        {shorter, Kind::malformed, 23, "1 bytes follow the append"},
        {append_of(""), Kind::malformed, 10, "the append has no text"},
        {append_of(field(2, "x")), Kind::malformed, 10, "the append has no text"},
        {append_of(text_field), Kind::malformed, 10, "the append has no limits"},
        {append_of(text_field + field(13, "1")), Kind::malformed, 20, "the field 13 has 1 bytes instead of 40"},
        {append_of(text_field + limits_field + field(2, "")), Kind::malformed, 66, "the field 2 follows the field 13"},
        {append_of(text_field + "abc"), Kind::malformed, 20, "a field's header is cut off by the end of the append"},
        {append_of(text_field + number(2, 2) + number(5, 4) + "abcd"), Kind::malformed, 20,
         "the field 2 claims 5 bytes but has 4"},
        {append_of(text_field + number(2, 2) + number(0xFFFFFFFF, 4)), Kind::malformed, 20,
         "the field 2 claims 4294967295 bytes but has 0"},
        {append_of(text_field + text_field), Kind::malformed, 20, "the field 1 follows the field 1"},
        {append_of(field(2, "") + text_field), Kind::malformed, 16, "the field 1 follows the field 2"},
        {append_of(text_field + field(0, "")), Kind::malformed, 20, "tags begin with 1"},
        {append_of(text_field + field(4, "\2")), Kind::malformed, 26, "the context 2 is not known"},
        {append_of(text_field + field(4, "")), Kind::malformed, 20, "the field 4 has 0 bytes instead of 1"},
        {append_of(text_field + field(11, "1234567")), Kind::malformed, 20, "the field 11 has 7 bytes instead of 8"},
        {append_of(text_field + field(12, "abc")), Kind::malformed, 20, "an attribute has at least 4 bytes"},
        {append_of(text_field + field(12, number(3, 4) + "ab")), Kind::malformed, 26,
         "an attribute's name claims 3 bytes but has 2"},
        {append_of(text_field + field(14, "a")), Kind::malformed, 20, "the events have at least 2 bytes"},
        {append_of(text_field + field(14, number(56, 2) + event.substr(1))), Kind::malformed, 26,
         "56 bytes can't be split into events of 56 bytes"},
        {append_of(text_field + field(14, number(0, 2))), Kind::malformed, 26,
         "0 bytes can't be split into events of 0 bytes"},
        {append_of(text_field + field(14, number(58, 2) + event)), Kind::malformed, 26,
         "57 bytes can't be split into events of 58 bytes"},
        {append_of(text_field + field(14, number(57, 2) + event + std::string(16, 0) + "\2" + std::string(40, 0))),
         Kind::malformed, 101, "the change 2 is not known"},
        {append_of(text_field + field(15, std::string(19, 0))), Kind::malformed, 20,
         "a dead letter has at least 20 bytes"},
        {append_of(text_field + field(15, std::string(12, 0) + number(2, 4) + number(1, 4) + "ab")), Kind::malformed,
         38, "a dead letter's names claim 3 bytes but have 2"},
        {append_of(text_field + field(15, std::string(12, 0) + number(0xFFFFFFFF, 4) + number(0xFFFFFFFF, 4))),
         Kind::malformed, 38, "a dead letter's names claim 8589934590 bytes but have 0"},
        {append_of(text_field + field(15, std::string(20, 0)) + field(15, std::string(20, 0))), Kind::malformed, 46,
         "the field 15 follows the field 15"},
    };
    for (const Case& c : cases) {
        INFO(c.message);
        const RecordError error = refused(c.bytes);
        CHECK(error.message == c.message);
        CHECK(error.kind == c.kind);
        CHECK(error.offset == c.offset);
    }
}

TEST_CASE("limits hold both ways") {
    const auto document = full_document();
    const RecordAppend append{document, events_of(document, 3)};
    const std::string bytes = encoded(append);
    const RecordLimits limits[] = {{bytes.size() - 1, 3, 3}, {bytes.size(), 2, 3}, {bytes.size(), 3, 2}};
    const char* messages[] = {"bytes", " 2 events", " 2 attributes"};
    for (std::size_t i = 0; i < 3; ++i) {
        const RecordError error = refused(bytes, limits[i]);
        CHECK(error.kind == Kind::limit);
        CHECK(error.message.ends_with(messages[i]));
        const auto again = encode_append(*document, append.events, limits[i]);
        REQUIRE(again.has_error());
        CHECK(again.error().kind == Kind::limit);
        CHECK(again.error().message == error.message);
    }
    CHECK(encoded(append, {bytes.size(), 3, 3}) == bytes);
    CHECK(decode_append(bytes, {bytes.size(), 3, 3}).has_value());
}

TEST_CASE("an append that is cut anywhere is refused") {
    const auto document = full_document();
    const std::string bytes = encoded({document, events_of(document, 3)});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const RecordError error = refused(bytes.substr(0, size));
        CHECK(error.kind == Kind::truncated);
        CHECK(error.offset == size);
    }
    CHECK(refused(bytes + "x").offset == bytes.size());
}

TEST_CASE("decode_append: any byte changed → an error") {
    const auto document = full_document();
    const std::string bytes = encoded({document, events_of(document, 3)});
    std::size_t damaged = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (const unsigned flip : {0x01u, 0x02u, 0x04u, 0x08u, 0x10u, 0x20u, 0x40u, 0x80u, 0xFFu}) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ flip);
            const RecordError error = refused(changed);
            const bool is_told = error.kind == Kind::damaged && error.offset == bytes.size() - 4;
            damaged += is_told ? 1u : 0u;
            if (!is_told && i >= 10) FAIL("the change of byte " << i << " is not told as damage");
        }
    }
    CHECK(damaged >= 9 * (bytes.size() - 10));
}

// Damage that the checksum fits is another program's fault; what is read then can be written.
TEST_CASE("decode_append: any byte changed before the checksum is made → an error or an append") {
    const auto document = full_document();
    const std::string bytes = unsealed(encoded({document, events_of(document, 3)}));
    std::size_t read = 0, refusals = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (const unsigned flip : {0x01u, 0x80u, 0xFFu}) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ flip);
            changed = sealed(changed);
            const auto append = decode_append(changed);
            if (append) {
                ++read;
                check_round_trip(*append);
            } else {
                ++refusals;
                CHECK(append.error().kind != Kind::damaged);
                CHECK(!append.error().message.empty());
                CHECK(append.error().offset <= changed.size());
            }
        }
    }
    CHECK(read > bytes.size());
    CHECK(refusals > 100);
}

TEST_CASE("records say which events have been erased, and a reader of version 1.1 skips that") {
    auto document = std::make_shared<DocumentRecord>();
    document->text = std::make_shared<const std::string>("text");
    std::vector<EventRecord> events(3);
    const std::string none = encode_append(*document, events).value();
    CHECK(none[5] == 1);
    events[0].is_erased = events[2].is_erased = true;
    const std::string bytes = encode_append(*document, events).value();
    CHECK(bytes[5] == 2);
    CHECK(bytes.size() == none.size() + 6 + 8);
    const auto read = decode_append(bytes);
    REQUIRE(read.has_value());
    REQUIRE(read->events.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(read->events[i].is_erased == events[i].is_erased);
    CHECK(encode_append(*read->document, read->events).value() == bytes);
}

TEST_CASE("decode_append: erased events that there are not → an error") {
    const std::string one = field(14, number(57, 2) + std::string(57, '\0'));
    CHECK(decode_append(append_of(text_field + limits_field + one + field(16, number(0, 4)), 2)).has_value());
    for (const std::string& erased : {number(1, 4), number(0, 3), std::string()})
        CHECK(decode_append(append_of(text_field + limits_field + one + field(16, erased), 2)).has_error());
    CHECK(decode_append(append_of(text_field + limits_field + field(16, number(0, 4)), 2)).has_error());
}
