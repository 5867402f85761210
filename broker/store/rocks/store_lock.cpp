#include "broker/store/rocks/store_lock.hpp"

#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

namespace sluice::store {

namespace {

int open_lock(const std::string& path) { return ::open((path + "/LOCK").c_str(), O_RDONLY | O_CLOEXEC); }

std::string named(pid_t process) {
    // A process in another container has no number here.
    return process > 0 ? "process " + std::to_string(process) : "another process";
}

std::optional<std::string> user_of(int file) {
    struct flock lock {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    if (fcntl(file, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
    return named(lock.l_pid);
}

}  // namespace

std::optional<std::string> user_of_store(const std::string& path) {
    const int file = open_lock(path);
    if (file < 0) return std::nullopt;
    auto user = user_of(file);
    ::close(file);
    return user;
}

StoreLock::StoreLock(const std::string& path) : file_(open_lock(path)) {
    struct flock lock {};
    lock.l_type = F_RDLCK;  // which a file that was opened for reading can have
    lock.l_whence = SEEK_SET;
    if (file_ < 0 || fcntl(file_, F_SETLK, &lock) == 0) return;
    const std::string user = user_of(file_).value_or("another process");
    ::close(file_);
    throw std::runtime_error(user + " has the store in " + path + " open");
}

StoreLock::~StoreLock() {
    if (file_ >= 0) close(file_);
}

}  // namespace sluice::store
