// How a database is opened and closed.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/store/rocks/database/database_parts.hpp"
#include "broker/store/rocks/database/folder_fault.hpp"
#include "broker/store/rocks/database/read_meter.hpp"
#include "broker/store/rocks/database/write_ahead_log.hpp"

namespace sluice::store {

namespace {

constexpr std::array<const char*, families> family_names{"default", "events", "index", "identities", "replies"};

class DeadFilter final : public rocksdb::CompactionFilter {
public:
    DeadFilter(Family family, Database::IsDead is_dead) : family_(family), is_dead_(std::move(is_dead)) {}

    const char* Name() const override { return "sluice"; }
    bool Filter(int, const rocksdb::Slice& key, const rocksdb::Slice& value, std::string*, bool*) const override {
        return is_dead_(family_, view(key), view(value));
    }

private:
    const Family family_;
    const Database::IsDead is_dead_;
};

class DeadFilters final : public rocksdb::CompactionFilterFactory {
public:
    DeadFilters(Family family, std::function<Database::IsDead()> begin) : family_(family), begin_(std::move(begin)) {}

    const char* Name() const override { return "sluice"; }
    std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
        const rocksdb::CompactionFilter::Context&) override {
        return std::make_unique<DeadFilter>(family_, begin_());
    }

private:
    const Family family_;
    const std::function<Database::IsDead()> begin_;
};

// A third of the memory is for what has not been flushed yet, which the cache gives up for it.
constexpr std::size_t buffers_share = 3;

// Shares of the disk, so that what is written beside the tables or twice is little of it.
std::uint64_t share_of(const Database::Settings& settings, std::uint64_t share, std::uint64_t most) {
    constexpr std::uint64_t least = 64u << 10;
    return std::max(least, std::min(settings.bytes_max / share, most));
}
std::uint64_t file_bytes(const Database::Settings& settings) { return share_of(settings, 32, 64u << 20); }

rocksdb::ColumnFamilyOptions family_options(Family family, const Database::Settings& settings,
                                            const std::shared_ptr<rocksdb::Cache>& cache) {
    const bool is_random = family == Family::identities || family == Family::replies;
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = cache;
    table.block_size = 16u << 10;
    table.cache_index_and_filter_blocks = true;
    table.pin_l0_filter_and_index_blocks_in_cache = true;
    table.format_version = 5;
    rocksdb::ColumnFamilyOptions options;
    if (is_random) {  // most look-ups find nothing
        table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
        options.memtable_whole_key_filtering = true;
        options.memtable_prefix_bloom_size_ratio = 0.02;  // some 12 bits for an entry of 80 bytes
    }
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.write_buffer_size = share_of(settings, 64, settings.memory / buffers_share / 2);
    options.target_file_size_base = file_bytes(settings);
    options.max_compaction_bytes = 4 * options.target_file_size_base;
    if (settings.place_of)
        options.table_properties_collector_factories.push_back(note_table_use(family, settings.place_of));
    options.level_compaction_dynamic_level_bytes = true;
    options.compression = is_random ? rocksdb::kNoCompression : rocksdb::kZSTD;
    options.compression_opts.level = 1;
    options.disable_auto_compactions = !settings.compacts;
    if (family != Family::state)
        options.compaction_filter_factory = std::make_shared<DeadFilters>(family, settings.begin_compaction);
    return options;
}

rocksdb::DBOptions database_options(const Database::Settings& settings, const std::shared_ptr<rocksdb::Cache>& cache) {
    constexpr std::uint64_t log_bytes = 64u << 20;  // what must be read after a kill
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
    options.max_bgerror_resume_count = 0;  // after an error the log opens the database again
    options.max_open_files = Database::files_max;
    options.paranoid_checks = settings.compacts || settings.repairs;
    options.max_total_wal_size = share_of(settings, 16, std::min<std::uint64_t>(log_bytes, settings.memory));
    options.write_buffer_manager =
        std::make_shared<rocksdb::WriteBufferManager>(settings.memory / buffers_share, cache);
    options.bytes_per_sync = 1u << 20;
    options.skip_stats_update_on_db_open = true;
    options.info_log_level = rocksdb::WARN_LEVEL;
    options.max_log_file_size = 1u << 20;
    options.keep_log_file_num = 4;
    return options;
}

// A folder that has something else in it is not taken.
std::optional<Fault> make_folder(const Database::Settings& settings) {
    rocksdb::FileSystem& files = *settings.files;
    std::vector<std::string> names;
    if (files.FileExists(settings.path + "/CURRENT", {}, nullptr).ok()) return std::nullopt;
    if (files.FileExists(settings.path, {}, nullptr).ok()) {
        const rocksdb::IOStatus listed = files.GetChildren(settings.path, {}, &names, nullptr);
        if (!listed.ok()) return fault_of(listed);
        const bool is_begun = std::all_of(names.begin(), names.end(), [](const std::string& name) {
            return name.starts_with('.') || name.starts_with("LOG") || name.starts_with("LOCK") ||
                   name.starts_with("IDENTITY") || name.starts_with("MANIFEST-") || name.ends_with(".dbtmp");
        });
        if (!is_begun)
            return Fault{Fault::Kind::io,
                         "the folder has other files, but no CURRENT, so it is no store or a damaged one; check "
                         "store.path; else restore a backup"};
    }
    std::vector<std::string> folders;
    for (std::string path = settings.path; !path.empty(); path.resize(std::min(path.find_last_of('/'), path.size()))) {
        folders.push_back(path);
        if (path.find('/') == std::string::npos) break;
    }
    for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
        const bool is_new = !files.FileExists(*folder, {}, nullptr).ok();
        if (is_new)
            if (auto fault = fault_of(files.CreateDirIfMissing(*folder, {}, nullptr))) return fault;
        // Also of one that an earlier start has made, which may have ended before it synced it. Others may be
        // forbidden.
        const std::string parent = folder->substr(0, folder->find_last_of('/') + 1);
        const auto fault = sync_folder(files, parent.empty() ? "." : parent);
        if (fault && is_new) return fault;
    }
    if (settings.files == rocksdb::FileSystem::Default() && chmod(settings.path.c_str(), S_IRWXU) != 0)
        return Fault{Fault::Kind::io, settings.path + ": " + std::strerror(errno)};
    return std::nullopt;
}

// For good: what is written later, to other files, must not seem to follow damage.
std::optional<Fault> cut(rocksdb::FileSystem& files, const std::string& name, std::uint64_t bytes) {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    if (auto fault = fault_of(files.ReopenWritableFile(name, {}, &file, nullptr))) return fault;
    if (auto fault = fault_of(file->Truncate(bytes, {}, nullptr))) return fault;
    if (auto fault = fault_of(file->Sync({}, nullptr))) return fault;
    return fault_of(file->Close({}, nullptr));
}

// After a kill the newest part may be in the page cache alone. It is read, flushed table by table and told to clients,
// so no failure of the machine may take it back.
std::optional<Fault> sync_logs(rocksdb::FileSystem& files, const std::string& folder) {
    std::vector<std::string> names;
    if (auto fault = fault_of(files.GetChildren(folder, {}, &names, nullptr))) return fault;
    for (const std::string& name : names) {
        if (!name.ends_with(".log")) continue;
        std::unique_ptr<rocksdb::FSWritableFile> file;
        if (auto fault = fault_of(files.ReopenWritableFile(folder + '/' + name, {}, &file, nullptr))) return fault;
        if (auto fault = fault_of(file->Sync({}, nullptr))) return fault;
        if (auto fault = fault_of(file->Close({}, nullptr))) return fault;
    }
    return std::nullopt;
}

// How the write-ahead log is to be read, which holds what has been written since the last flush. Its last group may
// have been cut short by a failure, and is then cut off; whatever is bad before that is refused, since all that follows
// would be lost.
std::optional<Fault> choose_recovery(const Database::Settings& settings, rocksdb::DBOptions& options) {
    if (auto fault = sync_logs(*settings.files, settings.path)) return fault;
    const auto [damage, failure] = check_logs(*settings.files, settings.path);
    if (!damage && failure.empty()) return std::nullopt;
    if (settings.repairs) {
        options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
        return std::nullopt;
    }
    if (!failure.empty()) return Fault{Fault::Kind::io, failure};
    const std::string where = damage->file + ", offset " + std::to_string(damage->offset);
    if (damage->is_followed && settings.is_synced)
        return Fault{Fault::Kind::damaged, "its write-ahead log is damaged (" + where + ")"};
    base::log_warn("the last group of the store's write-ahead log was cut short, which a failure of the machine does",
                   {{"path", settings.path}, {"file", damage->file}, {"offset", damage->offset}});
    if (!damage->is_followed) return cut(*settings.files, settings.path + '/' + damage->file, damage->offset);
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    return std::nullopt;
}

}  // namespace

std::optional<Fault> sync_folder(rocksdb::FileSystem& files, const std::string& path) {
    std::unique_ptr<rocksdb::FSDirectory> folder;
    if (auto fault = fault_of(files.NewDirectory(path, {}, &folder, nullptr))) return fault;
    return fault_of(folder->Fsync({}, nullptr));
}

Database::Parts::~Parts() {
    if (db == nullptr) return;
    for (rocksdb::ColumnFamilyHandle* handle : handles) db->DestroyColumnFamilyHandle(handle);
    db->Close();
}

Database::Database(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Database::~Database() = default;

Database::Opened Database::open(const Settings& given) {
    Settings settings = given;
    if (settings.files == nullptr) settings.files = rocksdb::FileSystem::Default();
    if (settings.files == rocksdb::FileSystem::Default()) {
        std::string why = find_fault_in_folder(settings.path, settings.reads_only ? FolderUse::read : FolderUse::write);
        if (!why.empty()) return {nullptr, Fault{Fault::Kind::io, std::move(why)}};
    }
    if (settings.reads_only) return open_to_read(std::move(settings));
    if (auto fault = make_folder(settings)) return {nullptr, std::move(fault)};
    if (settings.progress != nullptr) settings.files = metered(settings.files, settings.path, *settings.progress);
    Opened opened;
    auto parts = Parts::open(settings, opened.fault);
    if (parts == nullptr && opened.fault->kind == Fault::Kind::damaged && settings.compacts) {
        const Fault first = std::move(*opened.fault);
        settings.compacts = false;
        parts = Parts::open(settings, opened.fault);
        if (parts != nullptr)
            base::log_error(
                "the store is damaged, and opened for what can be read; `sluice store repair` drops the rest",
                {{"path", settings.path}, {"fault", first.what}});
    }
    if (parts != nullptr) opened.database.reset(new Database(std::move(parts)));
    return opened;
}

Database::Opened Database::open_to_read(Settings settings) {
    Opened opened;
    auto parts = Parts::open(settings, opened.fault);
    if (parts == nullptr && settings.compacts) {
        settings.compacts = false;  // damage is passed over
        std::optional<Fault> second;
        parts = Parts::open(settings, second);
    }
    if (parts != nullptr) opened.database.reset(new Database(std::move(parts)));
    return opened;
}

std::unique_ptr<Database::Parts> Database::Parts::open(const Settings& settings, std::optional<Fault>& fault) {
    auto parts = std::make_unique<Parts>();
    parts->path = settings.path;
    parts->compacts = settings.compacts;
    parts->file_bytes_max = file_bytes(settings);
    parts->env = rocksdb::NewCompositeEnv(settings.files);
    parts->cache = rocksdb::NewLRUCache(settings.memory);
    rocksdb::DBOptions options = database_options(settings, parts->cache);
    options.env = parts->env.get();
    if (settings.reads_only) {
        if (settings.others_write) options.max_open_files = -1;  // files that are removed meanwhile stay open
        if (!settings.compacts) options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
    } else {
        fault = choose_recovery(settings, options);
        if (fault) return nullptr;
    }
    std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
    for (std::size_t i = 0; i < families; ++i)
        descriptors.emplace_back(family_names[i], family_options(static_cast<Family>(i), settings, parts->cache));
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* db = nullptr;
    rocksdb::Status status = settings.reads_only
                                 ? rocksdb::DB::OpenForReadOnly(options, settings.path, descriptors, &handles, &db)
                                 : rocksdb::DB::Open(options, settings.path, descriptors, &handles, &db);
    if (status.IsCorruption() && settings.repairs) {  // without its manifest, say
        status = rocksdb::RepairDB(settings.path, options, descriptors);
        if (status.ok()) status = rocksdb::DB::Open(options, settings.path, descriptors, &handles, &db);
    }
    fault = fault_of(status);
    parts->db.reset(db);
    if (fault) return nullptr;
    std::copy(handles.begin(), handles.end(), parts->handles.begin());
    return parts;
}

std::optional<Space> space_of(const std::string& path, const std::shared_ptr<rocksdb::FileSystem>& files) {
    Space space;
    const auto& system = files ? files : rocksdb::FileSystem::Default();
    if (!system->GetFreeSpace(path, {}, &space.free, nullptr).ok()) return std::nullopt;
    std::error_code error;
    const auto total = std::filesystem::space(path, error);
    space.total = error ? space.free : total.capacity;
    return space;
}

}  // namespace sluice::store
