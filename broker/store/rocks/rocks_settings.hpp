// What a store on disk is told when it is made. Plain values.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rocksdb {
class FileSystem;
}

namespace sluice::store {

struct RocksSettings {
    std::string path;                      // a folder, which is created
    std::string backups;                   // the folder of backups, which is created; "": the path and ".backups"
    bool sync = true;                      // false: nothing waits for the disk, so a power failure may lose the newest
    std::optional<std::size_t> bytes_max;  // of the disk; none: the smaller of 10 GiB and a tenth of the disk
    std::chrono::microseconds replies_window{};            // a reply that is older may be forgotten
    std::shared_ptr<rocksdb::FileSystem> files = nullptr;  // null: the machine's
    // For tests: called by the log's thread before it writes a group ("store.write"), once that is as durable as
    // configured but nobody has been told ("store.written"), and when everybody has been ("store.told").
    std::function<void(std::string_view)> at_point = nullptr;
};

using ObserveTime = std::function<void(std::chrono::nanoseconds)>;

}  // namespace sluice::store
