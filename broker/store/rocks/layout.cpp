#include "broker/store/rocks/layout.hpp"

#include <bit>
#include <cstring>

#include "protocol/text/crc32c.hpp"

namespace sluice::store {

namespace {

constexpr std::size_t stream_bytes = 4, id_bytes = 8;
constexpr std::uint64_t seen_flag = 1, no_dead_letters_flag = 2;

void add_big(std::string& key, std::uint64_t number, std::size_t bytes) {
    for (std::size_t i = bytes; i-- > 0;) key += static_cast<char>(number >> 8 * i & 0xFF);
}

std::uint64_t read_big(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
    return number;
}

void add_digest(std::string& bytes, const text::Digest& digest) {
    bytes.append(reinterpret_cast<const char*>(digest.data()), sizeof digest);
}

class Writer {
public:
    Writer& number(std::uint64_t value, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xFF);
        return *this;
    }
    Writer& time(feed::RecordTime value) { return number(std::bit_cast<std::uint64_t>(value), 8); }
    Writer& digest(const text::Digest& value) {
        add_digest(bytes_, value);
        return *this;
    }
    Writer& text(std::string_view value) {
        number(value.size(), 4);
        bytes_ += value;
        return *this;
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    std::uint64_t number(std::size_t bytes) {
        const std::string_view part = take(bytes);
        std::uint64_t value = 0;
        for (std::size_t i = part.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(part[i]);
        return value;
    }
    feed::RecordTime time() { return std::bit_cast<feed::RecordTime>(number(8)); }
    text::Digest digest() {
        text::Digest value{};
        const std::string_view part = take(sizeof value);
        if (part.size() == sizeof value) std::memcpy(value.data(), part.data(), sizeof value);
        return value;
    }
    std::string text() { return std::string(take(number(4))); }

    // Everything has been read, and nothing was missing.
    bool is_whole() const { return !failed_ && bytes_.empty(); }

private:
    std::string_view take(std::size_t bytes) {
        failed_ = failed_ || bytes > bytes_.size();
        if (failed_) return {};
        const std::string_view part = bytes_.substr(0, bytes);
        bytes_.remove_prefix(bytes);
        return part;
    }

    std::string_view bytes_;
    bool failed_ = false;
};

template <typename Record>
std::optional<Record> whole(const Reader& reader, Record record) {
    if (!reader.is_whole()) return std::nullopt;
    return record;
}

std::uint32_t number_32(Reader& reader) { return static_cast<std::uint32_t>(reader.number(4)); }

}  // namespace

std::string stream_key(char mark, std::uint32_t stream) {
    std::string key(1, mark);
    add_big(key, stream, stream_bytes);
    return key;
}

std::string event_key(std::uint64_t first_id) {
    std::string key;
    add_big(key, first_id, id_bytes);
    return key;
}

std::string index_key(std::uint32_t stream, std::uint64_t first_id) {
    std::string key;
    add_big(key, stream, stream_bytes);
    add_big(key, first_id, id_bytes);
    return key;
}

std::string identity_key(std::uint32_t stream, const text::Digest& identity) {
    std::string key;
    add_big(key, stream, stream_bytes);
    add_digest(key, identity);
    return key;
}

std::string reply_key(const AttemptId& attempt) {
    std::string key;
    add_digest(key, attempt);
    return key;
}

std::string value_key(std::string_view name) {
    std::string key(1, value_mark);
    key += name;
    return key;
}

std::string erased_key(std::uint32_t stream, std::uint64_t id) {
    std::string key = stream_key(erased_mark, stream);
    add_big(key, id, id_bytes);
    return key;
}

std::uint32_t stream_of_state_key(std::string_view key) {
    return static_cast<std::uint32_t>(read_big(key.substr(1, stream_bytes)));
}
std::uint32_t stream_of_key(std::string_view key) {
    return static_cast<std::uint32_t>(read_big(key.substr(0, stream_bytes)));
}
std::uint64_t id_of_event_key(std::string_view key) { return read_big(key.substr(0, id_bytes)); }
std::uint64_t id_of_index_key(std::string_view key) { return read_big(key.substr(stream_bytes, id_bytes)); }
std::uint64_t id_of_erased_key(std::string_view key) { return read_big(key.substr(1 + stream_bytes, id_bytes)); }

bool is_erased_entry(std::string_view key, std::string_view value) {
    return key.size() == 1 + stream_bytes + id_bytes && !value.empty() && value.size() % id_bytes == 0;
}

std::string encode(const LogRecord& record) {
    return Writer()
        .text(record.epoch)
        .time(record.begun_at)
        .number(record.ids_end, 8)
        .number(record.streams_end, 4)
        .number(record.forgotten.id, 8)
        .time(record.forgotten.time)
        .take();
}

std::optional<LogRecord> decode_log_record(std::string_view bytes) {
    Reader reader(bytes);
    LogRecord record;
    record.epoch = reader.text();
    record.begun_at = reader.time();
    record.ids_end = reader.number(8);
    record.streams_end = number_32(reader);
    record.forgotten.id = reader.number(8);
    record.forgotten.time = reader.time();
    return whole(reader, std::move(record));
}

std::string encode(std::string_view name, const StoredExtent& extent) {
    return Writer()
        .text(name)
        .number(extent.last_id, 8)
        .time(extent.last_time)
        .number(extent.first_id, 8)
        .time(extent.oldest)
        .number(extent.first_key, 8)
        .number(extent.events, 8)
        .number(extent.bytes, 8)
        .number(extent.dropped.id, 8)
        .time(extent.dropped.time)
        .number((extent.has_seen ? seen_flag : 0) | (extent.may_have_dead_letters ? 0 : no_dead_letters_flag), 1)
        .take();
}

std::optional<StreamRecord> decode_stream_record(std::string_view bytes) {
    Reader reader(bytes);
    StreamRecord record;
    StoredExtent& extent = record.extent;
    record.name = reader.text();
    extent.last_id = reader.number(8);
    extent.last_time = reader.time();
    extent.first_id = reader.number(8);
    extent.oldest = reader.time();
    extent.first_key = reader.number(8);
    extent.events = reader.number(8);
    extent.bytes = reader.number(8);
    extent.dropped.id = reader.number(8);
    extent.dropped.time = reader.time();
    const std::uint64_t flags = reader.number(1);
    extent.has_seen = (flags & seen_flag) != 0;
    extent.may_have_dead_letters = (flags & no_dead_letters_flag) == 0;  // earlier versions did not tell
    return whole(reader, std::move(record));
}

std::string encode(const IndexEntry& entry) {
    return Writer().number(entry.events, 4).number(entry.bytes, 4).time(entry.time).take();
}

std::optional<IndexEntry> decode_index_entry(std::string_view bytes) {
    Reader reader(bytes);
    IndexEntry entry;
    entry.events = number_32(reader);
    entry.bytes = number_32(reader);
    entry.time = reader.time();
    return whole(reader, entry);
}

std::string encode_seen(const text::Digest& content, feed::RecordTime seen_at) {
    return Writer().time(seen_at).digest(content).take();
}

std::optional<SeenItem> decode_seen(std::string_view bytes) {
    Reader reader(bytes);
    SeenItem item;
    item.seen_at = reader.time();
    item.content = reader.digest();
    return whole(reader, item);
}

std::string encode_reply(const StoredReply& reply, feed::RecordTime time) {
    return Writer()
        .time(time)
        .digest(reply.request)
        .number(reply.received, 8)
        .number(reply.added, 8)
        .number(reply.updated, 8)
        .number(reply.unchanged, 8)
        .number(reply.first_id, 8)
        .number(reply.last_id, 8)
        .text(reply.faults)
        .take();
}

std::optional<StoredReply> decode_reply(std::string_view bytes) {
    Reader reader(bytes);
    StoredReply reply;
    reader.time();
    reply.request = reader.digest();
    reply.received = reader.number(8);
    reply.added = reader.number(8);
    reply.updated = reader.number(8);
    reply.unchanged = reader.number(8);
    reply.first_id = reader.number(8);
    reply.last_id = reader.number(8);
    reply.faults = reader.text();
    return whole(reader, std::move(reply));
}

std::optional<feed::RecordTime> time_of_value(std::string_view bytes) {
    if (bytes.size() < sizeof(feed::RecordTime)) return std::nullopt;
    return Reader(bytes).time();
}

std::string encode(const EventHeader& header, std::string_view key) {
    constexpr std::uint8_t version = 1;
    std::string bytes =
        Writer().number(version, 1).number(header.stream, 4).number(header.events, 4).time(header.time).take();
    const std::uint32_t crc = text::crc32c(std::string(key) + bytes);
    return bytes + Writer().number(crc, 4).take();
}

std::optional<EventHeader> decode_event_header(std::string_view key, std::string_view value) {
    if (value.size() < event_header_bytes || key.size() != id_bytes) return std::nullopt;
    Reader reader(value.substr(1, event_header_bytes - 1));
    EventHeader header;
    header.stream = number_32(reader);
    header.events = number_32(reader);
    header.time = reader.time();
    if (encode(header, key) != value.substr(0, event_header_bytes) || header.events == 0) return std::nullopt;
    return header;
}

}  // namespace sluice::store
