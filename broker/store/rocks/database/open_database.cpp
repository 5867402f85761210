#include "broker/store/rocks/database/open_database.hpp"

#include <utility>

namespace sluice::store {

std::shared_ptr<Database> OpenDatabase::get() const {
    const std::lock_guard lock(mutex_);
    return database_;
}

std::shared_ptr<Database> OpenDatabase::wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return database_ != nullptr; });
    return database_;
}

void OpenDatabase::set(std::unique_ptr<Database> database) {
    const auto end = [this](Database* ended) {
        delete ended;  // which takes a while, and must be over before it is opened again
        {
            const std::lock_guard lock(mutex_);
            is_in_use_ = false;
        }
        changed_.notify_all();
    };
    std::shared_ptr<Database> shared(database.release(), end);
    {
        const std::lock_guard lock(mutex_);
        database_ = std::move(shared);
        is_in_use_ = true;
    }
    changed_.notify_all();
}

void OpenDatabase::close() {
    std::unique_lock lock(mutex_);
    std::shared_ptr<Database> mine = std::exchange(database_, nullptr);
    lock.unlock();
    if (mine != nullptr) mine->end_compactions();  // which others may wait for
    mine.reset();
    lock.lock();
    changed_.wait(lock, [this] { return !is_in_use_; });
}

}  // namespace sluice::store
