#include "broker/store/rocks/backup.hpp"

#include <algorithm>
#include <filesystem>
#include <rocksdb/file_system.h>
#include <string_view>
#include <sys/stat.h>
#include <vector>

#include "broker/store/rocks/layout.hpp"

namespace sluice::store {

namespace {

constexpr const char* mark_file = "/BACKUP";
constexpr std::string_view mark_text = "A log that opens this store begins a new epoch, and removes this file.\n";

rocksdb::FileSystem& system(const std::shared_ptr<rocksdb::FileSystem>& files) {
    return files ? *files : *rocksdb::FileSystem::Default();
}

std::optional<Fault> fault_in(const rocksdb::IOStatus& status) {
    if (status.ok()) return std::nullopt;
    return Fault{status.IsNoSpace() ? Fault::Kind::no_space : Fault::Kind::io, status.ToString()};
}

// `bytes`: of all of it.
std::optional<Fault> sync_all(rocksdb::FileSystem& files, const std::string& path, std::uint64_t& bytes) {
    std::vector<std::string> names;
    if (auto fault = fault_in(files.GetChildren(path, {}, &names, nullptr))) return fault;
    for (const std::string& name : names) {
        if (name == "." || name == "..") continue;
        std::unique_ptr<rocksdb::FSWritableFile> file;
        if (auto fault = fault_in(files.ReopenWritableFile(path + '/' + name, {}, &file, nullptr))) return fault;
        if (auto fault = fault_in(file->Sync({}, nullptr))) return fault;
        if (auto fault = fault_in(file->Close({}, nullptr))) return fault;
        std::uint64_t size = 0;
        if (auto fault = fault_in(files.GetFileSize(path + '/' + name, {}, &size, nullptr))) return fault;
        bytes += size;
    }
    return sync_folder(files, path);
}

void remove_all(rocksdb::FileSystem& files, const std::string& folder) {
    std::vector<std::string> names;
    if (!files.GetChildren(folder, {}, &names, nullptr).ok()) return;
    for (const std::string& name : names) files.DeleteFile(folder + '/' + name, {}, nullptr).PermitUncheckedError();
    files.DeleteDir(folder, {}, nullptr).PermitUncheckedError();
}

BackupRefusal refusal(const Fault& fault) {
    const bool is_full = fault.kind == Fault::Kind::no_space;
    return {is_full ? BackupRefusal::Reason::no_space : BackupRefusal::Reason::failed, fault.what};
}

// Whether it can be opened, and what it has.
std::optional<Fault> describe(const std::shared_ptr<rocksdb::FileSystem>& files, const std::string& folder,
                              Backup& backup) {
    constexpr std::size_t memory = 8u << 20;
    Database::Settings settings;
    settings.path = folder;
    settings.memory = memory;
    settings.reads_only = true;
    settings.files = files;
    settings.begin_compaction = [] { return [](Family, std::string_view, std::string_view) { return false; }; };
    const Database::Opened copy = Database::open(settings);
    if (copy.fault) return copy.fault;
    const Database::Found log = copy.database->get(Family::state, log_key);
    const auto record = log.value ? decode_log_record(*log.value) : std::nullopt;
    if (!record) return Fault{Fault::Kind::damaged, "the copy has no record of its epoch"};
    backup.epoch = record->epoch;
    backup.last_id = record->forgotten.id;
    Cursor cursor = copy.database->cursor(Family::state, std::string(1, stream_mark + 1));
    for (cursor.seek(std::string(1, stream_mark)); !cursor.is_at_end(); cursor.next())
        if (const auto stream = decode_stream_record(cursor.value()))
            backup.last_id = std::max(backup.last_id, stream->extent.last_id);
    return cursor.fault();
}

}  // namespace

std::string unfinished_backup(const std::string& folder) {
    const std::size_t slash = folder.rfind('/');
    return folder.substr(0, slash + 1) + '.' + folder.substr(slash + 1) + ".part";
}

boost::system::result<Backup, BackupRefusal> make_backup(const Database& database,
                                                         const std::shared_ptr<rocksdb::FileSystem>& given,
                                                         const std::string& folder) {
    rocksdb::FileSystem& files = system(given);
    const std::string part = unfinished_backup(folder);
    remove_all(files, part);  // of an attempt that was interrupted
    if (const auto fault = database.copy_to(part)) {
        remove_all(files, part);
        return refusal(*fault);
    }
    return finish_backup(given, folder);
}

boost::system::result<Backup, BackupRefusal> finish_backup(const std::shared_ptr<rocksdb::FileSystem>& given,
                                                           const std::string& folder) {
    rocksdb::FileSystem& files = system(given);
    const std::string part = unfinished_backup(folder), parent = folder.substr(0, folder.rfind('/') + 1);
    Backup backup;
    backup.path = folder;
    auto fault = describe(given, part, backup);
    if (!fault) fault = mark_as_backup(given, part);
    if (!fault) fault = sync_all(files, part, backup.bytes);
    if (!fault && &files == rocksdb::FileSystem::Default().get() && chmod(part.c_str(), S_IRWXU) != 0)
        fault = Fault{Fault::Kind::io, "the permissions of " + part + " can't be set"};
    if (!fault) fault = fault_in(files.RenameFile(part, folder, {}, nullptr));
    if (!fault) fault = sync_folder(files, parent);
    if (!fault) return backup;
    remove_all(files, part);
    return refusal(*fault);
}

bool is_backup(const std::shared_ptr<rocksdb::FileSystem>& files, const std::string& folder) {
    return system(files).FileExists(folder + mark_file, {}, nullptr).ok();
}

std::optional<Fault> mark_as_backup(const std::shared_ptr<rocksdb::FileSystem>& files, const std::string& folder) {
    return fault_in(rocksdb::WriteStringToFile(&system(files), rocksdb::Slice(mark_text.data(), mark_text.size()),
                                               folder + mark_file, true));
}

std::optional<Fault> remove_mark(const std::shared_ptr<rocksdb::FileSystem>& files, const std::string& folder) {
    if (auto fault = fault_in(system(files).DeleteFile(folder + mark_file, {}, nullptr))) return fault;
    return sync_folder(system(files), folder);
}

}  // namespace sluice::store
