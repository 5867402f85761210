// Gets a new password from who runs the program. Called from main's thread.
#pragma once

#include <string>

#include "broker/cli/user/user_options.hpp"

namespace sluice::cli {

// The hash of a password: standard input's only line, or what is typed on the terminal twice. Throws
// std::runtime_error that says what is wrong, and never what was read.
std::string new_password_hash(const PasswordOptions& options);

}  // namespace sluice::cli
