// What a store on disk has, by stream and by file. Changes nothing; works also while a broker has the store open, and
// then says how it was at some moment. One thread; waits for the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/store/rocks/layout.hpp"

namespace sluice::store {

struct StreamFigures {
    std::string name;
    StoredExtent extent;
    bool is_defined = false;
    std::optional<std::uint64_t> identities;  // if they were counted
};

struct PartFigures {
    std::string name;  // of the database's table, or "log" for its write-ahead log
    std::size_t files = 0;
    std::uint64_t bytes = 0;  // on disk
};

struct StoreFigures {
    std::string epoch;
    std::uint64_t last_id = 0;  // the highest that an event of any stream has had
    std::uint64_t ids_end = 0;  // ids up to here may have been given
    std::optional<std::string> user;
    std::vector<StreamFigures> streams;  // by name
    std::vector<PartFigures> parts;
    // Of these, estimated: of events that are no longer retained, and of streams that have been deleted.
    std::uint64_t dead_bytes = 0;
};

// Counts the identities only if that is asked for, since it reads all of them. Throws std::runtime_error if the store
// can't be read.
StoreFigures figures_of_store(const std::string& path, bool counts_identities);

}  // namespace sluice::store
