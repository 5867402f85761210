// The commands of `sluice user`, one function each, which edit a users file without a broker. They write results and
// messages to the console, and return the exit status. Called once, from main.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/cli/common/console.hpp"
#include "broker/cli/common/output_options.hpp"

namespace sluice::cli {

// Runs what a command does, and writes what that throws as an error. Returns the exit status.
int reporting(const Console& console, const std::function<void()>& command);

struct UserOptions : OutputOptions {
    std::string file;  // the broker's auth.users
    std::string name;
};
int list_users(const UserOptions& options, Console console);
int remove_user(const UserOptions& options, Console console);

struct PasswordOptions : UserOptions {
    bool from_stdin = false;  // else from the terminal, twice
};
int set_password(const PasswordOptions& options, Console console);

struct AddUserOptions : PasswordOptions {
    bool no_password = false, certificate = false, operate = false;
    std::vector<std::string> roles, publish, subscribe, manage;
    std::string filter;  // of what `subscribe` names; empty: every event
};
int add_user(const AddUserOptions& options, Console console);

struct TokenOptions : UserOptions {
    std::optional<std::chrono::microseconds> lifetime;  // none: for ever
    std::string note;
    std::string revoked_id;  // empty: make one
};
int change_tokens(const TokenOptions& options, Console console);

}  // namespace sluice::cli
