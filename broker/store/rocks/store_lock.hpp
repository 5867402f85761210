// The lock that a process holds on a store while it has it open, RocksDB's file LOCK. One thread.
#pragma once

#include <optional>
#include <string>

namespace sluice::store {

// Who has the store in this folder open, such as "process 4711"; none: nobody, or this process.
std::optional<std::string> user_of_store(const std::string& path);

// Keeps others from opening a store for as long as it exists. Changes nothing in the folder; without a file LOCK, as in
// a backup, there is nothing to hold.
class StoreLock {
public:
    // Throws std::runtime_error, which says who has the store open.
    explicit StoreLock(const std::string& path);
    ~StoreLock();
    StoreLock(const StoreLock&) = delete;
    StoreLock& operator=(const StoreLock&) = delete;

private:
    int file_ = -1;
};

}  // namespace sluice::store
