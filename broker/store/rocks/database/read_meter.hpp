// Tells how much of the write-ahead log has been read while a database is opened.
#pragma once

#include <atomic>
#include <memory>
#include <string>

namespace rocksdb {
class FileSystem;
}

namespace sluice::store {

// The same files, but what is read in sequence of those that end in ".log" counts: `progress` goes from 0 to 1 as all
// such files of the folder are read, twice. It must outlive the database.
std::shared_ptr<rocksdb::FileSystem> metered(const std::shared_ptr<rocksdb::FileSystem>& files,
                                             const std::string& folder, std::atomic<double>& progress);

}  // namespace sluice::store
