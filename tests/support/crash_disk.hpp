// A disk in memory that can lose power, for tests. It keeps two images: what has been written, and what is certain to
// be on the disk because it has been synced. A power failure leaves the second and any part of the difference: sectors,
// the new or the old length of a file, changes of directories. A failed sync leaves pages that no later sync writes, as
// Linux's file systems do. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::testing {

// Of RocksDB's files.
enum class FileKind : std::uint8_t { wal, table, manifest, current, other };
inline constexpr std::size_t file_kinds = 5;
FileKind kind_of(std::string_view path);

enum class Access : std::uint8_t { read, write, sync };

// EIO at the access after so many that succeed.
struct Fault {
    Access access = Access::write;
    std::uint64_t after = 0;
    bool for_ever = false;           // else once
    std::optional<FileKind> kind{};  // of the files that count; none: all
};

enum class DiskError : std::uint8_t {
    none,
    not_found,
    no_space,
    failed,  // a Fault, or the process that asks has been stopped
};

struct Traffic {
    std::uint64_t bytes_read = 0, bytes_written = 0, syncs = 0;
};

class CrashDisk {
public:
    // What makes a new, renamed or deleted name certain: a sync of its directory, or, as with ext4's journal, any sync.
    enum class Names : std::uint8_t { with_directory, with_any_sync };
    static constexpr std::size_t sector_bytes = 512;

    struct File;  // its content; may have several names
    using FilePtr = std::shared_ptr<File>;
    using Process = std::uint64_t;  // that uses the disk: process()

    explicit CrashDisk(Names names = Names::with_directory);
    CrashDisk(const CrashDisk&) = delete;
    CrashDisk& operator=(const CrashDisk&) = delete;
    std::unique_ptr<CrashDisk> clone() const;  // without faults and traffic

    // All that the process asks from now on fails, for ever. Another one may begin.
    void stop();
    // The same by itself, in the middle of the n-th write, sync or change of names from now, from 1.
    void stop_at(std::uint64_t n);
    bool is_stopped() const;  // since the last process()
    // A power failure: call when stopped.
    void lose_unsynced(std::uint64_t seed);
    Process process();

    void plan(const Fault& fault);
    void set_free(std::uint64_t bytes);  // from now on; no limit at first
    void ignore_syncs();                 // they succeed and do nothing: a fault that a test must notice
    void heal();                         // no more faults, no limit
    std::uint64_t faults_met() const;
    std::uint64_t changes() const;  // writes, syncs and changes of names so far
    Traffic traffic(FileKind kind) const;

    // For damage at rest, when no process runs: both images at once. Paths of all files, sorted.
    std::vector<std::string> paths() const;
    std::string content(const std::string& path) const;  // "": there is no such file, either
    void set_content(const std::string& path, std::string bytes);
    void erase(const std::string& path);

    // What processes do.
    FilePtr find(Process by, const std::string& path, DiskError& error);
    // Truncates a file that there is already, if `anew`.
    FilePtr create(Process by, const std::string& path, bool anew, DiskError& error);
    DiskError make_directory(Process by, const std::string& path);
    bool is_directory(const std::string& path) const;
    DiskError remove(Process by, const std::string& path);
    DiskError rename(Process by, const std::string& from, const std::string& to);  // within its directory
    DiskError link(Process by, const std::string& from, const std::string& to);
    DiskError sync_directory(Process by, const std::string& path);
    DiskError list(Process by, const std::string& path, std::vector<std::string>& names) const;
    // Reads at most `bytes`; returns how many, with them in `to`.
    DiskError read(Process by, const File& file, std::uint64_t offset, std::size_t bytes, char* to, std::size_t& n);
    DiskError append(Process by, File& file, std::string_view bytes);
    DiskError write(Process by, File& file, std::uint64_t offset, std::string_view bytes);
    DiskError truncate(Process by, File& file, std::uint64_t bytes);
    DiskError sync(Process by, File& file);
    std::uint64_t size(const File& file) const;
    std::uint64_t free_bytes() const;
    // Locks last as long as the process. False: it is locked.
    bool lock(Process by, const std::string& path);
    void unlock(Process by, const std::string& path);

private:
    using Lock = std::lock_guard<std::mutex>;

    struct Directory;
    using DirectoryPtr = std::shared_ptr<Directory>;
    struct Entry {  // one of the two; neither: there is none
        FilePtr file{};
        DirectoryPtr directory{};

        bool exists() const { return file || directory; }
    };
    using Entries = std::map<std::string, Entry>;  // by name

    // Of a name in a directory, in the order in which they were made. `to` is empty unless it is renamed.
    struct Change {
        DirectoryPtr in;
        std::string name, to;
        Entry entry;
        bool is_removal = false;
    };
    class Cloning;

    bool is_current(Process by) const { return by == process_ && !stopped_; }
    bool meets_fault(Access access, FileKind kind);
    bool counts_to_stop();
    DiskError change(Process by, Change change);
    static void apply(const Change& change, Entries& names);
    void sync_names(const Directory* directory);
    DirectoryPtr directory_at(const std::string& path) const;
    DirectoryPtr parent_of(const std::string& path) const;
    Entry entry_at(const std::string& path) const;
    std::uint64_t used() const;
    DiskError write_at(Process by, File& file, std::uint64_t offset, std::string_view bytes);
    Traffic& traffic_of(FileKind kind) { return traffic_[static_cast<std::size_t>(kind)]; }

    const Names names_;
    mutable std::mutex mutex_;
    const DirectoryPtr root_;
    std::vector<Change> changes_;  // from what is synced of all directories to what is written
    Process process_ = 0;
    bool stopped_ = true;
    std::uint64_t stop_at_ = 0, change_count_ = 0, faults_met_ = 0;
    std::vector<Fault> faults_;
    std::optional<std::uint64_t> capacity_;
    bool ignores_syncs_ = false;
    std::set<std::string> locks_;
    std::array<Traffic, file_kinds> traffic_{};
    std::mt19937_64 random_{1};  // how much of a write that fails is done
};

}  // namespace sluice::testing
