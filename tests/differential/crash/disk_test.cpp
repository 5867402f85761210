// CrashDisk by itself, and under a bare RocksDB database, whose promises are known: what was synced is there.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <numeric>
#include <random>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <string>
#include <vector>

#include "tests/differential/crash/in_parallel.hpp"
#include "tests/support/crash_file_system.hpp"
#include "tests/support/seed.hpp"

using namespace sluice::testing;

namespace {

constexpr std::size_t sector = CrashDisk::sector_bytes;

// A process that has a database open.
class Database {
public:
    explicit Database(CrashDisk& disk) : files_(start_process(disk)), env_(rocksdb::NewCompositeEnv(files_)) {
        std::unique_ptr<rocksdb::FSDirectory> root;
        files_->CreateDirIfMissing("/db", {}, nullptr);
        if (files_->NewDirectory("/", {}, &root, nullptr).ok()) root->Fsync({}, nullptr);
        rocksdb::Options options;
        options.create_if_missing = true;
        options.env = env_.get();
        options.write_buffer_size = 64u << 10;  // so that some are flushed
        options.max_bgerror_resume_count = 0;
        rocksdb::DB* db = nullptr;
        status = rocksdb::DB::Open(options, "/db", &db);
        db_.reset(db);
    }

    // Returns whether it has been written.
    bool put(std::size_t number, std::size_t bytes, bool sync) {
        rocksdb::WriteOptions options;
        options.sync = sync;
        status = db_->Put(options, key(number), value(number, bytes));
        return status.ok();
    }
    // How many there are, with their values.
    std::size_t count() {
        std::size_t n = 0;
        const std::unique_ptr<rocksdb::Iterator> each(db_->NewIterator({}));
        for (each->SeekToFirst(); each->Valid(); each->Next(), ++n) {
            const std::size_t number = std::stoul(each->key().ToString());
            if (each->value().ToString() != value(number, each->value().size())) break;
        }
        return n;
    }
    bool flush() {
        status = db_->Flush({});
        return status.ok();
    }

    rocksdb::Status status;

private:
    static std::string key(std::size_t number) {
        const std::string digits = std::to_string(number);
        return std::string(8 - digits.size(), '0') + digits;
    }
    static std::string value(std::size_t number, std::size_t bytes) {
        return std::string(bytes, static_cast<char>('a' + number % 26));
    }

    std::shared_ptr<rocksdb::FileSystem> files_;
    std::unique_ptr<rocksdb::Env> env_;
    std::unique_ptr<rocksdb::DB> db_;
};

struct Ends {
    CrashDisk::Names names = CrashDisk::Names::with_directory;
    bool syncs = true, ignores_syncs = false, loses_power = true;
};

// Writes until the process ends, and looks at several things that the disk may then have. Returns how many of them lack
// something that had been written.
std::size_t losses(std::uint64_t seed, const Ends& ends) {
    constexpr std::size_t rounds = 32, states = 4;
    const auto lost = in_parallel(rounds, [&](std::size_t round) {
        std::mt19937_64 random(seed + round);
        CrashDisk disk(ends.names);
        std::size_t written = 0;
        {
            Database database(disk);
            if (!database.status.ok()) return states;
            if (ends.ignores_syncs) disk.ignore_syncs();
            disk.stop_at(1 + random() % 300);
            while (database.put(written, random() % 3'000, ends.syncs)) ++written;
        }
        std::size_t n = 0;
        for (std::size_t state = 0; state < states; ++state) {
            const auto after = disk.clone();
            if (ends.loses_power) after->lose_unsynced(random());
            Database database(*after);
            n += !database.status.ok() || database.count() < written ? 1u : 0u;
        }
        return n;
    });
    return std::accumulate(lost.begin(), lost.end(), std::size_t{0});
}

CrashDisk::FilePtr make(CrashDisk& disk, CrashDisk::Process by, const std::string& path) {
    DiskError error = DiskError::none;
    CrashDisk::FilePtr file = disk.create(by, path, true, error);
    REQUIRE(error == DiskError::none);
    return file;
}

std::string lines(char c, std::size_t sectors) { return std::string(sectors * sector, c); }

}  // namespace

TEST_CASE("CrashDisk: a power failure → synced bytes stay, each other sector may") {
    std::vector<int> kept(3);
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CrashDisk disk;
        const auto by = disk.process();
        const auto file = make(disk, by, "/f");
        disk.append(by, *file, lines('a', 2));
        disk.sync(by, *file);
        disk.sync_directory(by, "/");
        disk.append(by, *file, lines('b', 3));
        disk.stop();
        disk.lose_unsynced(seed);
        const std::string left = disk.content("/f");
        REQUIRE(left.starts_with(lines('a', 2)));
        REQUIRE(left.size() <= 5 * sector);
        for (std::size_t i = 0; i < 3; ++i)
            if (left.size() >= (3 + i) * sector) kept[i] += left[(2 + i) * sector] == 'b' ? 1 : 0;
    }
    CHECK(std::all_of(kept.begin(), kept.end(), [](int n) { return n > 0 && n < 200; }));
}

TEST_CASE(
    "CrashDisk: a power failure → a new name is certain once its directory is synced, or, as with ext4, any file") {
    const auto names = GENERATE(CrashDisk::Names::with_directory, CrashDisk::Names::with_any_sync);
    std::size_t old = 0, lost = 0;
    constexpr std::uint64_t rounds = 100;
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
        CrashDisk disk(names);
        const auto by = disk.process();
        const auto first = make(disk, by, "/name");
        disk.append(by, *first, "old");
        disk.sync(by, *first);
        disk.sync_directory(by, "/");
        const auto second = make(disk, by, "/new");
        disk.append(by, *second, "new");
        disk.sync(by, *second);
        disk.rename(by, "/new", "/name");
        disk.stop();
        disk.lose_unsynced(seed);
        const auto paths = disk.paths();
        REQUIRE(std::count(paths.begin(), paths.end(), "/name") == 1);
        old += disk.content("/name") == "old" ? 1u : 0u;
        lost += disk.content("/name") == "old" && paths.size() == 1 ? 1u : 0u;
    }
    CHECK(old > 0);
    CHECK(old < rounds);
    CHECK((lost > 0) == (names == CrashDisk::Names::with_directory));
}

TEST_CASE(
    "CrashDisk: a second name of a file, in a directory that is renamed → each is certain once its own is synced") {
    std::size_t old = 0, linked = 0;
    constexpr std::uint64_t rounds = 100;
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
        CrashDisk disk;
        const auto by = disk.process();
        const auto file = make(disk, by, "/f");
        disk.append(by, *file, "text");
        disk.sync(by, *file);
        REQUIRE(disk.make_directory(by, "/part") == DiskError::none);
        disk.sync_directory(by, "/");
        CHECK(disk.link(by, "/g", "/part/f") == DiskError::not_found);
        REQUIRE(disk.link(by, "/f", "/part/f") == DiskError::none);
        CHECK(disk.link(by, "/f", "/part/f") == DiskError::failed);
        CHECK(disk.remove(by, "/part") == DiskError::failed);
        const bool is_synced = seed % 2 == 0;
        if (is_synced) disk.sync_directory(by, "/part");
        REQUIRE(disk.rename(by, "/part", "/whole") == DiskError::none);
        CHECK(disk.content("/whole/f") == "text");
        REQUIRE(disk.remove(by, "/f") == DiskError::none);
        disk.stop();
        const auto copy = disk.clone();
        CHECK(copy->paths() == disk.paths());
        copy->lose_unsynced(seed);
        const bool is_old = copy->is_directory("/part");
        CHECK(is_old != copy->is_directory("/whole"));
        std::vector<std::string> paths = copy->paths();
        std::erase(paths, "/f");
        CHECK(paths.size() <= 1);
        for (const std::string& path : paths) {
            CHECK(path == (is_old ? "/part/f" : "/whole/f"));
            CHECK(copy->content(path) == "text");
        }
        if (is_synced) CHECK(paths.size() == 1);
        old += is_old ? 1u : 0u;
        linked += paths.size();
    }
    CHECK(old > 0);
    CHECK(old < rounds);
    CHECK(linked > rounds / 2);
    CHECK(linked < rounds);
}

TEST_CASE("CrashDisk: a failed sync → a later one succeeds and does not write the same pages") {
    bool is_lost = false;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CrashDisk disk;
        const auto by = disk.process();
        const auto file = make(disk, by, "/f");
        disk.sync_directory(by, "/");
        disk.plan({Access::sync, 0, false, FileKind::other});
        disk.append(by, *file, lines('a', 8));
        REQUIRE(disk.sync(by, *file) == DiskError::failed);
        REQUIRE(disk.sync(by, *file) == DiskError::none);
        REQUIRE(disk.content("/f") == lines('a', 8));
        disk.stop();
        disk.lose_unsynced(seed);
        is_lost |= disk.content("/f") != lines('a', 8);
    }
    CHECK(is_lost);
}

TEST_CASE("CrashDisk: full → a part is written, and the rest when there is space again") {
    CrashDisk disk;
    const auto by = disk.process();
    const auto file = make(disk, by, "/f");
    disk.set_free(1'000);
    CHECK(disk.append(by, *file, std::string(600, 'a')) == DiskError::none);
    CHECK(disk.free_bytes() == 400);
    CHECK(disk.append(by, *file, std::string(600, 'b')) == DiskError::no_space);
    CHECK(disk.content("/f").size() == 1'000);
    disk.heal();
    CHECK(disk.append(by, *file, "c") == DiskError::none);
}

TEST_CASE("CrashDisk: another process begins → all that the first one asks fails") {
    CrashDisk disk;
    const auto first = disk.process();
    const auto file = make(disk, first, "/f");
    CHECK(disk.lock(first, "/f"));
    const auto second = disk.process();
    CHECK(disk.append(first, *file, "a") == DiskError::failed);
    CHECK(disk.remove(first, "/f") == DiskError::failed);
    CHECK(disk.lock(second, "/f"));
    CHECK(disk.content("/f").empty());
}

TEST_CASE("CrashDisk under RocksDB: power fails → all that was synced is there") {
    CHECK(losses(seed(61), {.names = CrashDisk::Names::with_directory}) == 0);
    CHECK(losses(seed(61), {.names = CrashDisk::Names::with_any_sync}) == 0);
}

TEST_CASE("CrashDisk under RocksDB: power fails without syncs, or with syncs that do nothing → some is lost") {
    CHECK(losses(seed(62), {.syncs = false}) > 0);
    CHECK(losses(seed(63), {.ignores_syncs = true}) > 0);
}

TEST_CASE("CrashDisk under RocksDB: a process is killed → all that was written is there") {
    CHECK(losses(seed(64), {.syncs = false, .loses_power = false}) == 0);
}

TEST_CASE("CrashDisk under RocksDB: faults → the errors that RocksDB knows") {
    CrashDisk disk;
    {
        Database database(disk);
        REQUIRE(database.put(0, 10, true));
        disk.set_free(10);
        CHECK_FALSE(database.put(1, 10, true));
        CHECK(database.status.IsNoSpace());
        disk.heal();
    }
    {
        Database database(disk);
        CHECK(database.count() == 1);
        disk.plan({Access::sync, 1, false, FileKind::wal});
        CHECK(database.put(1, 10, true));
        CHECK_FALSE(database.put(2, 10, true));
        CHECK(database.status.IsIOError());
        CHECK(disk.faults_met() == 1);
    }
    Database database(disk);
    CHECK(database.flush());
    CHECK(database.count() >= 2);
    CHECK(disk.traffic(FileKind::table).bytes_written > 0);
    disk.plan({Access::write, 0, true, {}});
    CHECK_FALSE(database.put(3, 10, false));
}
