// What is on a CrashDisk. Only for its own files.
#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "tests/support/crash_disk.hpp"

namespace sluice::testing {

inline std::uint64_t below(std::mt19937_64& random, std::uint64_t end) { return random() % end; }

struct CrashDisk::File {
    explicit File(FileKind of) : kind(of) {}

    void copy_sector(std::size_t sector) {
        const std::size_t from = sector * sector_bytes, end = std::min({from + sector_bytes, written.size()});
        if (from >= end) return;
        if (synced.size() < end) synced.resize(end);
        written.copy(&synced[from], end - from, from);
    }
    void sync() {
        synced.resize(written.size());
        for (const std::size_t sector : unsynced) copy_sector(sector);
        unsynced.clear();
    }
    void fail_sync(std::mt19937_64& random) {
        for (const std::size_t sector : unsynced)
            if (below(random, 2) == 0) copy_sector(sector);
        unsynced.clear();
    }
    // Keeps each unsynced sector with this chance, in percent.
    void lose_unsynced(std::mt19937_64& random, std::uint64_t chance) {
        const std::size_t least = std::min(synced.size(), written.size()),
                          most = std::max(synced.size(), written.size());
        std::size_t length = below(random, 2) == 0 ? synced.size() : written.size();
        if (most != least && below(random, 2) == 0) length = least + below(random, most - least + 1);
        for (const std::size_t sector : unsynced)
            if (below(random, 100) < chance) copy_sector(sector);
        synced.resize(length);
        written = synced;
        unsynced.clear();
    }

    const FileKind kind;
    std::string written, synced;
    std::set<std::size_t> unsynced;  // sectors. Others differ if a sync of them has failed: nothing writes them again
};

struct CrashDisk::Directory {
    Entries written{}, synced{};
};

}  // namespace sluice::testing
