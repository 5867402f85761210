// What the files that implement database.hpp share; only they include it, since RocksDB's headers are large.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/write_batch.h>
#include <string>
#include <string_view>

#include "broker/store/rocks/database/database.hpp"

namespace sluice::store {

using Handles = std::array<rocksdb::ColumnFamilyHandle*, families>;

constexpr std::size_t index_of(Family family) { return static_cast<std::size_t>(family); }

inline rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

std::optional<Fault> fault_of(const rocksdb::Status& status);

// Notes the TableUse of each file of the family that is written.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> note_table_use(Family family,
                                                                         const Database::PlaceOf& place_of);

struct Batch::Parts {
    const Handles& handles;
    rocksdb::WriteBatch batch{};
};

struct Database::Parts {
    std::string path{};
    bool compacts = true;
    std::uint64_t file_bytes_max = 0;
    std::mutex keeping_files;  // held by copy_to() and by replace(), while which remove() removes no file
    std::unique_ptr<rocksdb::Env> env{};
    std::shared_ptr<rocksdb::Cache> cache{};
    std::unique_ptr<rocksdb::DB> db{};
    Handles handles{};

    static std::unique_ptr<Parts> open(const Settings& settings, std::optional<Fault>& fault);

    ~Parts();
};

}  // namespace sluice::store
