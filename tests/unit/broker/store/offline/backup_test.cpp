// Copies of a store, made by a log that goes on or of a store that nobody has open, and what a log makes of one.
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "broker/store/offline/copy_store.hpp"
#include "broker/store/offline/repair.hpp"
#include "broker/store/offline/verify.hpp"
#include "tests/unit/broker/store/offline/offline_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

namespace fs = std::filesystem;
using Reason = BackupRefusal::Reason;

struct BackupFixture : OfflineFixture {
    const fs::path backups = folder.path() / "a" / "store.backups";

    void restore(const std::string& backup) {
        log.reset();
        fs::remove_all(settings.path);
        fs::copy(backup, settings.path);
        open();
    }
};

}  // namespace

TEST_CASE_METHOD(BackupFixture, "backup: has what was told before, is sound, and begins one new epoch") {
    append("s", 3);
    const std::string epoch = log->epoch();
    std::atomic<bool> stop = false;
    std::thread publisher([&] {
        while (!stop) append("s", 2);
    });
    const std::uint64_t before = log->last_id();
    const auto backup = log->backup("deep/one");
    stop = true;
    publisher.join();
    REQUIRE(backup.has_value());
    CHECK(backup->path == backups / "deep/one");
    CHECK(backup->epoch == epoch);
    CHECK(backup->last_id >= before);
    CHECK(backup->bytes > 0);
    CHECK(verify_store(backup->path).damage.empty());
    const std::uint64_t last = append("s", 1);
    CHECK(last > backup->last_id);
    restart();
    CHECK(log->epoch() == epoch);  // of the store itself
    now += 5;
    restore(backup->path);
    const std::string next = log->epoch();
    CHECK(next != epoch);
    CHECK(log->begun_at() == now);
    CHECK(log->extent("s").last_id == backup->last_id);
    CHECK(ids("s", 0, 1'000'000, 1'000'000'000).size() == backup->last_id);
    CHECK(append("s", 1) > 65'536);  // ids of the block that the store had may have been given
    restart();
    CHECK(log->epoch() == next);
}

TEST_CASE_METHOD(BackupFixture, "backup: only where it may be, and never over anything") {
    append("s", 1);
    REQUIRE(log->backup("one").has_value());
    fs::create_symlink(folder.path(), backups / "link");
    fs::create_symlink(backups / "one", backups / "inside");
    const auto reason = [this](const std::string& name) {
        const auto backup = log->backup(name);
        REQUIRE_FALSE(backup.has_value());
        return backup.error().reason;
    };
    for (const std::string& name :
         {std::string(), std::string("."), std::string("x/"), std::string("../x"), std::string("a/../../x"),
          std::string("a/../x"), (folder.path() / "x").string(), backups.string(), backups.string() + "x/y",
          std::string("link/x"), std::string("/"), std::string("a\0b", 3), std::string(1'025, 'x')}) {
        INFO(name);
        CHECK(reason(name) == Reason::path);
    }
    CHECK(reason("one") == Reason::exists);
    CHECK(reason("link") == Reason::exists);
    CHECK(reason(backups / "one") == Reason::exists);
    CHECK(log->backup("inside/two").has_value());
    CHECK(fs::exists(backups / "one" / "two"));
    CHECK_FALSE(fs::exists(folder.path() / "x"));
}

TEST_CASE_METHOD(BackupFixture, "backup: what an interrupted one left is replaced") {
    append("s", 1);
    fs::create_directories(backups / ".one.part");
    std::ofstream(backups / ".one.part" / "CURRENT") << "MANIFEST-0";
    REQUIRE(log->backup("one").has_value());
    CHECK_FALSE(fs::exists(backups / ".one.part"));
}

TEST_CASE_METHOD(BackupFixture, "copy_store: a store that nobody has open, as a backup") {
    fill();
    const std::string all = everything();
    const auto before = contents();
    const Backup backup = copy_store(settings.path, folder.path() / "copy");
    CHECK(contents() == before);
    CHECK_THROWS_WITH(copy_store(settings.path, folder.path() / "copy"), Catch::Contains("exists already"));
    CHECK_THROWS_WITH(copy_store(folder.path(), folder.path() / "x"), Catch::Contains("there is no store"));
    CHECK_THROWS(copy_store(settings.path, folder.path() / "no" / "where"));
    settings.path = backup.path;
    CHECK(everything() == all);
    open();
    CHECK(log->epoch() != backup.epoch);
    CHECK(log->extent("news").last_id == backup.last_id);
}

TEST_CASE_METHOD(BackupFixture, "repair_store: of a backup makes a backup") {
    fill();
    const Backup backup = copy_store(settings.path, folder.path() / "copy");
    repair_store(backup.path);
    settings.path = backup.path;
    open();
    CHECK(log->epoch() != backup.epoch);
}
