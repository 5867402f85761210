// Whose the stores are that the tools make.
#include "broker/store/offline/folder_owner.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/store/offline/export_store.hpp"
#include "broker/store/offline/repair.hpp"
#include "tests/unit/broker/store/offline/offline_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

namespace fs = std::filesystem;

constexpr uid_t user = 65'534;
constexpr gid_t group = 65'533;

void give_all(const fs::path& path) {
    REQUIRE(chown(path.c_str(), user, group) == 0);
    for (const auto& file : fs::recursive_directory_iterator(path))
        REQUIRE(chown(file.path().c_str(), user, group) == 0);
}

void check_owner(const fs::path& path) {
    struct stat found {};
    INFO(path);
    REQUIRE(lstat(path.c_str(), &found) == 0);
    CHECK((found.st_uid == user && found.st_gid == group));
}

void check_all(const fs::path& path) {
    check_owner(path);
    for (const auto& file : fs::recursive_directory_iterator(path)) check_owner(file.path());
}

}  // namespace

TEST_CASE_METHOD(OfflineFixture, "owner_of_folder: of the folder, or of the nearest above") {
    CHECK(owner_of_folder(settings.path).user == geteuid());
    CHECK(owner_of_folder(folder.path() / "none" / "store").user == geteuid());
}

TEST_CASE_METHOD(OfflineFixture, "repair and import by root → the new stores belong to whom the old ones did") {
    if (geteuid() != 0) return;  // root alone can give files away
    fill();
    const fs::path moved = folder.path() / "moved" / "store";
    fs::create_directory(moved.parent_path());
    give_all(moved.parent_path());
    std::stringstream file;
    export_store(settings.path, file);
    import_store(file, moved);
    check_all(moved);
    give_all(settings.path);
    const Repaired repaired = repair_store(settings.path);
    check_all(settings.path);
    check_all(repaired.damaged_path);
}

TEST_CASE_METHOD(OfflineFixture, "give_folder: a file that has another name, too, or is a link stays root's") {
    if (geteuid() != 0) return;  // root alone can give files away
    log.reset();
    const fs::path store = settings.path, outside = folder.path() / "outside";
    std::ofstream(outside) << "root's";
    fs::create_hard_link(outside, store / "hard");
    fs::create_symlink(outside, store / "soft");
    give_folder(store, {user, group});
    check_owner(store / "CURRENT");
    struct stat found {};
    REQUIRE(lstat(outside.c_str(), &found) == 0);
    CHECK(found.st_uid == 0);
}
