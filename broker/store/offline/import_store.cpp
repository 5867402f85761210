#include <filesystem>
#include <istream>
#include <memory>
#include <stdexcept>

#include "broker/store/offline/export_check.hpp"
#include "broker/store/offline/export_format.hpp"
#include "broker/store/offline/export_store.hpp"
#include "broker/store/offline/folder_owner.hpp"
#include "broker/store/rocks/backup.hpp"
#include "broker/store/rocks/database/database.hpp"
#include "broker/store/rocks/layout.hpp"
#include "broker/store/rocks/needed.hpp"

namespace sluice::store {

namespace {

namespace fs = std::filesystem;

class Import {
public:
    explicit Import(const std::string& path);

    Exported run(std::istream& in);

private:
    void add(const ExportRecord& record);
    void put(Family family, std::string_view key, std::string_view value);
    void write(bool sync);

    std::unique_ptr<Database> database_;
    std::optional<Batch> batch_;
    std::size_t bytes_ = 0;  // in the batch
    ExportCheck check_;
};

Import::Import(const std::string& path) {
    constexpr std::size_t memory = 64u << 20;
    Database::Settings settings;
    settings.path = path;
    settings.memory = memory;
    settings.begin_compaction = [] { return [](Family, std::string_view, std::string_view) { return false; }; };
    settings.place_of = place_of;
    Database::Opened opened = Database::open(settings);
    if (opened.fault) throw std::runtime_error("the new store can't be made: " + opened.fault->what);
    database_ = std::move(opened.database);
    batch_ = database_->batch();
}

void Import::put(Family family, std::string_view key, std::string_view value) {
    constexpr std::size_t batch_bytes = 1u << 20, entry_bytes = 64;
    batch_->put(family, key, value);
    bytes_ += key.size() + value.size() + entry_bytes;
    if (bytes_ >= batch_bytes) write(false);
}

void Import::write(bool sync) {
    if (const auto fault = database_->write(*batch_, sync))
        throw std::runtime_error("the new store can't be written: " + fault->what);
    batch_ = database_->batch();
    bytes_ = 0;
}

void Import::add(const ExportRecord& record) {
    const std::string_view body = record.body;
    const auto entry = [body](std::size_t key_bytes) {
        return std::pair(body.substr(0, key_bytes), body.substr(key_bytes));
    };
    switch (record.type) {
        case ExportType::log:
            return put(Family::state, log_key, body);
        case ExportType::stream:
        case ExportType::definition: {
            const auto [key, value] = entry(4);
            const char mark = record.type == ExportType::stream ? stream_mark : definition_mark;
            return put(Family::state, stream_key(mark, stream_of_key(key)), value);
        }
        case ExportType::events: {
            const auto [key, value] = entry(8);
            const std::uint32_t stream = decode_event_header(key, value).value().stream;
            put(Family::index, index_key(stream, id_of_event_key(key)), encode(check_.last_entry()));
            return put(Family::events, key, value);
        }
        case ExportType::identity: {
            const auto [key, value] = entry(20);
            return put(Family::identities, key, value);
        }
        case ExportType::reply: {
            const auto [key, value] = entry(16);
            return put(Family::replies, key, value);
        }
        case ExportType::value:
            return put(Family::state, value_key(name_in_export(body)), value_in_export(body));
        case ExportType::erasure: {
            const auto [key, value] = entry(12);
            return put(Family::state, std::string(1, erased_mark).append(key), value);
        }
        case ExportType::end:
            break;
    }
}

Exported Import::run(std::istream& in) {
    ExportReader reader(in);
    while (const auto record = reader.next()) {
        if (const std::string why = check_.add(record->type, record->body); !why.empty()) reader.refuse(why);
        add(*record);
    }
    if (const std::string why = check_.end(); !why.empty()) throw ExportError(why);
    put(Family::state, format_key, format);
    write(true);
    return {check_.streams(), check_.events()};
}

}  // namespace

Exported import_store(std::istream& in, const std::string& given) {
    std::string path = fs::absolute(given).lexically_normal().string();
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (fs::exists(path) && !(fs::is_directory(path) && fs::is_empty(path)))
        throw std::runtime_error(path + " exists, and is not an empty folder");
    const std::string part = unfinished_backup(path);
    fs::remove_all(part);  // of an attempt that was interrupted
    const FolderOwner owner = owner_of_folder(path);
    try {
        const Exported imported = Import(part).run(in);
        if (const auto done = finish_backup(nullptr, path); !done)
            throw std::runtime_error("the new store can't be written: " + done.error().what);
        give_folder(path, owner);
        return imported;
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(part, ignored);
        throw;
    }
}

}  // namespace sluice::store
