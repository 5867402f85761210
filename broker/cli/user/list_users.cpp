#include <boost/json.hpp>
#include <ostream>

#include "broker/cli/common/columns.hpp"
#include "broker/cli/user/user_options.hpp"
#include "broker/cli/user/users_file.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

namespace json = boost::json;
using config::YamlMember;
using config::YamlNode;

json::value json_of(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null:
            return nullptr;
        case YamlNode::Kind::scalar:
            if (!node.quoted && (node.text == "true" || node.text == "false")) return node.text == "true";
            return json::value(node.text);
        case YamlNode::Kind::sequence: {
            json::array items;
            for (const YamlNode& item : node.items) items.push_back(json_of(item));
            return items;
        }
        case YamlNode::Kind::map:
            break;
    }
    json::object members;
    for (const YamlMember& member : node.members)
        if (member.key.text != "digest") members[member.key.text] = json_of(member.value);
    return members;
}

bool is_true(const YamlNode& user, const char* name) {
    const YamlNode* node = find_member(user, name);
    return node != nullptr && node->text == "true";
}

bool has_password(const YamlNode& user) { return find_member(user, "password") != nullptr; }

json::object json_of_user(const YamlMember& user) {
    json::object object{{"name", user.key.text}, {"password", has_password(user.value)}};
    for (const char* list : {"tokens", "roles", "publish", "subscribe", "manage"}) {
        const YamlNode* node = find_member(user.value, list);
        object[list] =
            node == nullptr || node->kind == YamlNode::Kind::null ? json::value(json::array()) : json_of(*node);
    }
    for (const char* flag : {"certificate", "operate"}) object[flag] = is_true(user.value, flag);
    return object;
}

std::string yes_if(bool condition) { return condition ? "yes" : "-"; }

// "prices, news.* (filtered)"
std::string cell_of(const YamlNode& user, const char* name) {
    const YamlNode* list = find_member(user, name);
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    for (const YamlNode& item : list == nullptr ? std::vector<YamlNode>() : list->items) {
        if (item.kind == YamlNode::Kind::scalar) add(item.text);
        const YamlNode* streams = find_member(item, "streams");
        const char* suffix = find_member(item, "filter") == nullptr ? "" : " (filtered)";
        for (const YamlNode& stream : streams == nullptr ? std::vector<YamlNode>() : streams->items)
            add(stream.text + suffix);
    }
    return text.empty() ? "-" : text::terminal_line(text);
}

std::vector<std::string> row_of(const YamlMember& user) {
    const YamlNode* tokens = find_member(user.value, "tokens");
    return {text::terminal_line(user.key.text),
            yes_if(has_password(user.value)),
            std::to_string(tokens == nullptr ? 0 : tokens->items.size()),
            yes_if(is_true(user.value, "certificate")),
            cell_of(user.value, "roles"),
            cell_of(user.value, "publish"),
            cell_of(user.value, "subscribe"),
            cell_of(user.value, "manage"),
            yes_if(is_true(user.value, "operate"))};
}

void print_users(const std::vector<YamlMember>& users, const Console& console) {
    std::vector<std::vector<std::string>> rows{
        {"USER", "PASSWORD", "TOKENS", "CERTIFICATE", "ROLES", "PUBLISH", "SUBSCRIBE", "MANAGE", "OPERATE"}};
    for (const YamlMember& user : users) rows.push_back(row_of(user));
    const auto lines = in_columns(rows, {Side::left, Side::left, Side::right});
    for (std::size_t i = 0; i < lines.size(); ++i)
        console.out << (i == 0 ? console.coloured(lines[i], Colour::bold) : lines[i]) << '\n';
}

}  // namespace

int list_users(const UserOptions& options, Console console) {
    bool is_valid = true;
    const int status = reporting(console, [&] {
        UsersFile file(options.file, UsersFile::Missing::is_error);
        if (options.json)
            for (const YamlMember& user : file.lines().users()) console.print_json(json::serialize(json_of_user(user)));
        else
            print_users(file.lines().users(), console);
        for (const config::ConfigError& error : file.errors()) {
            is_valid = false;
            console.error(to_string(error));
        }
    });
    return is_valid ? status : exit_failed;
}

}  // namespace sluice::cli
