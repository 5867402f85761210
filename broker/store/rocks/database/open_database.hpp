// The database while it is open. Its users hold it as briefly as they can, and closing waits for them. Any thread,
// except that one thread opens and closes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "broker/store/rocks/database/database.hpp"

namespace sluice::store {

class OpenDatabase {
public:
    OpenDatabase() = default;
    OpenDatabase(const OpenDatabase&) = delete;
    OpenDatabase& operator=(const OpenDatabase&) = delete;
    ~OpenDatabase() { close(); }

    // Null: it is closed.
    std::shared_ptr<Database> get() const;
    // Waits for it to be opened, for some time.
    std::shared_ptr<Database> wait(std::chrono::milliseconds patience);
    void set(std::unique_ptr<Database> database);
    void close();

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<Database> database_;
    bool is_in_use_ = false;  // the database exists
};

}  // namespace sluice::store
