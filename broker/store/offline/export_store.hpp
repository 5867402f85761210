// A whole store as one file, and back: to move it to another store, machine or version. One thread; waits for the disk.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace sluice::store {

struct Exported {
    std::uint64_t streams = 0, events = 0;
};

// Of a store that nobody has open. What is no longer retained is left out. `stream`: its events, identities and
// definition alone; "": everything. Throws std::runtime_error if the store is open or damaged, or has no such stream.
Exported export_store(const std::string& path, std::ostream& out, const std::string& stream = {});

// Makes a store in a folder that is empty or does not exist, with the ids of the file. As after a backup, the log that
// opens it begins a new epoch. If this process is root's, the store gets the owner of the folder, or of the one that it
// is made in. Throws ExportError if the file is damaged, std::runtime_error otherwise; then there is no store.
Exported import_store(std::istream& in, const std::string& path);

}  // namespace sluice::store
