// Any bytes as a value of a store on disk, under any key: decoding ends with a value or refuses it, and what was
// decoded is the same after it is encoded. The first byte chooses what it is. Event headers and records get the
// checksums that an input would never fit by chance.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "broker/store/rocks/database/write_ahead_log.hpp"
#include "broker/store/rocks/layout.hpp"
#include "broker/store/rocks/log_state.hpp"
#include "protocol/feed/record/record_format.hpp"

namespace {

using namespace sluice::store;

void require(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "does not hold: " << what << '\n';
    std::abort();
}

template <typename Value, typename Encode>
void check_same(std::string_view bytes, const std::optional<Value>& value, const Encode& encode) {
    if (value) require(encode(*value) == bytes, "what was decoded is encoded as it was");
}

// The first 17 bytes are an event's header, the others its record without the checksum.
void check_event(std::string_view bytes) {
    constexpr std::size_t fields = 17;
    const std::string key = event_key(bytes.size());
    require(!decode_event_header(key, bytes.substr(0, fields)), "a header without its checksum is refused");
    if (bytes.size() < fields) return;
    sluice::store::EventHeader header;
    header.stream = static_cast<unsigned char>(bytes[1]);
    header.events = static_cast<unsigned char>(bytes[5]);
    const std::string record(bytes.substr(fields));
    const std::string value = encode(header, key) + record + sluice::feed::record_format::checksum_of(record);
    require(decode_event_header(key, value).has_value() == (header.events != 0), "a header is read under its key");
    require(!decode_event_header(event_key(bytes.size() + 1), value), "and under no other");
    const StoredKept stored = decode_kept(key, value);
    require((stored.kept == nullptr) == !stored.damage.empty(), "there is a reason or a value");
    if (stored.kept == nullptr) return;
    require(stored.kept->events.size() == header.events, "with as many events as the header says");
    require(stored.kept->events.front().id == id_of_event_key(key), "the first of which has the key's id");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 7) {
        case 0:
            check_same(bytes, decode_log_record(bytes), [](const LogRecord& record) { return encode(record); });
            break;
        case 1:
            if (const auto record = decode_stream_record(bytes)) {
                const std::string again = encode(record->name, record->extent);
                require(again == encode(decode_stream_record(again)->name, decode_stream_record(again)->extent),
                        "a stream's record is the same when it is decoded again");
            }
            break;
        case 2:
            check_same(bytes, decode_index_entry(bytes), [](const IndexEntry& entry) { return encode(entry); });
            break;
        case 3:
            check_same(bytes, decode_seen(bytes),
                       [](const SeenItem& item) { return encode_seen(item.content, item.seen_at); });
            break;
        case 4:
            check_same(bytes, decode_reply(bytes),
                       [&](const StoredReply& reply) { return encode_reply(reply, *time_of_value(bytes)); });
            break;
        case 5:
            if (const auto damage = find_log_damage(bytes)) require(damage->offset < bytes.size(), "damage is in it");
            break;
        default:
            check_event(bytes);
    }
    return 0;
}
