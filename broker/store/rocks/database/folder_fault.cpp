#include "broker/store/rocks/database/folder_fault.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice::store {

namespace {

// "root (0)", or without a name "65534".
std::string user_text(uid_t user) {
    std::array<char, 16'384> buffer{};
    passwd entry{}, *found = nullptr;
    const std::string number = std::to_string(user);
    if (getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return number;
    return std::string(entry.pw_name) + " (" + number + ")";
}

bool is_forbidden(const std::string& path, int mode) {
    return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) != 0 && errno == EACCES;
}

// `what`: "it", or a file in it.
std::string denied(const std::string& what, const struct stat& found) {
    const std::string owner = user_text(found.st_uid);
    if (found.st_uid == geteuid())
        return "permission denied: " + what + " belongs to user " + owner +
               ", as whom this process runs, but its mode forbids it; allow its owner to use it (chmod -R u+rwX)";
    return "permission denied: " + what + " belongs to user " + owner + ", and this process runs as user " +
           user_text(geteuid()) + "; give it to that user (chown -R)";
}

}  // namespace

std::string find_fault_in_folder(const std::string& path, FolderUse use) {
    struct stat folder {
    }, current{};
    if (stat(path.c_str(), &folder) != 0) {
        if (errno != EACCES) return "";
        return "permission denied: this process runs as user " + user_text(geteuid()) +
               ", who may not enter a folder above it";
    }
    if (!S_ISDIR(folder.st_mode)) return "it is not a folder";
    const int of_file = use == FolderUse::write ? R_OK | W_OK : R_OK;
    if (is_forbidden(path, of_file | X_OK)) return denied("it", folder);
    const std::string file = path + "/CURRENT";
    if (stat(file.c_str(), &current) == 0 && is_forbidden(file, of_file)) return denied("its file CURRENT", current);
    return "";
}

}  // namespace sluice::store
