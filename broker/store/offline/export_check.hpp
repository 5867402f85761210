// Whether the records of an export belong together: what a store has that is sound, in order. Export checks what it
// writes, and import what it reads. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "broker/store/offline/export_format.hpp"
#include "broker/store/rocks/layout.hpp"

namespace sluice::store {

class ExportCheck {
public:
    // Each returns what is wrong; "": nothing. add() is for the next record, end() for all of them.
    std::string add(ExportType type, std::string_view body);
    std::string end() const;

    const LogRecord& log() const { return *log_; }
    std::size_t streams() const { return streams_.size(); }
    std::uint64_t events() const { return events_; }
    // What the index has of the events that were added last.
    const IndexEntry& last_entry() const { return last_entry_; }

private:
    struct Stream {
        StreamRecord record;
        std::uint64_t events = 0, bytes = 0, first_key = 0, last_id = 0;
        feed::RecordTime oldest = 0;
        bool has_identities = false;
    };

    std::string add_log(std::string_view body);
    std::string add_stream(std::string_view body);
    std::string add_definition(std::string_view body);
    std::string add_events(std::string_view body);
    std::string add_identity(std::string_view body);
    std::string add_reply(std::string_view body);
    std::string add_value(std::string_view body);
    std::string add_erasure(std::string_view body);
    bool is_after(std::string_view key);

    ExportType last_type_ = ExportType::log;
    std::string last_key_;  // of the same type
    std::optional<LogRecord> log_;
    std::map<std::uint32_t, Stream> streams_;
    std::set<std::string> names_;
    std::uint64_t events_ = 0, last_id_ = 0;
    IndexEntry last_entry_;
    feed::RecordTime last_time_ = 0;
};

// The name and the value in the body of a record; the body has been checked.
std::string_view name_in_export(std::string_view body);
std::string_view value_in_export(std::string_view body);

}  // namespace sluice::store
