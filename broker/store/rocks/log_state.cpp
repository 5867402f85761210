#include "broker/store/rocks/log_state.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/store/rocks/record_limits.hpp"
#include "protocol/feed/record/record_codec.hpp"

namespace sluice::store {

AppendError error_in(LogState::Condition condition) {
    return condition == LogState::Condition::full ? AppendError::no_space : AppendError::unknown;
}

void note_damage(SharedState& state, std::uint64_t first_id, std::uint64_t last_id, const std::string& what,
                 const StoredStreamEntry* stream) {
    Damage damage{first_id, last_id, {}, what};
    std::string names;
    {
        const std::lock_guard lock(state.mutex);
        if (stream != nullptr) damage.streams.push_back(*stream->name);
        for (const auto& [number, each] : state.table.all()) {
            const StoredExtent& extent = each->extent;
            if (stream == nullptr && extent.events != 0 && extent.first_id <= last_id && first_id <= extent.last_id)
                damage.streams.push_back(*each->name);
        }
        std::sort(damage.streams.begin(), damage.streams.end());
        std::vector<Damage>& all = state.log.damage;
        for (Damage& other : all) {
            if (other.streams != damage.streams || other.first_id > first_id || other.last_id + 1 < first_id) continue;
            other.last_id = std::max(other.last_id, last_id);  // more of the same, which has been told
            return;
        }
        if (all.size() == LogState::damage_max) return;
        for (const std::string& name : damage.streams) names += (names.empty() ? "" : ", ") + name;
        all.push_back(std::move(damage));
    }
    base::log_error("stored events are damaged and can't be read; `sluice store repair` drops them",
                    {{"first_id", first_id}, {"last_id", last_id}, {"streams", names}, {"fault", what}});
}

StoredKept decode_kept(std::string_view key, std::string_view value) {
    const auto header = decode_event_header(key, value);
    if (!header) return {nullptr, 0, "the header of stored events is damaged"};
    auto append = feed::decode_append(value.substr(event_header_bytes), stored_record_limits);
    if (!append) return {nullptr, header->stream, append.error().message};
    const std::uint64_t first_id = id_of_event_key(key);
    auto kept = std::make_shared<Kept>();
    kept->record = std::move(append->document);
    kept->events.assign(append->events.begin(), append->events.end());
    bool is_right = kept->events.size() == header->events;
    for (std::size_t i = 0; is_right && i < kept->events.size(); ++i) is_right = kept->events[i].id == first_id + i;
    if (!is_right) return {nullptr, header->stream, "stored events have other ids than their key says"};
    const std::size_t bytes = value.size() - feed::erased_field_bytes(kept->events);
    return {std::move(kept), header->stream, {}, static_cast<std::uint32_t>(bytes)};
}

std::uint32_t put_kept(Batch& batch, std::uint32_t stream, const feed::DocumentRecord& document,
                       std::span<const feed::EventHead> events) {
    std::vector<feed::EventRecord> records;
    records.reserve(events.size());
    for (const feed::EventHead& event : events) records.push_back({event, nullptr});
    const std::string bytes = feed::encode_append(document, records, stored_record_limits).value();
    const auto n = static_cast<std::uint32_t>(events.size());
    const std::string key = event_key(events.front().id);
    const std::string header = encode(EventHeader{stream, n, events.front().time}, key);
    const std::array<std::string_view, 2> value{header, bytes};
    batch.put(Family::events, key, value);
    return static_cast<std::uint32_t>(header.size() + bytes.size());
}

}  // namespace sluice::store
