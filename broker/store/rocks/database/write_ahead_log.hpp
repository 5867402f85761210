// Tells what a failure of the machine has done to the write-ahead log from what happened to it later. RocksDB can't: a
// group that was being written may be on disk in part, in any order of its sectors, and that looks like damage. But a
// group is written only after the one before it has been synced. So what is bad is the last group, cut short, unless
// another one begins behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rocksdb {
class FileSystem;
}

namespace sluice::store {

struct LogDamage {
    std::string file;
    std::uint64_t offset = 0;  // of the first batch that is not whole
    bool is_followed = false;  // by the beginning of another group: it was synced once
};

struct LogCheck {
    std::optional<LogDamage> damage;  // the first bad place; none: there is none
    std::string failure;              // why a file could not be read; then `damage` says nothing
};

// Of the log files (NUMBER.log) of the folder.
LogCheck check_logs(rocksdb::FileSystem& files, const std::string& folder);
LogCheck check_logs(const std::string& folder);  // of the machine
// Of the manifest of a folder of the machine, which is written in the same way.
LogCheck check_manifest(const std::string& folder);
// The first bad place of one file.
std::optional<LogDamage> find_log_damage(std::string_view bytes);

}  // namespace sluice::store
