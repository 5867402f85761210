// A users file on disk: read, and replaced as a whole, so that a broker that reads it meanwhile gets the old one or the
// new one. While it lives no other sluice edits the file. Throws std::runtime_error. Belongs to one thread.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "broker/cli/common/console.hpp"
#include "broker/cli/user/users_lines.hpp"
#include "config/config_error.hpp"

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
    // What a broker would refuse.
    std::vector<config::ConfigError> errors() const;
    // Saves it for its owner alone, whoever could read it before. Warns of contents that a broker would refuse.
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
