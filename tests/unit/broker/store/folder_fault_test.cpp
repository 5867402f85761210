#include "broker/store/rocks/database/folder_fault.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/store/offline/opened_store.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

namespace fs = std::filesystem;

// While it lives, the process of root is that of another user.
class OtherUser {
public:
    static constexpr uid_t number = 65'534;

    OtherUser() {
        if (was_root_) REQUIRE(seteuid(number) == 0);
    }
    ~OtherUser() {
        if (was_root_) static_cast<void>(!seteuid(0));
    }
    OtherUser(const OtherUser&) = delete;
    OtherUser& operator=(const OtherUser&) = delete;

private:
    const bool was_root_ = geteuid() == 0;
};

struct Fixture {
    testing::TemporaryFolder folder;
    const fs::path store = folder.path() / "store";

    Fixture() {
        fs::permissions(folder.path(), fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
        fs::create_directory(store);
        std::ofstream(store / "CURRENT") << "MANIFEST-1";
    }
    ~Fixture() { chmod(store.c_str(), S_IRWXU); }

    std::string fault(FolderUse use = FolderUse::read) const {
        const OtherUser other;
        return find_fault_in_folder(store, use);
    }
    // What it says of the owner, who is this process unless that is root's.
    static Catch::Matchers::StdString::ContainsMatcher says_whose() {
        return Catch::Contains(geteuid() == 0 ? "belongs to user root (0), and this process runs as user"
                                              : "but its mode forbids it; allow its owner to use it (chmod");
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "find_fault_in_folder: a file → it is not a folder, nothing there → no fault") {
    CHECK(find_fault_in_folder(store / "CURRENT", FolderUse::write) == "it is not a folder");
    CHECK(find_fault_in_folder(store / "none", FolderUse::write).empty());
    CHECK(find_fault_in_folder(store, FolderUse::write).empty());
    const std::string file = store / "CURRENT";
    CHECK_THROWS_WITH(store_folder_of(file), "the store in " + file + " can't be opened: it is not a folder");
}

TEST_CASE_METHOD(Fixture, "find_fault_in_folder: what this process may not use → whose it is, and what to do") {
    const bool is_root = geteuid() == 0;
    REQUIRE(chmod(store.c_str(), is_root ? S_IRWXU : 0) == 0);
    CHECK_THAT(fault(), Catch::StartsWith("permission denied: it belongs to user ") && says_whose());
    if (is_root)
        CHECK_THAT(fault(), Catch::EndsWith("(65534); give it to that user (chown -R)") ||
                                Catch::EndsWith("user 65534; give it to that user (chown -R)"));
    REQUIRE(chmod(store.c_str(), 0777) == 0);
    REQUIRE(chmod((store / "CURRENT").c_str(), is_root ? S_IRUSR | S_IWUSR : 0) == 0);
    CHECK_THAT(fault(), Catch::StartsWith("permission denied: its file CURRENT belongs to user ") && says_whose());
    REQUIRE(chmod((store / "CURRENT").c_str(), S_IRUSR | S_IRGRP | S_IROTH) == 0);
    CHECK(fault(FolderUse::read).empty());
    CHECK_THAT(fault(FolderUse::write), says_whose());
}

TEST_CASE_METHOD(Fixture, "find_fault_in_folder: a folder above that may not be entered") {
    REQUIRE(chmod(folder.path().c_str(), geteuid() == 0 ? S_IRWXU : 0) == 0);
    CHECK_THAT(fault(), Catch::EndsWith("who may not enter a folder above it"));
    REQUIRE(chmod(folder.path().c_str(), S_IRWXU) == 0);
}
