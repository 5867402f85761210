// Database::replace(): after which no file has what was there before.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/transaction_log.h>
#include <set>
#include <thread>

#include "broker/store/rocks/database/database_parts.hpp"

namespace sluice::store {

namespace {

std::uint64_t number_of(const std::string& file) {
    return std::strtoull(file.c_str() + file.find_first_not_of('/'), nullptr, 10);
}

std::set<std::uint64_t> live_tables(rocksdb::DB& db) {
    std::vector<rocksdb::LiveFileMetaData> files;
    db.GetLiveFilesMetaData(&files);
    std::set<std::uint64_t> numbers;
    for (const rocksdb::LiveFileMetaData& file : files) numbers.insert(file.file_number);
    return numbers;
}

// Has RocksDB begin another write-ahead log. A family that had nothing new when the last one began, but was still being
// flushed, keeps the log before that one until there is another. `handles`: of all families, first that of `state`.
std::optional<Fault> begin_log(rocksdb::DB& db, const Handles& handles) {
    if (auto fault = fault_of(db.Delete({}, handles.front(), std::string(1, '\0')))) return fault;  // is never there
    rocksdb::FlushOptions flush;
    flush.allow_write_stall = true;
    return fault_of(db.Flush(flush, {handles.begin(), handles.end()}));
}

// Waits until files that are no longer in use are gone: write-ahead logs up to this one, and tables as old as those
// that are in use now. Others are only kept by what reads them, which is never long.
std::optional<Fault> wait_until_gone(rocksdb::DB& db, rocksdb::Env& env, const Handles& handles,
                                     std::uint64_t newest_log) {
    constexpr std::chrono::milliseconds pause{5};
    constexpr std::chrono::seconds patience{60};
    const std::set<std::uint64_t> now = live_tables(db);
    const std::uint64_t newest_table = now.empty() ? 0 : *now.rbegin();
    std::vector<std::string> names;
    for (const auto begun = std::chrono::steady_clock::now();;) {
        // Has the whole folder looked through: it may have files of an earlier process that RocksDB does not know of.
        // It passes over those that might be some that are being written, so more than one look may be needed.
        if (auto fault = fault_of(db.DisableFileDeletions())) return fault;
        if (auto fault = fault_of(db.EnableFileDeletions(false))) return fault;
        if (auto fault = fault_of(env.GetChildren(db.GetName(), &names))) return fault;
        const std::set<std::uint64_t> live = live_tables(db);
        const auto is_old = [&](const std::string& name) {
            const std::uint64_t number = number_of(name);
            if (name.ends_with(".log")) return number <= newest_log;
            return name.ends_with(".sst") && number <= newest_table && !live.contains(number);
        };
        const auto left = std::find_if(names.begin(), names.end(), is_old);
        if (left == names.end()) return sync_folder(*env.GetFileSystem(), db.GetName());
        if (std::chrono::steady_clock::now() - begun > patience)
            return Fault{Fault::Kind::io, *left + " is still in use"};
        if (left->ends_with(".log"))
            if (auto fault = begin_log(db, handles)) return fault;
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace

std::optional<Fault> Database::replace(Batch& batch, Family family, std::span<const std::string> keys) {
    const std::lock_guard lock(parts_->keeping_files);
    rocksdb::DB& db = *parts_->db;
    rocksdb::ColumnFamilyHandle* const handle = parts_->handles[index_of(family)];
    // The batch makes sure that this file, too, is finished by the flush.
    std::unique_ptr<rocksdb::LogFile> newest;
    if (auto fault = fault_of(db.GetCurrentWalFile(&newest))) return fault;
    if (auto fault = write(batch, true)) return fault;
    rocksdb::FlushOptions flush;
    flush.allow_write_stall = true;
    if (auto fault = fault_of(db.Flush(flush, {parts_->handles.begin(), parts_->handles.end()}))) return fault;
    for (const std::string& key : keys) {
        const rocksdb::Slice at = slice(key);
        rocksdb::CompactRangeOptions compact;
        compact.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
        if (auto fault = fault_of(db.CompactRange(compact, handle, &at, &at))) return fault;
    }
    return wait_until_gone(db, *parts_->env, parts_->handles, newest->LogNumber());
}

}  // namespace sluice::store
