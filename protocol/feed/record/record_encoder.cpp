#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "gpu/check/check.hpp"
#include "protocol/feed/record/record_codec.hpp"
#include "protocol/feed/record/record_format.hpp"

namespace sluice::feed {

namespace {

using namespace record_format;

class Writer {
public:
    explicit Writer(std::string& bytes) : bytes_(bytes) {}

    // Writes the lowest `size` bytes, the lowest first.
    void number(std::uint64_t value, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xFF);
    }

    void header(Tag tag, std::size_t value_bytes) {
        number(static_cast<std::uint64_t>(tag), 2);
        number(value_bytes, 4);
    }

    void text(Tag tag, std::string_view value) {
        header(tag, value.size());
        bytes_ += value;
    }
    void text_unless_empty(Tag tag, std::string_view value) {
        if (!value.empty()) text(tag, value);
    }
    void text_if_any(Tag tag, const std::optional<std::string>& value) {
        if (value) text(tag, *value);
    }

    void digest(const RecordDigest& digest) { bytes_.append(digest.begin(), digest.end()); }

private:
    std::string& bytes_;
};

bool is_erased(const EventRecord& event) { return event.is_erased; }

void write_document(Writer& writer, const DocumentRecord& document) {
    writer.text(Tag::text, *document.text);
    writer.text_unless_empty(Tag::content_type, document.content_type);
    writer.text_unless_empty(Tag::event_path, document.event_path);
    if (document.context != RecordContext::document) {
        writer.header(Tag::context, 1);
        writer.number(static_cast<std::uint64_t>(document.context), 1);
    }
    writer.text_if_any(Tag::feed_title, document.feed_fields.title);
    writer.text_if_any(Tag::feed_link, document.feed_fields.link);
    for (const std::string& author : document.feed_fields.authors) writer.text(Tag::feed_author, author);
    writer.text_unless_empty(Tag::owner, document.owner);
    writer.text_unless_empty(Tag::trace_parent, document.trace_parent);
    writer.text_unless_empty(Tag::trace_state, document.trace_state);
    if (document.repairs != 0) {
        writer.header(Tag::repairs, 8);
        writer.number(document.repairs, 8);
    }
}

void write_attributes(Writer& writer, std::string& bytes, const DocumentRecord& document) {
    for (const auto& [name, value] : document.attributes) {
        writer.header(Tag::attribute, 4 + name.size() + value.size());
        writer.number(name.size(), 4);
        bytes.append(name).append(value);
    }
}

void write_limits(Writer& writer, const FeedLimits& limits) {
    writer.header(Tag::limits, limits_bytes);
    for (const std::size_t limit :
         {limits.document_bytes_max, limits.depth_max, limits.items_max, limits.item_values_max, limits.values_max})
        writer.number(limit, 8);
}

void write_events(Writer& writer, std::span<const EventRecord> events) {
    if (events.empty()) return;
    writer.header(Tag::events, 2 + events.size() * event_bytes);
    writer.number(event_bytes, 2);
    for (const EventRecord& event : events) {
        writer.number(event.id, 8);
        writer.number(static_cast<std::uint64_t>(event.time), 8);
        writer.number(static_cast<std::uint64_t>(event.change), 1);
        writer.digest(event.identity);
        writer.digest(event.content);
        writer.number(event.item.offset, 4);
        writer.number(event.item.length, 4);
    }
}

void write_dead_letter(Writer& writer, std::string& bytes, const DeadLetter& letter) {
    const std::size_t texts = letter.subscription.size() + letter.stream.size() + letter.reason.size();
    writer.header(Tag::dead_letter, dead_letter_bytes + texts);
    writer.number(letter.id, 8);
    writer.number(letter.deliveries, 4);
    writer.number(letter.subscription.size(), 4);
    writer.number(letter.stream.size(), 4);
    bytes.append(letter.subscription).append(letter.stream).append(letter.reason);
}

// By their indices.
void write_erased(Writer& writer, std::span<const EventRecord> events) {
    const auto n = static_cast<std::size_t>(std::count_if(events.begin(), events.end(), is_erased));
    if (n == 0) return;
    writer.header(Tag::erased, n * erased_bytes);
    for (std::size_t i = 0; i < events.size(); ++i)
        if (events[i].is_erased) writer.number(i, erased_bytes);
}

// An upper bound for the encoded bytes; an absent field counts as an empty one.
std::size_t bytes_at_most(const DocumentRecord& document, std::size_t events) {
    const auto size_of = [](const std::optional<std::string>& text) { return text ? text->size() : 0; };
    constexpr std::size_t fields = static_cast<std::size_t>(Tag::erased);
    std::size_t bytes = header_bytes + fields * field_header_bytes + 1 + 8 + limits_bytes + 2 + checksum_bytes;
    bytes += document.text->size() + document.content_type.size() + document.event_path.size();
    bytes += size_of(document.feed_fields.title) + size_of(document.feed_fields.link);
    for (const std::string& author : document.feed_fields.authors) bytes += field_header_bytes + author.size();
    bytes += document.owner.size();
    bytes += document.trace_parent.size() + document.trace_state.size();
    if (const DeadLetterPtr& letter = document.dead_letter)
        bytes += dead_letter_bytes + letter->subscription.size() + letter->stream.size() + letter->reason.size();
    for (const auto& [name, value] : document.attributes) bytes += field_header_bytes + 4 + name.size() + value.size();
    return bytes + events * (event_bytes + erased_bytes);
}

RecordError over_limit(const std::string& what, std::size_t max) {
    return RecordError{RecordError::Kind::limit, "the append has more than " + std::to_string(max) + " " + what, 0};
}

std::optional<RecordError> refusal(const DocumentRecord& document, std::size_t events, const RecordLimits& limits) {
    if (events > limits.events_max) return over_limit("events", limits.events_max);
    if (document.attributes.size() > limits.attributes_max) return over_limit("attributes", limits.attributes_max);
    return std::nullopt;
}

}  // namespace

std::size_t erased_field_bytes(std::span<const EventHead> events) {
    const auto n = static_cast<std::size_t>(
        std::count_if(events.begin(), events.end(), [](const EventHead& event) { return event.is_erased; }));
    return n == 0 ? 0 : field_header_bytes + n * erased_bytes;
}

boost::system::result<std::string, RecordError> encode_append(const DocumentRecord& document,
                                                              std::span<const EventRecord> events,
                                                              const RecordLimits& limits) {
    if (auto error = refusal(document, events.size(), limits)) return std::move(*error);
    std::string bytes;
    bytes.reserve(bytes_at_most(document, events.size()));
    bytes += magic;
    Writer writer(bytes);
    writer.number(major_version, 1);
    writer.number(std::any_of(events.begin(), events.end(), is_erased) ? erased_minor_version : minor_version, 1);
    writer.number(0, 4);
    write_document(writer, document);
    write_attributes(writer, bytes, document);
    write_limits(writer, document.limits);
    write_events(writer, events);
    if (document.dead_letter != nullptr) write_dead_letter(writer, bytes, *document.dead_letter);
    write_erased(writer, events);
    // A length above 2^32 has been truncated, but then the append is over the limit, too.
    const std::size_t bytes_max = std::min<std::size_t>(limits.bytes_max, std::numeric_limits<std::uint32_t>::max());
    if (bytes.size() + checksum_bytes > bytes_max) return over_limit("bytes", bytes_max);
    std::string length;
    Writer(length).number(bytes.size() - header_bytes, 4);
    bytes.replace(length_offset, length.size(), length);
    bytes += checksum_of(bytes);
    SLUICE_CHECK(bytes.size() <= bytes_at_most(document, events.size()));
    return bytes;
}

}  // namespace sluice::feed
