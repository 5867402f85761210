#include "broker/store/offline/export_check.hpp"

#include <algorithm>

#include "broker/store/rocks/log_state.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::store {

namespace {

constexpr std::size_t stream_bytes = 4, id_bytes = 8, identity_bytes = 20, reply_bytes = 16, erasure_bytes = 12,
                      name_length_bytes = 2;
constexpr std::uint64_t ids_max = std::uint64_t{1} << 62;
constexpr std::size_t epoch_bytes_max = 32;

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool is_epoch(std::string_view text) {
    return !text.empty() && text.size() <= epoch_bytes_max && std::all_of(text.begin(), text.end(), is_letter_or_digit);
}

std::size_t name_length_in(std::string_view body) {
    return static_cast<unsigned char>(body[0]) | static_cast<std::size_t>(static_cast<unsigned char>(body[1])) << 8;
}

}  // namespace

std::string_view name_in_export(std::string_view body) { return body.substr(name_length_bytes, name_length_in(body)); }
std::string_view value_in_export(std::string_view body) {
    return body.substr(name_length_bytes + name_length_in(body));
}

std::string ExportCheck::add(ExportType type, std::string_view body) {
    if (!log_ && type != ExportType::log) return "the first record is not that of the log";
    if (type < last_type_ && !(type == ExportType::stream && last_type_ == ExportType::definition))
        return "the record comes behind those that it should come before";
    // A definition follows its stream, so the keys of both are in one order.
    const bool is_of_stream = type == ExportType::stream && last_type_ == ExportType::definition;
    if (type != last_type_ && type != ExportType::definition && !is_of_stream) last_key_.clear();
    last_type_ = type;
    switch (type) {
        case ExportType::log:
            return add_log(body);
        case ExportType::stream:
            return add_stream(body);
        case ExportType::definition:
            return add_definition(body);
        case ExportType::events:
            return add_events(body);
        case ExportType::identity:
            return add_identity(body);
        case ExportType::reply:
            return add_reply(body);
        case ExportType::value:
            return add_value(body);
        case ExportType::erasure:
            return add_erasure(body);
        case ExportType::end:
            break;
    }
    return "the record has an unknown type";
}

// Returns false unless the key is above that of the record before it.
bool ExportCheck::is_after(std::string_view key) {
    if (!last_key_.empty() && key <= last_key_) return false;
    last_key_ = key;
    return true;
}

std::string ExportCheck::add_log(std::string_view body) {
    if (log_) return "there is a second record of the log";
    log_ = decode_log_record(body);
    if (!log_ || !is_epoch(log_->epoch)) return "the record of the log is damaged";
    if (log_->ids_end > ids_max || log_->forgotten.id > log_->ids_end) return "the record of the log has ids too high";
    return {};
}

std::string ExportCheck::add_stream(std::string_view body) {
    if (body.size() < stream_bytes) return "the record of a stream is damaged";
    auto record = decode_stream_record(body.substr(stream_bytes));
    if (!record || !text::is_stream_name(record->name)) return "the record of a stream is damaged";
    const std::uint32_t number = stream_of_key(body);
    if (!is_after(body.substr(0, stream_bytes))) return "the streams are not in order";
    if (number > log_->streams_end) return "the stream's number is above those that have been given";
    if (!names_.insert(record->name).second) return "two streams have the name " + record->name;
    const StoredExtent& extent = record->extent;
    if (std::max({extent.last_id, extent.first_id, extent.first_key, extent.dropped.id}) > log_->ids_end)
        return "the stream " + record->name + " has ids above those that have been given";
    streams_[number].record = std::move(*record);
    return {};
}

std::string ExportCheck::add_definition(std::string_view body) {
    if (body.size() < stream_bytes || body.substr(0, stream_bytes) != last_key_)
        return "a definition does not follow its stream";
    last_key_ += '\1';  // so that there is no second one
    return {};
}

std::string ExportCheck::add_events(std::string_view body) {
    if (body.size() < id_bytes) return "the events are damaged";
    const std::string_view key = body.substr(0, id_bytes), value = body.substr(id_bytes);
    const std::uint64_t id = id_of_event_key(key);
    const StoredKept stored = decode_kept(key, value);
    if (!stored.kept) return stored.damage;
    const auto header = decode_event_header(key, value);
    const std::uint64_t end = id + header->events;
    if (id <= last_id_ || end <= id || end - 1 > log_->ids_end) return "the events' ids are not in order";
    if (header->time < last_time_) return "the events' times are not in order";
    const auto found = streams_.find(stored.stream);
    if (found == streams_.end()) return "the events are of a stream without a record";
    Stream& stream = found->second;
    const StoredExtent& extent = stream.record.extent;
    if (extent.events == 0 || end <= extent.first_id) return "the events are not retained by their stream";
    last_id_ = end - 1;
    last_entry_ = {header->events, stored.bytes, header->time};
    last_time_ = header->time;
    if (stream.events == 0) {
        stream.first_key = id;
        stream.oldest = header->time;
    }
    const std::uint64_t retained = end - std::max(id, extent.first_id);
    stream.events += retained;
    stream.bytes += stored.bytes;
    stream.last_id = end - 1;
    events_ += retained;
    return {};
}

std::string ExportCheck::add_identity(std::string_view body) {
    if (body.size() < identity_bytes || !decode_seen(body.substr(identity_bytes))) return "an identity is damaged";
    if (!is_after(body.substr(0, identity_bytes))) return "the identities are not in order";
    const auto stream = streams_.find(stream_of_key(body));
    if (stream == streams_.end()) return "an identity is of a stream without a record";
    stream->second.has_identities = true;
    return {};
}

std::string ExportCheck::add_reply(std::string_view body) {
    if (body.size() < reply_bytes || !decode_reply(body.substr(reply_bytes))) return "a reply is damaged";
    return is_after(body.substr(0, reply_bytes)) ? "" : "the replies are not in order";
}

std::string ExportCheck::add_value(std::string_view body) {
    if (body.size() < name_length_bytes || body.size() < name_length_bytes + name_length_in(body) ||
        name_length_in(body) == 0 || name_length_in(body) > value_name_max)
        return "a value is damaged";
    return is_after(name_in_export(body)) ? "" : "the values are not in order";
}

std::string ExportCheck::add_erasure(std::string_view body) {
    if (body.size() < erasure_bytes) return "an erasure is damaged";
    const std::string key = std::string(1, erased_mark).append(body.substr(0, erasure_bytes));
    if (!is_erased_entry(key, body.substr(erasure_bytes))) return "an erasure is damaged";
    if (!is_after(key)) return "the erasures are not in order";
    return streams_.contains(stream_of_key(body)) ? "" : "an erasure is of a stream without a record";
}

std::string ExportCheck::end() const {
    if (!log_) return "there is no record of the log";
    for (const auto& [number, stream] : streams_) {
        const StoredExtent& extent = stream.record.extent;
        const std::string& name = stream.record.name;
        if (stream.events != extent.events || stream.bytes != extent.bytes)
            return "the record of the stream " + name + " says " + std::to_string(extent.events) + " events in " +
                   std::to_string(extent.bytes) + " bytes, and there are " + std::to_string(stream.events) + " in " +
                   std::to_string(stream.bytes);
        if (extent.events != 0 && (stream.first_key != extent.first_key || stream.last_id != extent.last_id ||
                                   stream.oldest != extent.oldest))
            return "the record of the stream " + name + " names other events as its oldest or newest than there are";
        if (stream.has_identities && !extent.has_seen)
            return "the record of the stream " + name + " says that there are no identities, and there are";
    }
    return {};
}

}  // namespace sluice::store
