#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <sys/stat.h>
#include <utility>

#include "config/config_file.hpp"
#include "config/section.hpp"
#include "config/users_file.hpp"
#include "config/yaml.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/date.hpp"
#include "protocol/text/stream_name.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::config {

namespace {

constexpr std::size_t patterns_max = 1'000, grants_max = 1'000, roles_of_user_max = 100;
constexpr std::size_t role_bytes_max = 64;

bool is_built_in_role(std::string_view name) { return name == UsersFile::all_role || name == UsersFile::none_role; }

bool is_role_name(const std::string& name) {
    return name.size() <= role_bytes_max && text::is_stream_name(name) && !is_built_in_role(name);
}

// Of RFC 3339, or its day.
std::optional<std::int64_t> time_of(const std::string& text) {
    constexpr std::size_t day_bytes = 10;
    if (text.size() < day_bytes || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto seconds = text::parse_date(text);
    if (!seconds || !std::isfinite(*seconds)) return std::nullopt;
    return static_cast<std::int64_t>(std::floor(*seconds));
}

class UsersReader {
public:
    UsersReader(const UsersChecks& checks, UsersFile& file) : checks_(checks), file_(file) {}

    void read(Section& root) {
        root.section("roles", [&](Section& s) { read_roles(s); });
        root.section("users", [&](Section& s) { read_users(s); });
    }

private:
    void read_roles(Section& roles) {
        roles.each([&](const std::string& name, const YamlNode& key, Section& s) {
            if (is_built_in_role(name))
                roles.fault(key, "roles: all and none are built in, and can't be changed");
            else if (!is_role_name(name))
                roles.fault(key, "roles: a name has 1 to 64 of the characters A-Z a-z 0-9 . _ - (not just ., .. or -)");
            read_rights(s, file_.roles[name]);
        });
        if (file_.roles.size() > UsersFile::roles_max)
            roles.fault("roles: more than " + std::to_string(UsersFile::roles_max));
    }

    void read_users(Section& users) {
        users.each([&](const std::string& name, const YamlNode& key, Section& s) {
            if (!is_user_name(name)) users.fault(key, "users: a name has " + std::string(user_name_rule));
            read_user(s, file_.users[name]);
        });
        if (file_.users.size() > UsersFile::users_max)
            users.fault("users: more than " + std::to_string(UsersFile::users_max));
    }

    void read_user(Section& s, UserEntry& user) {
        s.text("password", user.password, checks_.password);
        s.items("tokens", UsersFile::tokens_max,
                [&](Section& token) { read_token(token, user.tokens.emplace_back()); });
        s.boolean("certificate", user.certificate);
        s.mixed("roles", roles_of_user_max, [&](const std::string& role) -> std::string {
            if (!is_built_in_role(role) && file_.roles.find(role) == file_.roles.end())
                return "there is no such role under roles: in this file";
            user.roles.push_back(role);
            return {};
        });
        read_rights(s, user.rights);
    }

    void read_token(Section& s, TokenEntry& token) {
        s.text("id", token.id, checks_.token_id);
        s.text("digest", token.digest, checks_.token_digest);
        read_time(s, "created", token.created);
        read_time(s, "expires", token.expires);
        s.text("note", token.note, [](const std::string& note) {
            return note.size() > UsersFile::note_bytes_max
                       ? "longer than " + std::to_string(UsersFile::note_bytes_max) + " bytes"
                       : "";
        });
        if (!s.has("id") || !s.has("digest")) return s.fault("a token needs an id and a digest");
        if (!token.id.empty() && !token_ids_.insert(token.id).second)
            s.fault("the id is that of another token, too: revoke one of them and make it again");
    }

    static void read_time(Section& s, std::string_view name, std::optional<std::int64_t>& time) {
        std::string text;
        s.text(name, text, [](const std::string& given) {
            return time_of(given) ? "" : "expected a time such as 2026-11-28T10:00:00Z";
        });
        if (!text.empty()) time = time_of(text);
    }

    void read_rights(Section& s, RightsEntry& rights) {
        read_patterns(s, "publish", rights.publish);
        read_patterns(s, "manage", rights.manage);
        s.boolean("operate", rights.operate);
        s.mixed(
            "subscribe", grants_max,
            [&](const std::string& pattern) {
                rights.subscribe.push_back({{pattern}, {}});
                return check_pattern(pattern);
            },
            [&](Section& grant) {
                ReadEntry& entry = rights.subscribe.emplace_back();
                read_patterns(grant, "streams", entry.streams);
                grant.text("filter", entry.filter, [&](const std::string& filter) {
                    return filter.empty() ? "a filter is not empty; leave it out for every event"
                                          : checks_.filter(filter);
                });
                if (entry.streams.empty()) grant.fault(grant.name() + ": names no streams: streams: [\"news.*\"]");
            });
    }

    static std::string check_pattern(const std::string& pattern) {
        return text::StreamSelection::is_pattern(pattern) ? "" : "expected " + std::string(text::StreamSelection::rule);
    }

    static void read_patterns(Section& s, std::string_view name, std::vector<std::string>& patterns) {
        s.mixed(name, patterns_max, [&](const std::string& pattern) {
            patterns.push_back(pattern);
            return check_pattern(pattern);
        });
    }

    const UsersChecks& checks_;
    UsersFile& file_;
    std::set<std::string> token_ids_;
};

}  // namespace

bool is_user_name(std::string_view name) {
    constexpr std::size_t name_bytes_max = 64;
    if (name.empty() || name.size() > name_bytes_max || name == "." || name == "..") return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return text::is_ascii_letter(c) || text::is_ascii_digit(c) ||
               std::string_view("-_.@").find(c) != std::string_view::npos;
    });
}

LoadedUsers parse_users_file(const std::string& name, std::string_view text, const UsersChecks& checks) {
    LoadedUsers loaded;
    const auto parsed = parse_yaml(name, text, UsersFile::bytes_max);
    if (const auto* error = std::get_if<ConfigError>(&parsed)) {
        loaded.errors.push_back(*error);
        return loaded;
    }
    const YamlNode& root = std::get<YamlNode>(parsed);
    if (root.kind == YamlNode::Kind::null) return loaded;
    if (root.kind != YamlNode::Kind::map) {
        loaded.errors.push_back({name, root.line, root.column, "expected a map with roles and users"});
        return loaded;
    }
    Section section(name, "", root, loaded.errors, Section::Completeness::partial, Section::Texts::hidden);
    UsersReader(checks, loaded.file).read(section);
    section.finish();
    return loaded;
}

LoadedUsers load_users_file(const std::filesystem::path& path, const UsersChecks& checks) {
    const FileText read = read_config_file(path, pipe_patience, UsersFile::bytes_max);
    if (!read.error.empty()) {
        LoadedUsers failed;
        failed.errors.push_back({path.string(), 0, 0, read.error});
        return failed;
    }
    LoadedUsers loaded = parse_users_file(path.string(), read.text, checks);
    struct stat found {};
    loaded.is_readable_by_others =
        ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & 077) != 0;
    return loaded;
}

}  // namespace sluice::config
