// A users file on disk: read, and replaced as a whole, so that a broker that reads it meanwhile gets the old one or the
// new one. While it lives no other sluice edits the file. Throws std::runtime_error. Belongs to one thread.
#pragma once

#include <string>
#include <sys/types.h>

#include "broker/cli/common/console.hpp"
#include "broker/cli/user/users_lines.hpp"

namespace sluice::cli {

class UsersFile {
public:
    enum class Missing { is_error, is_empty };

    // A file that is missing may count as one with nothing but a comment that says what it is.
    UsersFile(const std::string& path, Missing missing);
    ~UsersFile();
    UsersFile(const UsersFile&) = delete;
    UsersFile& operator=(const UsersFile&) = delete;

    UsersLines& lines() { return lines_; }
    // For its owner alone, whoever could read it before. Warns of what a broker would refuse in it.
    void save(const Console& console) const;

private:
    static std::string target_of(const std::string& path);
    static std::string read(int file, const std::string& path);
    int open_locked(Missing missing) const;

    const std::string path_;
    const int file_;  // -1: it is missing
    UsersLines lines_;
};

}  // namespace sluice::cli
