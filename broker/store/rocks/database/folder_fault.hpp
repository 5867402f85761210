// Why this process can't use the folder of a store, of which RocksDB says only "NotFound". Any thread; asks the disk.
#pragma once

#include <string>

namespace sluice::store {

enum class FolderUse { read, write };

// "": nothing is known against it, or there is no such folder. Else what is wrong and what to do, to follow a colon.
std::string find_fault_in_folder(const std::string& path, FolderUse use);

}  // namespace sluice::store
