// A CrashDisk as RocksDB uses one. Any thread.
#pragma once

#include <memory>

#include "tests/support/crash_disk.hpp"

namespace rocksdb {
class FileSystem;
}

namespace sluice::testing {

// Of a process that begins with it; all that was made before fails from now on. The disk must outlive it.
std::shared_ptr<rocksdb::FileSystem> start_process(CrashDisk& disk);

}  // namespace sluice::testing
