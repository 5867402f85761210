#include "broker/store/offline/repair.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "broker/store/epoch.hpp"
#include "broker/store/offline/folder_owner.hpp"
#include "broker/store/offline/opened_store.hpp"
#include "broker/store/offline/walk.hpp"
#include "broker/store/rocks/backup.hpp"
#include "broker/store/rocks/database/database.hpp"
#include "broker/store/rocks/layout.hpp"
#include "broker/store/rocks/log_state.hpp"
#include "broker/store/rocks/needed.hpp"
#include "broker/store/rocks/store_lock.hpp"
#include "broker/store/wall_clock.hpp"

namespace sluice::store {

namespace {

constexpr std::size_t database_bytes = 64u << 20;  // of memory
constexpr std::size_t batch_entries = 1'000;

std::unique_ptr<Database> open(const std::string& path, bool repairs) {
    Database::Settings settings;
    settings.path = path;
    settings.memory = database_bytes;
    settings.repairs = repairs;
    settings.compacts = !repairs;
    settings.begin_compaction = [] { return [](Family, std::string_view, std::string_view) { return false; }; };
    settings.place_of = place_of;
    Database::Opened opened = Database::open(settings);
    if (opened.fault) throw std::runtime_error("the store in " + path + " can't be opened: " + opened.fault->what);
    return std::move(opened.database);
}

class Repair {
public:
    Repair(const std::string& path, const FolderOwner& owner)
        : path_(path),
          owner_(owner),
          old_(open(path, true)),
          new_(open(path + ".repaired", false)),
          batch_(new_->batch()) {}

    Repaired run() {
        read_state();
        copy_events();
        copy(Family::identities, "identities of items", [this](std::string_view key) {
            const auto stream = streams_.find(stream_of_key(key));
            if (stream != streams_.end()) stream->second.extent.has_seen = true;
            return stream != streams_.end();
        });
        copy(Family::replies, "replies to publications", [](std::string_view) { return true; });
        write_state();
        take_its_place();
        return std::move(report_);
    }

private:
    struct Stream {
        StreamRecord record;
        StoredExtent extent{};  // of what was found
        std::optional<std::string> definition{};
    };

    void copy(Family family, const char* what, const std::function<bool(std::string_view key)>& is_wanted);
    void put(Family family, std::string_view key, std::string_view value);
    void write(bool sync);

    void read_state();
    void copy_events();
    void copy_event(std::string_view key, std::string_view value);
    void lose(std::uint64_t first_id, std::uint64_t last_id, const std::string& what);
    void write_state();
    void take_its_place();

    const std::string path_;
    const FolderOwner owner_;
    std::unique_ptr<Database> old_, new_;
    Batch batch_;
    std::size_t in_batch_ = 0;
    std::optional<LogRecord> log_;
    bool is_state_whole_ = true;
    std::map<std::uint32_t, Stream> streams_;
    Repaired report_;
};

void Repair::put(Family family, std::string_view key, std::string_view value) {
    batch_.put(family, key, value);
    if (++in_batch_ == batch_entries) write(false);
}

void Repair::write(bool sync) {
    if (const auto fault = new_->write(batch_, sync))
        throw std::runtime_error("the new store can't be written: " + fault->what);
    batch_ = new_->batch();
    in_batch_ = 0;
}

void Repair::copy(Family family, const char* what, const std::function<bool(std::string_view key)>& is_wanted) {
    bool is_whole = true;
    walk(
        *old_, family,
        [&](std::string_view key, std::string_view value) {
            if (is_wanted(key)) put(family, key, value);
        },
        [&](auto...) { is_whole = false; });
    if (!is_whole) report_.notes.push_back(std::string("some ") + what + " could not be read");
}

void Repair::read_state() {
    walk(
        *old_, Family::state,
        [this](std::string_view key, std::string_view value) {
            if (key == format_key && value != format)
                throw std::runtime_error("it has format " + std::string(value) + ", not " + std::string(format));
            if (key == log_key) log_ = decode_log_record(value);
            if (key.starts_with(value_mark) || key.starts_with(erased_mark)) return put(Family::state, key, value);
            if (key.size() != stream_key(stream_mark, 0).size()) return;
            const std::uint32_t number = stream_of_state_key(key);
            if (key.front() == definition_mark) streams_[number].definition = value;
            if (key.front() != stream_mark) return;
            if (auto record = decode_stream_record(value))
                streams_[number].record = std::move(*record);
            else
                is_state_whole_ = false;
        },
        [this](auto...) { is_state_whole_ = false; });
    if (!log_) {
        is_state_whole_ = false;
        log_ = LogRecord{random_epoch(), wall_time(), 0, 0, {}};
        report_.notes.emplace_back("the store's epoch was lost, so all subscribers begin again");
    }
    for (auto& [number, stream] : streams_) {
        if (stream.record.name.empty()) stream.record.name = "recovered-" + std::to_string(number);
        stream.extent.dropped = stream.record.extent.dropped;
        stream.extent.last_id = stream.record.extent.last_id;
        stream.extent.last_time = stream.record.extent.last_time;
    }
    if (!is_state_whole_)
        report_.notes.emplace_back("some names or definitions of streams, or durable subscriptions, could not be read");
}

void Repair::lose(std::uint64_t first_id, std::uint64_t last_id, const std::string& what) {
    Damage damage{last_id, first_id, {}, what};  // widened to what the streams retained of the range
    for (auto& [number, stream] : streams_) {
        const StoredExtent& before = stream.record.extent;
        if (before.events == 0 || before.first_id > last_id || first_id > before.last_id) continue;
        const std::uint64_t last_lost = std::min(last_id, before.last_id);
        damage.first_id = std::min(damage.first_id, std::max(first_id, before.first_id));
        damage.last_id = std::max(damage.last_id, last_lost);
        damage.streams.push_back(stream.record.name);
        stream.extent.dropped.add({last_lost, 0});
    }
    if (!damage.streams.empty()) report_.lost.push_back(std::move(damage));
}

void Repair::copy_event(std::string_view key, std::string_view value) {
    const std::uint64_t id = id_of_event_key(key);
    const auto header = decode_event_header(key, value);
    const StoredKept stored = decode_kept(key, value);
    if (!stored.kept) return lose(id, id + (header ? header->events : 1) - 1, stored.damage);
    auto at = streams_.find(stored.stream);
    if (at == streams_.end()) {
        if (is_state_whole_) return;  // of a deleted stream
        at = streams_.emplace(stored.stream, Stream{}).first;
        at->second.record.name = "recovered-" + std::to_string(stored.stream);
    }
    StoredExtent& extent = at->second.extent;
    const std::uint64_t end = id + header->events, first_id = std::max(id, at->second.record.extent.first_id);
    if (end <= first_id) return;  // dropped
    put(Family::events, key, value);
    const IndexEntry entry{header->events, stored.bytes, header->time};
    put(Family::index, index_key(stored.stream, id), encode(entry));
    if (extent.events == 0) {
        extent.first_id = first_id;
        extent.first_key = id;
        extent.oldest = header->time;
    }
    extent.events += end - first_id;
    extent.bytes += stored.bytes;
    extent.last_id = std::max(extent.last_id, end - 1);
    extent.last_time = std::max(extent.last_time, header->time);
    report_.events += end - first_id;
    log_->ids_end = std::max(log_->ids_end, end - 1);
}

void Repair::copy_events() {
    walk(
        *old_, Family::events, [this](std::string_view key, std::string_view value) { copy_event(key, value); },
        [this](std::uint64_t from, std::uint64_t end, const std::string& what) { lose(from, end - 1, what); });
}

void Repair::write_state() {
    for (auto& [number, stream] : streams_) {
        StoredExtent& extent = stream.extent;
        const std::uint64_t before = stream.record.extent.events;
        const std::string& name = stream.record.name;
        const bool is_known = std::any_of(report_.lost.begin(), report_.lost.end(), [&](const Damage& damage) {
            return std::count(damage.streams.begin(), damage.streams.end(), name) != 0;
        });
        if (extent.events < before && !is_known) {  // where they were is not known: whoever reads on begins again
            report_.missing += before - extent.events;
            report_.missing_of.push_back(stream.record.name);
            extent.dropped.add({extent.last_id, extent.last_time});
        }
        log_->streams_end = std::max(log_->streams_end, number);
        put(Family::state, stream_key(stream_mark, number), encode(stream.record.name, extent));
        if (stream.definition) put(Family::state, stream_key(definition_mark, number), *stream.definition);
    }
    report_.streams = streams_.size();
    put(Family::state, format_key, format);
    put(Family::state, log_key, encode(*log_));
    write(true);
    if (!is_backup(nullptr, path_)) return;
    if (const auto fault = mark_as_backup(nullptr, path_ + ".repaired"))
        throw std::runtime_error("the new store can't be written: " + fault->what);
}

void Repair::take_its_place() {
    old_.reset();
    new_.reset();
    give_folder(path_, owner_);
    give_folder(path_ + ".repaired", owner_);
    int n = 1;
    do report_.damaged_path = path_ + ".damaged-" + std::to_string(n++);
    while (std::filesystem::exists(report_.damaged_path));
    std::filesystem::rename(path_, report_.damaged_path);
    std::filesystem::rename(path_ + ".repaired", path_);
}

}  // namespace

Repaired repair_store(const std::string& given) {
    const std::string path = store_folder_of(given);
    require_store(path);
    if (const auto user = user_of_store(path)) throw std::runtime_error(*user + " has the store in " + path + " open");
    std::filesystem::remove_all(path + ".repaired");  // of an attempt that was interrupted
    const FolderOwner owner = owner_of_folder(path);
    try {
        return Repair(path, owner).run();
    } catch (...) {
        try {
            give_folder(path, owner);      // files may have been made in it
        } catch (const std::exception&) {  // the first one says what is wrong
        }
        throw;
    }
}

}  // namespace sluice::store
