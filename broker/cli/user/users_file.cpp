#include "broker/cli/user/users_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "broker/auth/users.hpp"
#include "config/users_file.hpp"

namespace sluice::cli {

namespace {

constexpr const char* head =
    "# The users of a Sluice broker, whose option auth.users names this file. `sluice user` edits it, and it may be\n"
    "# edited by hand. The broker reads it again when it has changed; its log says what is wrong with it.\n"
    "# Keep it from others: its owner alone may read it (chmod 600).\n"
    "# Passwords and tokens are stored as hashes, from which nobody can tell them.\n";

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + ": " + std::generic_category().message(errno));
}

// A file under a name of its own until it takes the place of another.
class Replacement {
public:
    explicit Replacement(const std::string& target)
        : target_(target), name_(target + ".XXXXXX"), file_(mkostemp(name_.data(), O_CLOEXEC)) {
        if (file_ < 0) fail("can't write a file beside " + target);
    }
    ~Replacement() {
        close(file_);
        if (!is_done_) unlink(name_.c_str());
    }
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;

    void give_to(uid_t owner, gid_t group) const {
        if (owner == geteuid() && group == getegid()) return;
        if (fchown(file_, owner, group) != 0)
            fail("can't keep the owner of " + target_ + ", so that nothing is changed; run this as its owner or root");
    }

    void write(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t written = ::write(file_, text.data(), text.size());
            if (written < 0 && errno != EINTR) fail("can't write " + name_);
            if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
        }
        if (fsync(file_) != 0) fail("can't write " + name_);
    }

    void take_place() {
        if (std::rename(name_.c_str(), target_.c_str()) != 0) fail("can't replace " + target_);
        is_done_ = true;
        const auto folder = std::filesystem::absolute(target_).parent_path();
        const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (opened < 0) return;  // it may be written into, not read
        static_cast<void>(fsync(opened));
        close(opened);
    }

private:
    const std::string target_;
    std::string name_;
    const int file_;
    bool is_done_ = false;
};

}  // namespace

UsersFile::UsersFile(const std::string& path, Missing missing)
    : path_(target_of(path)), file_(open_locked(missing)), lines_(path, file_ < 0 ? head : read(file_, path)) {}

UsersFile::~UsersFile() {
    if (file_ >= 0) close(file_);
}

// Where a symbolic link leads: it is kept, and the file replaced.
std::string UsersFile::target_of(const std::string& path) {
    std::error_code error;
    const auto target = std::filesystem::canonical(path, error);
    return error ? path : target.string();
}

int UsersFile::open_locked(Missing missing) const {
    for (;;) {
        const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0 && errno == ENOENT && missing == Missing::is_empty) return file;
        if (file < 0) fail("can't read " + path_);
        struct stat opened {
        }, named{};
        const bool is_locked = flock(file, LOCK_EX) == 0 && fstat(file, &opened) == 0;
        const bool is_same = is_locked && stat(path_.c_str(), &named) == 0 && opened.st_ino == named.st_ino;
        if (is_same && S_ISREG(opened.st_mode)) return file;
        close(file);
        if (!is_locked) fail("can't lock " + path_);
        if (is_same) throw std::runtime_error(path_ + " is not a file");
        // Another sluice has replaced it while this one waited.
    }
}

std::string UsersFile::read(int file, const std::string& path) {
    std::string text;
    char piece[65536];
    for (ssize_t size = 0; (size = ::read(file, piece, sizeof piece)) != 0;) {
        if (size < 0) fail("can't read " + path);
        text.append(piece, static_cast<std::size_t>(size));
        if (text.size() > config::UsersFile::bytes_max)
            throw std::runtime_error(path + " is larger than " + std::to_string(config::UsersFile::bytes_max) +
                                     " bytes");
    }
    return text;
}

std::vector<config::ConfigError> UsersFile::errors() const {
    return config::parse_users_file(path_, lines_.text(), auth::users_checks({})).errors;
}

void UsersFile::save(const Console& console) const {
    constexpr mode_t of_others = S_IRWXG | S_IRWXO;
    Replacement replacement(path_);
    struct stat before {};
    const bool is_known = file_ >= 0 && fstat(file_, &before) == 0;
    if (is_known) replacement.give_to(before.st_uid, before.st_gid);
    replacement.write(lines_.text());
    replacement.take_place();
    if (is_known && (before.st_mode & of_others) != 0)
        console.warning("others could read " + path_ + "; now its owner alone can (the broker must run as that user)");
    // Only a warning: several edits in turn may mend the file, and the broker may have other limits.
    if (const auto found = errors(); !found.empty())
        console.warning("the change is written, but the broker will not accept the file: " + to_string(found[0]));
}

}  // namespace sluice::cli
