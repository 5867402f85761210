#include "broker/store/offline/export_store.hpp"

#include <map>
#include <optional>
#include <ostream>
#include <stdexcept>

#include "broker/store/offline/export_check.hpp"
#include "broker/store/offline/export_format.hpp"
#include "broker/store/offline/opened_store.hpp"
#include "broker/store/rocks/database/database.hpp"
#include "broker/store/rocks/layout.hpp"
#include "broker/store/rocks/store_lock.hpp"

namespace sluice::store {

namespace {

class Export {
public:
    Export(const std::string& path, std::ostream& out, std::string stream)
        : lock_(path), database_(open_to_read(path)), only_(std::move(stream)), writer_(out) {}

    Exported run();

private:
    using Entry = void (Export::*)(std::string_view key, std::string_view value);

    // Calls it with each entry whose key begins with these bytes.
    void for_each(Family family, const std::string& beginning, Entry entry);
    void write(ExportType type, std::string_view first, std::string_view second);
    [[noreturn]] static void refuse(const std::string& what) {
        throw std::runtime_error(what + "; `sluice store verify` says what is damaged");
    }
    void read_stream(std::string_view key, std::string_view value);
    void write_events(std::string_view key, std::string_view value);
    void write_identity(std::string_view key, std::string_view value);
    void write_reply(std::string_view key, std::string_view value) { write(ExportType::reply, key, value); }
    void write_value(std::string_view key, std::string_view value);
    void write_erasure(std::string_view key, std::string_view value);

    const StoreLock lock_;
    const std::unique_ptr<Database> database_;
    const std::string only_;
    ExportWriter writer_;
    ExportCheck check_;
    std::map<std::uint32_t, StoredExtent> streams_;
};

void Export::for_each(Family family, const std::string& beginning, Entry entry) {
    Cursor cursor = database_->cursor(family);
    for (cursor.seek(beginning); !cursor.is_at_end() && cursor.key().starts_with(beginning); cursor.next())
        (this->*entry)(cursor.key(), cursor.value());
    if (const auto fault = cursor.fault()) refuse(fault->what);
}

void Export::write(ExportType type, std::string_view first, std::string_view second) {
    std::string body(first);
    body += second;
    if (const std::string why = check_.add(type, body); !why.empty()) refuse(why);
    writer_.write(type, body);
}

void Export::read_stream(std::string_view key, std::string_view value) {
    const auto record = decode_stream_record(value);
    if (!record || key.size() != stream_key(stream_mark, 0).size()) refuse("the record of a stream is damaged");
    if (!only_.empty() && record->name != only_) return;
    const std::uint32_t number = stream_of_state_key(key);
    streams_[number] = record->extent;
    write(ExportType::stream, key.substr(1), value);
    const Database::Found definition = database_->get(Family::state, stream_key(definition_mark, number));
    if (definition.fault) refuse(definition.fault->what);
    if (definition.value) write(ExportType::definition, key.substr(1), *definition.value);
}

void Export::write_events(std::string_view key, std::string_view value) {
    const auto header = decode_event_header(key, value);
    if (!header) refuse("the header of stored events is damaged");
    const auto stream = streams_.find(header->stream);
    if (stream == streams_.end() || stream->second.events == 0) return;
    if (id_of_event_key(key) + header->events > stream->second.first_id) write(ExportType::events, key, value);
}

void Export::write_identity(std::string_view key, std::string_view value) {
    if (streams_.contains(stream_of_key(key))) write(ExportType::identity, key, value);
}

void Export::write_value(std::string_view key, std::string_view value) {
    const std::size_t n = key.size() - 1;
    std::string name{static_cast<char>(n & 0xFF), static_cast<char>(n >> 8 & 0xFF)};
    name += key.substr(1);
    write(ExportType::value, name, value);
}

void Export::write_erasure(std::string_view key, std::string_view value) {
    if (!is_erased_entry(key, value)) refuse("the mark of an event that was to be erased is damaged");
    if (streams_.contains(stream_of_state_key(key))) write(ExportType::erasure, key.substr(1), value);
}

Exported Export::run() {
    const Database::Found format_found = database_->get(Family::state, format_key),
                          log = database_->get(Family::state, log_key);
    if (!log.value || format_found.value != format)
        refuse("it is not a store that this version of Sluice can read, or its state is damaged");
    write(ExportType::log, {}, *log.value);
    for_each(Family::state, std::string(1, stream_mark), &Export::read_stream);
    if (!only_.empty() && streams_.empty()) throw std::runtime_error("the store has no stream " + only_);
    for_each(Family::events, {}, &Export::write_events);
    for_each(Family::identities, {}, &Export::write_identity);
    if (only_.empty()) {
        for_each(Family::replies, {}, &Export::write_reply);
        for_each(Family::state, std::string(1, value_mark), &Export::write_value);
    }
    for_each(Family::state, std::string(1, erased_mark), &Export::write_erasure);
    if (const std::string why = check_.end(); !why.empty()) refuse(why);
    writer_.end();
    writer_.flush();
    return {check_.streams(), check_.events()};
}

}  // namespace

Exported export_store(const std::string& given, std::ostream& out, const std::string& stream) {
    const std::string path = store_folder_of(given);
    require_store(path);
    return Export(path, out, stream).run();
}

}  // namespace sluice::store
