// What distinguishes a file from what it was: different once the file has been written, replaced or removed. Any
// thread.
#pragma once

#include <ctime>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>
#include <tuple>

namespace sluice::base {

using FileState = std::tuple<dev_t, ino_t, off_t, std::time_t, long, std::time_t, long>;  // zeros: it can't be found

inline FileState file_state(const std::string& file) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0) return {};
    return {found.st_dev,          found.st_ino,         found.st_size,        found.st_mtim.tv_sec,
            found.st_mtim.tv_nsec, found.st_ctim.tv_sec, found.st_ctim.tv_nsec};
}

}  // namespace sluice::base
