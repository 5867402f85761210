#include "broker/store/offline/folder_owner.hpp"

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace sluice::store {

namespace {

namespace fs = std::filesystem;

constexpr uid_t root = 0;

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + ": " + std::generic_category().message(errno));
}

void give(const fs::path& path, const FolderOwner& owner) {
    struct stat found {};
    if (lstat(path.c_str(), &found) != 0) fail(path.string());
    const bool is_own_file = S_ISREG(found.st_mode) && found.st_nlink == 1;
    if (found.st_uid != root || !(is_own_file || S_ISDIR(found.st_mode))) return;
    if (lchown(path.c_str(), owner.user, owner.group) != 0)
        fail(path.string() + " can't be given to user " + std::to_string(owner.user));
}

}  // namespace

FolderOwner owner_of_folder(const std::string& path) {
    struct stat found {};
    for (fs::path at = fs::absolute(path);; at = at.parent_path()) {
        if (stat(at.c_str(), &found) == 0) return {found.st_uid, found.st_gid};
        if (errno != ENOENT || !at.has_relative_path()) fail(at.string());
    }
}

void give_folder(const std::string& path, const FolderOwner& owner) {
    if (geteuid() != root) return;
    for (const auto& file : fs::recursive_directory_iterator(path)) give(file.path(), owner);
    give(path, owner);
}

}  // namespace sluice::store
