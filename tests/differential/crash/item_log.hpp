// A log of small items on a CrashDisk. One thread, and a log at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/store/rocks/rocks_log.hpp"
#include "tests/support/crash_disk.hpp"

namespace sluice::testing {

class ItemLog {
public:
    static constexpr std::size_t item_bytes = 40;
    using Items = std::map<std::uint64_t, std::string>;  // by id

    ItemLog(CrashDisk& disk, std::mt19937_64& random, const std::string& path = "/data/log");

    // In a process of its own, which ends at the change `stop_at` of the disk, if not 0. Throws std::runtime_error.
    void open(std::uint64_t stop_at = 0);
    void close() { log_.reset(); }
    store::RocksLog& operator*() { return *log_; }
    store::RocksLog* operator->() { return log_.get(); }

    // Items of random letters, in one document. None: it is not known whether they are there.
    std::optional<Items> append(const std::string& stream, std::size_t items);
    // Throws std::runtime_error if any is damaged.
    Items read(const std::string& stream);

    store::RocksSettings settings;  // of the next open(), which sets `files`

private:
    CrashDisk& disk_;
    std::mt19937_64& random_;
    base::MemoryBudget budget_{100'000'000};
    std::unique_ptr<store::RocksLog> log_;
};

}  // namespace sluice::testing
