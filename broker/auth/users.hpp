// The users of a users file, with their rights compiled. Does not change: a file that is read again makes another,
// which takes over what has not changed. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "broker/auth/secrets.hpp"
#include "broker/auth/user.hpp"
#include "config/users_file.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::auth {

// What is wrong with a row filter, or "".
std::string find_fault_in_row_filter(const std::string& text, const filter::FilterLimits& limits);
// For config::parse_users_file(): of this file and of others alike.
config::UsersChecks users_checks(const filter::FilterLimits& limits);

// A user as the file has it.
struct Account {
    UserPtr user;
    std::string password;  // its hash; "": none
    bool certificate = false;
};

struct Token {
    Sha256 digest;
    std::optional<std::int64_t> expires;  // seconds since 1970
    const Account* account;               // never null; of the same Users
};

class Users {
public:
    // No users, and the roles that are built in.
    Users() = default;
    // The file must have been checked with users_checks(). `before`: what was read before, if anything.
    Users(const config::UsersFile& file, const filter::FilterLimits& limits, const Users* before = nullptr);
    Users(const Users&) = delete;
    Users& operator=(const Users&) = delete;

    std::size_t size() const { return accounts_.size(); }

    // Null: there is none.
    const Account* find(std::string_view name) const;
    const Token* find_token(std::string_view id) const;
    // Who has a role and no name: everybody() and nobody() for those that are built in. Null: there is no such role.
    UserPtr role(std::string_view name) const;

    // Those of `before` that are gone or have changed: users, and roles. Other rights, another password, a token
    // that is gone or ends sooner: each is a change. What is only added to the credentials is none.
    std::vector<UserPtr> changed_since(const Users& before) const;

private:
    struct Entry {
        Account account;
        std::vector<config::TokenEntry> tokens;  // by id
    };

    static bool is_same_user(const Entry& now, const Rights& rights, const Entry& before);

    std::map<std::string, Entry, std::less<>> accounts_;
    std::map<std::string, UserPtr, std::less<>> roles_;
    std::unordered_map<std::string, Token> tokens_;
};

}  // namespace sluice::auth
