// Table files: what is known of them, how they are copied, and how they go.
#include <rocksdb/convenience.h>
#include <rocksdb/listener.h>
#include <rocksdb/metadata.h>
#include <rocksdb/utilities/checkpoint.h>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/store/rocks/database/database_parts.hpp"

namespace sluice::store {

namespace {

constexpr const char* use_name = "sluice.use";
constexpr std::size_t streams_noted_max = 1'000;

class UseNoter final : public rocksdb::TablePropertiesCollector {
public:
    UseNoter(Family family, const Database::PlaceOf& place_of) : family_(family), place_of_(place_of) {}

    const char* Name() const override { return "sluice"; }
    // What deletes an older entry must outlive it.
    rocksdb::Status AddUserKey(const rocksdb::Slice& key, const rocksdb::Slice& value, rocksdb::EntryType type,
                               rocksdb::SequenceNumber, std::uint64_t) override try {
        const auto place = type == rocksdb::kEntryPut ? place_of_(family_, view(key), view(value)) : std::nullopt;
        if (place)
            counter_.add(place->stream, place->position, key.size() + value.size());
        else
            counter_.add_lasting(key.size() + value.size());
        return rocksdb::Status::OK();
    } catch (const std::bad_alloc&) {  // of which then nothing is known
        failed_ = true;
        return rocksdb::Status::OK();
    }
    rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override try {
        if (!failed_) properties->emplace(use_name, encode(counter_.count(streams_noted_max)));
        return rocksdb::Status::OK();
    } catch (const std::bad_alloc&) {
        return rocksdb::Status::OK();
    }
    rocksdb::UserCollectedProperties GetReadableProperties() const override { return {}; }

private:
    const Family family_;
    const Database::PlaceOf& place_of_;
    TableUseCounter counter_;
    bool failed_ = false;
};

class UseNoters final : public rocksdb::TablePropertiesCollectorFactory {
public:
    UseNoters(Family family, Database::PlaceOf place_of) : family_(family), place_of_(std::move(place_of)) {}

    const char* Name() const override { return "sluice"; }
    rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
        return new UseNoter(family_, place_of_);
    }

private:
    const Family family_;
    const Database::PlaceOf place_of_;
};

}  // namespace

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> note_table_use(Family family,
                                                                         const Database::PlaceOf& place_of) {
    return std::make_shared<UseNoters>(family, place_of);
}

std::vector<TableFile> Database::files() const {
    std::vector<TableFile> files;
    for (std::size_t i = 0; i < families; ++i) {
        rocksdb::ColumnFamilyMetaData of_family;
        parts_->db->GetColumnFamilyMetaData(parts_->handles[i], &of_family);
        for (const rocksdb::LevelMetaData& level : of_family.levels) {
            for (const rocksdb::SstFileMetaData& file : level.files)
                files.push_back({static_cast<Family>(i), level.level, file.file_number, file.size,
                                 file.relative_filename, file.smallestkey, file.largestkey, file.being_compacted});
        }
    }
    return files;
}

std::uint64_t Database::log_bytes() const {
    std::uint64_t sum = 0;
    std::vector<std::string> names;
    parts_->env->GetChildren(parts_->path, &names);
    for (const std::string& name : names) {
        std::uint64_t bytes = 0;
        if (name.ends_with(".log") && parts_->env->GetFileSize(parts_->path + '/' + name, &bytes).ok()) sum += bytes;
    }
    return sum;
}

std::unordered_map<std::uint64_t, TableUse> Database::uses(Family family,
                                                           const std::vector<const TableFile*>& of) const {
    std::vector<rocksdb::Range> ranges;
    ranges.reserve(of.size());
    for (const TableFile* file : of) ranges.emplace_back(slice(file->smallest), slice(file->largest));
    rocksdb::TablePropertiesCollection all;
    std::unordered_map<std::uint64_t, TableUse> uses;
    const rocksdb::Status status =
        parts_->db->GetPropertiesOfTablesInRange(parts_->handles[index_of(family)], ranges.data(), ranges.size(), &all);
    if (!status.ok()) return uses;
    for (const auto& [path, properties] : all) {
        const auto found = properties->user_collected_properties.find(use_name);
        if (found == properties->user_collected_properties.end()) continue;
        const std::size_t digits = path.find_last_of('/') + 1;
        if (auto use = decode_table_use(found->second)) uses[std::stoull(path.substr(digits))] = std::move(*use);
    }
    return uses;
}

bool Database::compacts() const { return parts_->compacts; }

int Database::base_level(Family family) const {
    std::uint64_t level = 0;
    parts_->db->GetIntProperty(parts_->handles[index_of(family)], rocksdb::DB::Properties::kBaseLevel, &level);
    return static_cast<int>(level);
}

// RocksDB 7.8 does not keep compactions from taking the file while its removal is being written, and then both delete
// it. Its own are paused; those that replace() asks for take their files nevertheless.
bool Database::remove(const TableFile& file) {
    const std::unique_lock lock(parts_->keeping_files, std::try_to_lock);
    if (!lock) return false;
    if (!parts_->db->PauseBackgroundWork().ok()) return false;
    const bool is_done = parts_->db->DeleteFile(file.name).ok();
    return parts_->db->ContinueBackgroundWork().ok() && is_done;
}

bool Database::rewrite(const std::vector<const TableFile*>& files, int to_level) {
    rocksdb::CompactionOptions options;
    options.compression = rocksdb::kDisableCompressionOption;  // the family's
    options.output_file_size_limit = parts_->file_bytes_max;
    std::vector<std::string> names;
    names.reserve(files.size());
    std::uint64_t bytes = 0, free = 0;
    for (const TableFile* file : files) {
        names.push_back(file->name);
        bytes += file->bytes;
    }
    if (parts_->env->GetFreeSpace(parts_->path, &free).ok() && free / 2 < bytes) return false;
    const rocksdb::Status status =
        parts_->db->CompactFiles(options, parts_->handles[index_of(files.front()->family)], names, to_level);
    if (!status.ok())
        base::log_at(config::LogLevel::debug, [&] {
            base::log_debug("table files can't be compacted now", {{"fault", status.ToString()}});
        });
    return status.ok();
}

std::optional<Fault> Database::copy_to(const std::string& folder) const {
    const std::lock_guard lock(parts_->keeping_files);
    rocksdb::Checkpoint* made = nullptr;
    const rocksdb::Status status = rocksdb::Checkpoint::Create(parts_->db.get(), &made);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    return fault_of(status.ok() ? checkpoint->CreateCheckpoint(folder) : status);
}

void Database::end_compactions() { rocksdb::CancelAllBackgroundWork(parts_->db.get(), false); }

}  // namespace sluice::store
