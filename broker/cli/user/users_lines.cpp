#include "broker/cli/user/users_lines.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <stdexcept>
#include <utility>

#include "config/users_file.hpp"

namespace sluice::cli {

using config::YamlMember;
using config::YamlNode;

namespace {

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// White space or a comment.
bool is_empty_yaml(std::string_view line) {
    const auto first = line.find_first_not_of(" \t\r");
    return first == std::string_view::npos || line[first] == '#';
}

bool is_document_mark(std::string_view line) { return line.starts_with("...") || line.starts_with("---"); }

bool is_same(const YamlNode& a, const YamlNode& b) {
    return a.kind == b.kind && a.text == b.text && a.quoted == b.quoted &&
           std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), is_same) &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                      [](const YamlMember& x, const YamlMember& y) {
                          return x.key.text == y.key.text && is_same(x.value, y.value);
                      });
}

// Without one user; without its users at all if no other is left, since an empty map and none are the same there.
YamlNode without(YamlNode root, std::string_view user) {
    for (YamlMember& member : root.members)
        if (member.key.text == "users")
            std::erase_if(member.value.members, [user](const YamlMember& each) { return each.key.text == user; });
    std::erase_if(root.members,
                  [](const YamlMember& member) { return member.key.text == "users" && member.value.members.empty(); });
    root.kind = root.members.empty() ? YamlNode::Kind::null : YamlNode::Kind::map;
    return root;
}

const YamlMember* find_in(const std::vector<YamlMember>& members, std::string_view name) {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [name](const YamlMember& member) { return member.key.text == name; });
    return found == members.end() ? nullptr : &*found;
}

// " # why", what follows a value on its line.
std::string comment_after(std::string_view line, const YamlNode& value) {
    if (value.kind != YamlNode::Kind::scalar || value.text.find(" #") != std::string::npos) return "";
    const auto comment = line.find(" #", value.column - 1);
    if (comment == std::string_view::npos) return "";
    return std::string(line.substr(line.find_last_not_of(' ', comment) + 1));
}

}  // namespace

std::string quoted_yaml(std::string_view text) { return boost::json::serialize(boost::json::string(text)); }

std::string yaml_key(const std::string& name) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    std::string lower = name;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool has_other_meaning = lower == "null" || lower == "true" || lower == "false" || lower == "yes" ||
                                   lower == "no" || lower == "on" || lower == "off";
    return !name.empty() && is_letter(name[0]) && !has_other_meaning ? name : quoted_yaml(name);
}

const YamlNode* find_member(const YamlNode& map, std::string_view name) {
    const YamlMember* member = find_in(map.members, name);
    return member == nullptr ? nullptr : &member->value;
}

UsersLines::UsersLines(std::string name, std::string_view text) : name_(std::move(name)) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines_.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    parse();
}

std::string UsersLines::text() const {
    std::string text;
    for (const std::string& line : lines_) text += line + '\n';
    return text;
}

void UsersLines::parse() {
    auto parsed = config::parse_yaml(name_, text(), config::UsersFile::bytes_max);
    if (const auto* error = std::get_if<config::ConfigError>(&parsed)) throw std::runtime_error(to_string(*error));
    root_ = std::move(std::get<YamlNode>(parsed));
    const auto refuse = [this](const YamlNode& node, const std::string& what) {
        throw std::runtime_error(config::to_string({name_, node.line, node.column, what}));
    };
    const auto is_map = [](const YamlNode& node) {
        return node.kind == YamlNode::Kind::map || node.kind == YamlNode::Kind::null;
    };
    if (!is_map(root_)) refuse(root_, "is not a users file, which has 'users:'");
    for (const YamlMember& member : root_.members)  // a broker's configuration, say
        if (member.key.text != "users" && member.key.text != "roles")
            refuse(member.key, "unknown option \"" + member.key.text + "\"; a users file has roles and users");
    for (const char* part : {"users", "roles"})
        if (const YamlNode* node = section(part); node != nullptr && !is_map(*node))
            refuse(*node, std::string(part) + " must be names with what each has");
    for (const YamlMember& each : users())
        if (!is_map(each.value)) refuse(each.value, "the user " + each.key.text + " must have members or nothing");
}

const YamlNode* UsersLines::section(std::string_view name) const { return find_member(root_, name); }

const YamlMember* UsersLines::users_member() const { return find_in(root_.members, "users"); }

std::vector<std::string> UsersLines::roles() const {
    std::vector<std::string> names;
    if (const YamlNode* roles = section("roles"))
        for (const YamlMember& role : roles->members) names.push_back(role.key.text);
    return names;
}

const std::vector<YamlMember>& UsersLines::users() const {
    static const std::vector<YamlMember> none;
    const YamlNode* users = section("users");
    return users == nullptr ? none : users->members;
}

const YamlMember* UsersLines::find(std::string_view user) const { return find_in(users(), user); }

const YamlMember& UsersLines::user(std::string_view user) const {
    const YamlMember* found = find(user);
    if (found == nullptr)
        throw std::runtime_error("there is no user " + std::string(user) + " in " + name_ +
                                 " (sluice user list prints those that there are)");
    return *found;
}

// A map in block style begins where its first key does, which can't be one of these.
bool UsersLines::is_flow(const YamlNode& node) const {
    if (node.line == 0 || node.line > lines_.size()) return false;
    const std::string& line = lines_[node.line - 1];
    const char first = node.column <= line.size() ? line[node.column - 1] : ' ';
    return (node.kind == YamlNode::Kind::map && first == '{') ||
           (node.kind == YamlNode::Kind::sequence && first == '[');
}

void UsersLines::refuse_flow(const YamlNode& node, const std::string& what) const {
    throw std::runtime_error(
        config::to_string({name_, node.line, node.column,
                           what + " is written in braces or brackets, which is not edited: give each "
                                  "member a line of its own, and try again"}));
}

// The lines of what begins at `begin`, which something else at `end` follows; `indent` is that of its first line.
// Comments at the end that stand as far left as it does belong to what follows.
UsersLines::Span UsersLines::trimmed(std::size_t begin, std::size_t end, std::size_t indent) const {
    while (end > begin + 1) {
        const std::string& last = lines_[end - 1];
        if (!is_document_mark(last) &&
            (!is_empty_yaml(last) || (last.find('#') != std::string::npos && indent_of(last) > indent)))
            break;
        --end;
    }
    return {begin, end};
}

UsersLines::Span UsersLines::span_of_user(std::string_view user) const {
    const YamlMember& found = this->user(user);
    std::size_t next = lines_.size() + 1;
    const auto limit_to = [&](const std::vector<YamlMember>& members) {
        for (const YamlMember& each : members)
            if (each.key.line > found.key.line) next = std::min(next, each.key.line);
    };
    limit_to(users());
    limit_to(root_.members);
    return trimmed(found.key.line - 1, next - 1, found.key.column - 1);
}

UsersLines::Span UsersLines::span_of_member(const YamlMember& user, const YamlMember& member) const {
    const Span whole = span_of_user(user.key.text);
    std::size_t end = whole.end;
    for (const YamlMember& each : user.value.members)
        if (each.key.line > member.key.line) end = std::min(end, each.key.line - 1);
    return trimmed(member.key.line - 1, end, member.key.column - 1);
}

const YamlMember& UsersLines::block_of(const std::string& user) const {
    const YamlMember& found = this->user(user);
    if (is_flow(users_member()->value)) refuse_flow(users_member()->value, "users");
    if (is_flow(found.value)) refuse_flow(found.value, "the user " + user);
    return found;
}

void UsersLines::replace(Span lines, const std::vector<std::string>& by) {
    const auto at = [this](std::size_t index) { return lines_.begin() + static_cast<std::ptrdiff_t>(index); };
    const auto place = lines_.erase(at(lines.begin), at(lines.end));
    lines_.insert(place, by.begin(), by.end());
}

void UsersLines::check_others(const YamlNode& before, std::string_view user) const {
    if (!is_same(without(before, user), without(root_, user)))
        throw std::runtime_error("the form of " + name_ + " is not one that sluice can edit; nothing was changed");
}

void UsersLines::add_user(const std::string& user, const std::vector<std::string>& members) {
    const YamlNode before = root_;
    const YamlMember* all = users_member();
    std::size_t indent = 2, place = lines_.size();
    if (all == nullptr) {
        if (is_flow(root_)) refuse_flow(root_, "the file");
        if (!lines_.empty() && is_document_mark(lines_.back())) --place;
        replace({place, place}, {"users:"});
        ++place;
    } else if (all->value.members.empty()) {
        if (is_flow(all->value)) {
            std::string& line = lines_[all->key.line - 1];
            const auto braces = line.find("{}", all->value.column - 1);
            if (all->value.line != all->key.line || braces == std::string::npos) refuse_flow(all->value, "users");
            line.erase(braces, 2);
        }
        place = all->key.line;
    } else {
        if (is_flow(all->value)) refuse_flow(all->value, "users");
        indent = all->value.members.front().key.column - 1;
        place = span_of_user(all->value.members.back().key.text).end;
    }
    std::vector<std::string> lines{std::string(indent, ' ') + yaml_key(user) + ":"};
    for (const std::string& member : members) lines.push_back(std::string(indent + 2, ' ') + member);
    replace({place, place}, lines);
    parse();
    check_others(before, user);
    static_cast<void>(this->user(user));
}

void UsersLines::remove_user(std::string_view user) {
    const YamlNode before = root_;
    static_cast<void>(this->user(user));
    const YamlMember* all = users_member();
    if (is_flow(all->value)) refuse_flow(all->value, "users");
    const bool is_last = all->value.members.size() == 1;
    const std::size_t line_of_users = all->key.line - 1, after_colon = all->key.column + all->key.text.size();
    replace(span_of_user(user), {});
    if (is_last) {
        std::string& line = lines_[line_of_users];
        line.insert(std::min(line.find(':', after_colon - 1) + 1, line.size()), " {}");
    }
    parse();
    check_others(before, user);
    if (find(user) != nullptr) throw std::runtime_error("can't remove the user " + std::string(user));
}

void UsersLines::set_member(const std::string& user, const std::string& member, const std::string& value) {
    const YamlNode before = root_;
    const YamlMember& found = block_of(user);
    const YamlMember* old = find_in(found.value.members, member);
    if (old != nullptr) {
        const std::string comment = comment_after(lines_[old->value.line - 1], old->value);
        replace(span_of_member(found, *old), {std::string(old->key.column - 1, ' ') + member + ": " + value + comment});
    } else {
        const bool is_empty = found.value.members.empty();
        const std::size_t indent = is_empty ? found.key.column + 1 : found.value.members.front().key.column - 1;
        const std::size_t place = found.key.line;
        replace({place, place}, {std::string(indent, ' ') + member + ": " + value});
    }
    parse();
    check_others(before, user);
    static_cast<void>(this->user(user));
}

void UsersLines::add_item(const std::string& user, const std::string& member, const std::string& item) {
    const YamlNode before = root_;
    const YamlMember& found = block_of(user);
    const YamlMember* list = find_in(found.value.members, member);
    if (list != nullptr && list->value.items.empty()) {
        replace(span_of_member(found, *list), {std::string(list->key.column - 1, ' ') + member + ":",
                                               std::string(list->key.column + 1, ' ') + "- " + item});
    } else if (list != nullptr) {
        if (is_flow(list->value)) refuse_flow(list->value, member + " of the user " + user);
        const std::size_t indent = indent_of(lines_[list->value.items.front().line - 1]);
        const std::size_t place = span_of_member(found, *list).end;
        replace({place, place}, {std::string(indent, ' ') + "- " + item});
    } else {
        const bool is_empty = found.value.members.empty();
        const std::size_t indent = is_empty ? found.key.column + 1 : found.value.members.front().key.column - 1;
        std::size_t place = found.key.line;
        if (!is_empty) place = span_of_member(found, found.value.members.front()).end;
        replace({place, place}, {std::string(indent, ' ') + member + ":", std::string(indent + 2, ' ') + "- " + item});
    }
    parse();
    check_others(before, user);
    static_cast<void>(this->user(user));
}

void UsersLines::remove_item(const std::string& user, const std::string& member, std::size_t index) {
    const YamlNode before = root_;
    const YamlMember& found = block_of(user);
    const YamlMember* list = find_in(found.value.members, member);
    if (list == nullptr || index >= list->value.items.size())
        throw std::runtime_error("the user " + user + " has no such item of " + member);
    if (is_flow(list->value)) refuse_flow(list->value, member + " of the user " + user);
    const Span whole = span_of_member(found, *list);
    const auto& items = list->value.items;
    if (items.size() == 1) {
        replace(whole, found.value.members.size() == 1
                           ? std::vector<std::string>{std::string(list->key.column - 1, ' ') + member + ": []"}
                           : std::vector<std::string>{});
    } else {
        const std::size_t begin = items[index].line - 1;
        const std::size_t end = index + 1 < items.size() ? items[index + 1].line - 1 : whole.end;
        replace(trimmed(begin, end, indent_of(lines_[begin])), {});
    }
    parse();
    check_others(before, user);
    static_cast<void>(this->user(user));
}

}  // namespace sluice::cli
