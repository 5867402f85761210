#include "broker/store/offline/store_figures.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "broker/store/offline/opened_store.hpp"
#include "broker/store/rocks/needed.hpp"
#include "broker/store/rocks/store_lock.hpp"

namespace sluice::store {

namespace {

constexpr std::array<const char*, families> part_names{"state", "events", "index", "identities", "replies"};

constexpr std::size_t index_of(Family family) { return static_cast<std::size_t>(family); }

[[noreturn]] void refuse(const Fault& fault) {
    throw std::runtime_error(fault.what + "; `sluice store verify` says what is damaged");
}

// Returns what of the tables the streams need.
Needed read_state(const Database& database, StoreFigures& figures, std::map<std::uint32_t, StreamFigures>& streams) {
    std::optional<LogRecord> log;
    Cursor cursor = database.cursor(Family::state);
    for (cursor.seek(""); !cursor.is_at_end(); cursor.next()) {
        const std::string_view key = cursor.key();
        if (key == log_key) log = decode_log_record(cursor.value());
        if (key.size() != stream_key(stream_mark, 0).size()) continue;
        StreamFigures& stream = streams[stream_of_state_key(key)];
        if (key.front() == definition_mark) stream.is_defined = true;
        if (key.front() != stream_mark) continue;
        const auto record = decode_stream_record(cursor.value());
        if (!record) refuse({Fault::Kind::damaged, "the record of a stream is damaged"});
        stream.name = record->name;
        stream.extent = record->extent;
    }
    if (const auto fault = cursor.fault()) refuse(*fault);
    if (!log) refuse({Fault::Kind::damaged, "it is not a store of Sluice, or its state is damaged"});
    std::erase_if(streams, [](const auto& each) { return each.second.name.empty(); });
    figures.epoch = log->epoch;
    figures.ids_end = log->ids_end;
    figures.last_id = log->forgotten.id;
    std::vector<Needed::Stream> needed;
    for (const auto& [number, stream] : streams) {
        figures.last_id = std::max(figures.last_id, stream.extent.last_id);
        needed.push_back({number, stream.extent.lost_id()});
    }
    return {std::move(needed), log->streams_end, 0};
}

void count_identities(const Database& database, std::map<std::uint32_t, StreamFigures>& streams) {
    for (auto& [number, stream] : streams) stream.identities = 0;
    Cursor cursor = database.cursor(Family::identities);
    for (cursor.seek(""); !cursor.is_at_end(); cursor.next()) {
        const auto stream = streams.find(stream_of_key(cursor.key()));
        if (stream != streams.end()) ++*stream->second.identities;
    }
    if (const auto fault = cursor.fault()) refuse(*fault);
}

// By what is noted in the files. How long identities and replies are kept is not in the store, so they count as live.
std::uint64_t dead_bytes(const Database& database, const std::vector<TableFile>& tables, const Needed& needed) {
    std::array<std::vector<const TableFile*>, families> by_family;
    for (const TableFile& table : tables) by_family[index_of(table.family)].push_back(&table);
    std::uint64_t dead = 0;
    for (const auto& of_family : by_family) {
        if (of_family.empty()) continue;
        const Family family = of_family.front()->family;
        const auto uses = database.uses(family, of_family);
        for (const TableFile* table : of_family)
            if (const auto use = uses.find(table->number); use != uses.end())
                dead += store::dead_bytes(use->second, needed.dead_below(family), table->bytes);
    }
    return dead;
}

void measure_parts(const std::string& path, const std::vector<TableFile>& tables, StoreFigures& figures) {
    for (const char* name : part_names) figures.parts.push_back({name});
    for (const TableFile& table : tables) {
        PartFigures& part = figures.parts[index_of(table.family)];
        ++part.files;
        part.bytes += table.bytes;
    }
    PartFigures log{"log"};
    std::error_code error;  // files may vanish meanwhile
    for (const auto& file : std::filesystem::directory_iterator(path, error)) {
        if (file.path().extension() != ".log") continue;
        const std::uintmax_t bytes = file.file_size(error);
        if (error) continue;
        ++log.files;
        log.bytes += bytes;
    }
    figures.parts.push_back(std::move(log));
}

}  // namespace

StoreFigures figures_of_store(const std::string& given, bool counts_identities) {
    const std::string path = store_folder_of(given);
    StoreFigures figures;
    figures.user = user_of_store(path);
    const auto database = open_to_read(path, figures.user.has_value());
    std::map<std::uint32_t, StreamFigures> streams;
    const Needed needed = read_state(*database, figures, streams);
    if (counts_identities) count_identities(*database, streams);
    const auto tables = database->files();
    measure_parts(path, tables, figures);
    figures.dead_bytes = dead_bytes(*database, tables, needed);
    for (auto& [number, stream] : streams) figures.streams.push_back(std::move(stream));
    std::sort(figures.streams.begin(), figures.streams.end(),
              [](const StreamFigures& a, const StreamFigures& b) { return a.name < b.name; });
    return figures;
}

}  // namespace sluice::store
