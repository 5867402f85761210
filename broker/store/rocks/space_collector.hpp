// Gives back the disk space of what a store no longer needs, and measures what it takes. Has a thread of its own, which
// removes files that are dead as a whole without reading them, and writes others again once half of them is dead, or
// less where the store nears its bound. All functions: any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "broker/store/event_log.hpp"
#include "broker/store/rocks/database/open_database.hpp"
#include "broker/store/rocks/needed.hpp"

namespace sluice::store {

class SpaceCollector {
public:
    // `needed`: by what has been dropped as it is on disk, so that no failure takes a record back that says so.
    SpaceCollector(OpenDatabase& database, std::function<Needed()> needed);
    ~SpaceCollector();  // the database must have been closed
    SpaceCollector(const SpaceCollector&) = delete;
    SpaceCollector& operator=(const SpaceCollector&) = delete;

    void start(std::uint64_t bytes_max);  // of the disk; call once

    // Something has been dropped, or so many bytes have been written: it looks soon, or at once where that is much.
    void note_dropped() { has_news_ = true; }
    void note_written(std::uint64_t bytes);

    // How many bytes of events fit into the bound as they are compressed now; without a look yet, all.
    std::uint64_t events_bytes_max() const { return events_bytes_max_; }
    DiskUse use() const;

    // Looks once, now. Returns whether anything could be given back, so that another look may find more.
    bool collect();

private:
    struct File {
        TableFile table;
        const TableUse* use = nullptr;  // in known_
        std::uint64_t dead = 0;         // of the file's bytes, about
    };
    struct Run;

    void run();
    std::vector<File> look(const Database& database);
    void learn(const Database& database, const std::vector<TableFile>& tables);
    void measure(const Database& database, const std::vector<File>& files);
    static bool remove_dead(Database& database, std::vector<File>& files);
    static std::vector<Run> runs_of(const Database& database, const std::vector<File>& files);
    bool rewrite(Database& database, const std::vector<File>& files) const;

    OpenDatabase& database_;
    const std::function<Needed()> needed_;
    std::uint64_t bytes_max_ = 0;

    std::atomic<std::uint64_t> events_bytes_max_{~std::uint64_t{0}};
    std::atomic<std::uint64_t> written_{0};  // since the last look
    std::atomic<bool> has_news_{false};

    std::mutex look_;                                    // guards the next one
    std::unordered_map<std::uint64_t, TableUse> known_;  // by the files' numbers; of some only that nothing is known

    mutable std::mutex mutex_;  // guards the rest
    std::condition_variable work_;
    DiskUse use_;
    bool is_urgent_ = true, stopping_ = false;
    std::thread thread_;
};

}  // namespace sluice::store
