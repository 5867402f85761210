// Copies of a store. A copy has a file BACKUP, by which the log that opens it knows that it must begin a new epoch:
// what the store had after the backup is not in it, and its ids will be given to other events. Any thread; waits for
// the disk.
#pragma once

#include <boost/system/result.hpp>
#include <memory>
#include <optional>
#include <string>

#include "broker/store/durable_state.hpp"
#include "broker/store/rocks/database/database.hpp"

namespace sluice::store {

// Where a backup of this name goes: below `root`, which is created with the folders that the name has before its last
// part. The name may begin with `root`.
boost::system::result<std::string, BackupRefusal> backup_folder(const std::string& root, const std::string& name);

// `files`: null: the machine's.
boost::system::result<Backup, BackupRefusal> make_backup(const Database& database,
                                                         const std::shared_ptr<rocksdb::FileSystem>& files,
                                                         const std::string& folder);

// Where a backup is made, before it is complete.
std::string unfinished_backup(const std::string& folder);
// The copy there is complete: marks it, syncs all of it, and moves it to its folder.
boost::system::result<Backup, BackupRefusal> finish_backup(const std::shared_ptr<rocksdb::FileSystem>& files,
                                                           const std::string& folder);

bool is_backup(const std::shared_ptr<rocksdb::FileSystem>& files, const std::string& folder);
std::optional<Fault> mark_as_backup(const std::shared_ptr<rocksdb::FileSystem>& files, const std::string& folder);
std::optional<Fault> remove_mark(const std::shared_ptr<rocksdb::FileSystem>& files, const std::string& folder);

}  // namespace sluice::store
