// The users file (auth.users): who there is, how they prove it, and what they may do, as plain values. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_error.hpp"

namespace sluice::config {

// Streams of which events may be read: those that the filter accepts.
struct ReadEntry {
    std::vector<std::string> streams;  // patterns, at least one
    std::string filter;                // "": every event
};

// Patterns of streams; none: of no stream.
struct RightsEntry {
    std::vector<std::string> publish, manage;
    std::vector<ReadEntry> subscribe;
    bool operate = false;
};

struct TokenEntry {
    std::string id;
    std::string digest;  // "sha256:HEX"
    // Seconds since 1970. None: not known, and never.
    std::optional<std::int64_t> created, expires;
    std::string note;
};

struct UserEntry {
    std::string password;  // PHC string; "": none
    std::vector<TokenEntry> tokens;
    bool certificate = false;        // a client certificate with this name may be used
    std::vector<std::string> roles;  // of the file, or built in; their rights are added to these:
    RightsEntry rights;
};

struct UsersFile {
    static constexpr std::size_t bytes_max = 16u << 20;
    static constexpr std::size_t users_max = 10'000, roles_max = 1'000, tokens_max = 100;  // tokens: of a user
    static constexpr std::size_t note_bytes_max = 1'000;
    static constexpr std::string_view all_role = "all", none_role = "none";  // built in

    std::map<std::string, RightsEntry, std::less<>> roles;
    std::map<std::string, UserEntry, std::less<>> users;
};

// 1 to 64 letters, digits and - _ . @
bool is_user_name(std::string_view name);
inline constexpr std::string_view user_name_rule = "1 to 64 of the characters A-Z a-z 0-9 - _ . @ (not just . or ..)";

// What the file's texts mean is known to others.
struct UsersChecks {
    TextCheck password, filter, token_id, token_digest;
};

struct LoadedUsers {
    UsersFile file;
    std::vector<ConfigError> errors;     // none: it is valid
    bool is_readable_by_others = false;  // which its owner should know
};

// Errors quote no texts of the file, which may be secrets. `name` is used in them.
LoadedUsers parse_users_file(const std::string& name, std::string_view text, const UsersChecks& checks);
LoadedUsers load_users_file(const std::filesystem::path& path, const UsersChecks& checks);

}  // namespace sluice::config
