#include <exception>
#include <ostream>
#include <stdexcept>
#include <string>

#include "broker/auth/token.hpp"
#include "broker/cli/user/new_password.hpp"
#include "broker/cli/user/new_rights.hpp"
#include "broker/cli/user/user_options.hpp"
#include "broker/cli/user/users_file.hpp"
#include "config/users_file.hpp"
#include "protocol/text/date.hpp"

namespace sluice::cli {

namespace {

using config::YamlMember;
using config::YamlNode;
using Missing = UsersFile::Missing;

// "2026-11-28T10:00:00Z"
std::string time_text(std::chrono::system_clock::time_point time) {
    return text::format_rfc3339(static_cast<double>(std::chrono::system_clock::to_time_t(time)));
}

void print_done(const UserOptions& options, const std::string& what, const Console& console) {
    if (options.json)
        console.print_json("{\"user\":" + quoted_yaml(options.name) + ",\"done\":" + quoted_yaml(what) + "}");
    else
        console.out << options.name << ": " << what << '\n';
}

void refuse_if(const std::string& fault) {
    if (!fault.empty()) throw std::runtime_error(fault);
}

void check_new(const UsersLines& lines, const AddUserOptions& options) {
    if (const YamlMember* known = lines.find(options.name))
        throw std::runtime_error(options.file + ":" + std::to_string(known->key.line) + ": there is already a user " +
                                 options.name + " (sluice user passwd " + options.name + " changes the password)");
    if (lines.users().size() >= config::UsersFile::users_max)
        throw std::runtime_error("there are already " + std::to_string(config::UsersFile::users_max) + " users in " +
                                 options.file);
    refuse_if(find_fault_in_rights(options, lines.roles()));
}

std::string token_item(const auth::NewToken& token, const TokenOptions& options) {
    const auto now = std::chrono::system_clock::now();
    std::string item =
        "{id: " + quoted_yaml(token.id) + ", digest: " + quoted_yaml(token.digest) + ", created: " + time_text(now);
    if (options.lifetime)
        item += ", expires: " +
                time_text(now + std::chrono::duration_cast<std::chrono::system_clock::duration>(*options.lifetime));
    if (!options.note.empty()) item += ", note: " + quoted_yaml(options.note);
    return item + "}";
}

void revoke(UsersLines& lines, const TokenOptions& options) {
    const YamlNode* tokens = find_member(lines.user(options.name).value, "tokens");
    for (std::size_t i = 0; tokens != nullptr && i < tokens->items.size(); ++i) {
        const YamlNode* id = find_member(tokens->items[i], "id");
        if (id == nullptr || id->text != options.revoked_id) continue;
        lines.remove_item(options.name, "tokens", i);
        return;
    }
    throw std::runtime_error("the user " + options.name + " has no token with the id " + options.revoked_id +
                             " (sluice user list --json prints the ids)");
}

}  // namespace

int reporting(const Console& console, const std::function<void()>& command) {
    try {
        command();
        return exit_done;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        console.error(error.what());
        return exit_failed;
    }
}

int add_user(const AddUserOptions& options, Console console) {
    return reporting(console, [&] {
        if (!config::is_user_name(options.name))
            throw std::runtime_error("a user's name has " + std::string(config::user_name_rule) + ", not '" +
                                     options.name + "'");
        check_new(UsersFile(options.file, Missing::is_empty).lines(), options);  // before a password is asked for
        std::vector<std::string> members;
        if (!options.no_password) members.push_back("password: " + quoted_yaml(new_password_hash(options)));
        for (std::string& member : members_of_rights(options)) members.push_back(std::move(member));
        if (members.empty()) members.emplace_back("roles: []");
        UsersFile file(options.file, Missing::is_empty);
        check_new(file.lines(), options);
        file.lines().add_user(options.name, members);
        file.save(console);
        print_done(options, "added", console);
    });
}

int set_password(const PasswordOptions& options, Console console) {
    return reporting(console, [&] {
        static_cast<void>(UsersFile(options.file, Missing::is_error).lines().user(options.name));
        const std::string hash = new_password_hash(options);
        UsersFile file(options.file, Missing::is_error);
        file.lines().set_member(options.name, "password", quoted_yaml(hash));
        file.save(console);
        print_done(options, "password changed", console);
    });
}

int remove_user(const UserOptions& options, Console console) {
    return reporting(console, [&] {
        UsersFile file(options.file, Missing::is_error);
        file.lines().remove_user(options.name);
        file.save(console);
        print_done(options, "removed", console);
    });
}

int change_tokens(const TokenOptions& options, Console console) {
    return reporting(console, [&] {
        if (options.note.size() > config::UsersFile::note_bytes_max)
            throw std::runtime_error("--note is longer than " + std::to_string(config::UsersFile::note_bytes_max) +
                                     " bytes");
        UsersFile file(options.file, Missing::is_error);
        if (!options.revoked_id.empty()) {
            revoke(file.lines(), options);
            file.save(console);
            print_done(options, "token " + options.revoked_id + " revoked", console);
            return;
        }
        const YamlNode* tokens = find_member(file.lines().user(options.name).value, "tokens");
        if (tokens != nullptr && tokens->items.size() >= config::UsersFile::tokens_max)
            throw std::runtime_error("the user " + options.name + " has " +
                                     std::to_string(config::UsersFile::tokens_max) +
                                     " tokens, which is the most; --revoke ID removes one");
        const auth::NewToken token = auth::make_token();
        file.lines().add_item(options.name, "tokens", token_item(token, options));
        file.save(console);
        if (options.json)
            console.print_json("{\"id\":" + quoted_yaml(token.id) + ",\"token\":" + quoted_yaml(token.text) + "}");
        else
            console.out << token.text << '\n';
        if (console.out_is_terminal)
            console.note("the token's id is " + token.id +
                         "; the token itself is not stored, and can't be printed again");
    });
}

}  // namespace sluice::cli
