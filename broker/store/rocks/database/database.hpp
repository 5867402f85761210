// The store's RocksDB database behind a few types of our own: of the broker's files only those that implement it
// include RocksDB's large headers. Keys are in the order of their bytes. Any thread, except that a Batch or a Cursor
// belongs to one thread at a time, and that whoever destroys the database must be the last to use it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "broker/store/rocks/database/table_use.hpp"

namespace rocksdb {
class FileSystem;
}

namespace sluice::store {

// Tables of their own, so that each is compacted by itself; a batch changes several in one step.
enum class Family : std::uint8_t { state, events, index, identities, replies };
inline constexpr std::size_t families = 5;

struct Fault {
    enum class Kind : std::uint8_t {
        no_space,
        damaged,  // bytes are not what was written
        io,       // anything else that the disk or the database refuses
    };

    Kind kind = Kind::io;
    std::string what;
};

// A file of a table. The level is one of RocksDB's: files of level 0 are as they were flushed, and may overlap; those
// of each other level don't.
struct TableFile {
    Family family{};
    int level = 0;
    std::uint64_t number = 0;  // never given twice
    std::uint64_t bytes = 0;
    std::string name;               // in the database's folder
    std::string smallest, largest;  // keys
    bool is_busy = false;           // a compaction reads it
};

// Changes that are written in one step.
class Batch {
public:
    ~Batch();
    Batch(Batch&&) noexcept;
    Batch& operator=(Batch&&) noexcept;

    // The value is the concatenation of the parts.
    void put(Family family, std::string_view key, std::span<const std::string_view> value);
    void put(Family family, std::string_view key, std::string_view value) { put(family, key, std::span(&value, 1)); }
    void erase(Family family, std::string_view key);

private:
    friend class Database;
    struct Parts;

    explicit Batch(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

// Walks over a table, as it was when the cursor was made.
class Cursor {
public:
    Cursor(Cursor&&) noexcept;
    ~Cursor();

    void seek(std::string_view key);         // to the first key that is not below it
    void seek_before(std::string_view key);  // to the last key that is not above it
    void next();
    // At the end, or where a read failed.
    bool is_at_end() const;
    std::string_view key() const;
    std::string_view value() const;
    std::optional<Fault> fault() const;  // of the last step

private:
    friend class Database;
    struct Parts;

    explicit Cursor(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

class Database {
public:
    // Whether an entry is no longer needed, so that a compaction may leave it out.
    using IsDead = std::function<bool(Family family, std::string_view key, std::string_view value)>;
    // Whose an entry is. None: it never dies.
    using PlaceOf = std::function<std::optional<Place>(Family family, std::string_view key, std::string_view value)>;

    struct Settings {
        std::string path;
        std::size_t memory = 0;  // bytes for buffers and caches
        // Of the disk, from which the sizes of files follow, so that it can be kept to.
        std::uint64_t bytes_max = ~std::uint64_t{0};
        bool is_synced = true;  // each write() is
        // Whether to open it although the write-ahead log is damaged, without what can't be read of it, and whatever
        // else that takes: the files may be changed.
        bool repairs = false;
        bool compacts = true;  // false: after damage, at which compactions fail, and all writes with them
        // Whether to open it for reading alone: no file is changed. If it is damaged, it is opened all the same where
        // that is possible, without what can't be read of the write-ahead log, and Opened::fault says so.
        bool reads_only = false;
        bool others_write = false;  // another process has it open, which is possible if it is opened for reading alone
        std::shared_ptr<rocksdb::FileSystem> files;
        std::function<IsDead()> begin_compaction;  // called once for each, on its thread
        // What is noted in each file that is written (uses()); null: nothing is. Any thread.
        PlaceOf place_of;
        // How much of what must be read to open it has been read, from 0 to 1.
        std::atomic<double>* progress = nullptr;
    };
    struct Opened {
        std::unique_ptr<Database> database;
        std::optional<Fault> fault;
    };

    // Opens the database, or creates it where the folder is empty or does not exist. If tables are missing or cut
    // short, it is opened without compactions; what can't be read shows when it is read.
    static Opened open(const Settings& settings);
    ~Database();

    // How many files it keeps open at most.
    static constexpr int files_max = 256;

    Batch batch() const;
    // `sync`: waits until it has survived a failure of the machine. After a fault all writes are refused, and whether
    // the batch was written is known when the database has been opened again.
    std::optional<Fault> write(Batch& batch, bool sync);
    struct Found {
        std::optional<std::string> value;  // none: there is no such key, or a fault
        std::optional<Fault> fault;
    };
    Found get(Family family, std::string_view key) const;
    std::vector<Found> get(Family family, std::span<const std::string> keys) const;
    // Only keys below `end`, if that is not empty.
    Cursor cursor(Family family, std::string end = {}) const;

    // The files of all tables: by family and level, and by key, those of level 0 by age, the newest first.
    std::vector<TableFile> files() const;
    // Of the write-ahead log.
    std::uint64_t log_bytes() const;
    // What was noted in these and perhaps other files of the family, by their numbers; of some it is not known.
    std::unordered_map<std::uint64_t, TableUse> uses(Family family, const std::vector<const TableFile*>& of) const;
    bool compacts() const;
    // The level to which files of level 0 go.
    int base_level(Family family) const;
    // Removes a file, without reading it, in which nothing is needed. False: it stays for now, since others may lie
    // below it or a compaction reads it.
    bool remove(const TableFile& file);
    // Writes files of one level again, to this level, with those that lie between, and without what is dead. Returns
    // false if it was not done, for whatever reason: a fault shows at the next write.
    bool rewrite(const std::vector<const TableFile*>& files, int to_level);
    // For good, so that it can be closed. Waits for nothing.
    void end_compactions();
    // Writes a batch that puts these keys, synced, and has everything of them written to new files. When it returns
    // without a fault, the database's files have no other value of them, nor has its write-ahead log. May take long,
    // also since it waits for copy_to().
    std::optional<Fault> replace(Batch& batch, Family family, std::span<const std::string> keys);
    // Makes a copy of the database, as it was at some moment of this call, in a folder that must not exist. Its tables
    // are hard links where the file system has these. Others may write meanwhile.
    // Waits for replace().
    std::optional<Fault> copy_to(const std::string& folder) const;

private:
    struct Parts;

    explicit Database(std::unique_ptr<Parts> parts);
    static Opened open_to_read(Settings settings);

    std::unique_ptr<Parts> parts_;
};

// Makes the names of a folder's files survive a failure of the machine.
std::optional<Fault> sync_folder(rocksdb::FileSystem& files, const std::string& path);

// Free bytes of the file system that the path is on, for this process, and its size; none: unknown.
struct Space {
    std::uint64_t free = 0, total = 0;
};
std::optional<Space> space_of(const std::string& path, const std::shared_ptr<rocksdb::FileSystem>& files);

}  // namespace sluice::store
