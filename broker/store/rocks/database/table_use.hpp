// Whose entries a table file holds: their bytes by stream, and where they stand among all of their stream. It is noted
// in the file when that is written, so that what of it is dead can be told without reading it. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sluice::store {

// Whose an entry is, and where it stands among those of its stream in its table.
struct Place {
    std::uint32_t stream = 0;
    std::uint64_t position = 0;
};

// Of entries with these positions, both inclusive. A stream's entries die from the smallest position on.
struct StreamUse {
    std::uint32_t stream = 0;
    std::uint64_t bytes = 0;
    std::uint64_t smallest = 0, largest = 0;

    friend bool operator==(const StreamUse&, const StreamUse&) = default;
};

struct TableUse {
    std::uint64_t lasting = 0;       // bytes of entries that never die
    std::vector<StreamUse> streams;  // by number, those with the most bytes
    // All other streams together, with the largest of their numbers; no bytes: there are none.
    StreamUse others;

    std::uint64_t bytes() const;

    friend bool operator==(const TableUse&, const TableUse&) = default;
};

class TableUseCounter {
public:
    void add(std::uint32_t stream, std::uint64_t position, std::uint64_t bytes);
    void add_lasting(std::uint64_t bytes) { lasting_ += bytes; }
    // What was counted, with the bytes of at most so many streams singly.
    TableUse count(std::size_t streams_max) const;

private:
    std::uint64_t lasting_ = 0;
    std::unordered_map<std::uint32_t, StreamUse> streams_;
};

std::string encode(const TableUse& use);
std::optional<TableUse> decode_table_use(std::string_view bytes);

// Up to where streams are dead.
struct DeadBelow {
    // Entries of the stream with positions below this one are dead.
    std::function<std::uint64_t(std::uint32_t stream)> of;
    // The smallest of these of all streams with numbers up to this one.
    std::function<std::uint64_t(std::uint32_t stream)> of_all_to;
};

// Of the bytes that were counted. All of them if and only if every entry is dead, and 0 if none is; between that as if
// each stream's were spread evenly over its positions.
std::uint64_t dead_bytes(const TableUse& use, const DeadBelow& dead);
// The same of the bytes of the file as it is compressed.
std::uint64_t dead_bytes(const TableUse& use, const DeadBelow& dead, std::uint64_t file_bytes);

}  // namespace sluice::store
