// A users file as lines of text, in which one user at a time is changed. All other lines stay as they are, with their
// comments and their order. Knows where users and their members are from the YAML's positions, and checks after each
// change that nothing else means something else now. Throws std::runtime_error that says what can't be done, and where.
// Belongs to one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml.hpp"

namespace sluice::cli {

class UsersLines {
public:
    // `name` is the file's, for messages.
    UsersLines(std::string name, std::string_view text);

    std::string text() const;
    std::vector<std::string> roles() const;
    const std::vector<config::YamlMember>& users() const;
    const config::YamlMember* find(std::string_view user) const;  // null: there is none
    const config::YamlMember& user(std::string_view user) const;  // one that must be there

    // `members` are YAML, a line each, without their indentation: "operate: true".
    void add_user(const std::string& user, const std::vector<std::string>& members);
    void remove_user(std::string_view user);
    // Replaces the member or puts it first. `value` is YAML, on one line.
    void set_member(const std::string& user, const std::string& member, const std::string& value);
    // Adds an item, which is YAML on one line, to the member, which is or becomes a list.
    void add_item(const std::string& user, const std::string& member, const std::string& item);
    // The member goes with its last item.
    void remove_item(const std::string& user, const std::string& member, std::size_t index);

private:
    struct Span {
        std::size_t begin, end;  // indices of lines
    };

    void parse();
    const config::YamlNode* section(std::string_view name) const;
    const config::YamlMember* users_member() const;
    const config::YamlMember& block_of(const std::string& user) const;
    bool is_flow(const config::YamlNode& node) const;
    [[noreturn]] void refuse_flow(const config::YamlNode& node, const std::string& what) const;
    Span trimmed(std::size_t begin, std::size_t end, std::size_t indent) const;
    Span span_of_user(std::string_view user) const;
    Span span_of_member(const config::YamlMember& user, const config::YamlMember& member) const;
    void replace(Span lines, const std::vector<std::string>& by);
    void check_others(const config::YamlNode& before, std::string_view user) const;

    std::string name_;
    std::vector<std::string> lines_;  // without their ends
    config::YamlNode root_;
};

// A text as YAML, which may be any UTF-8: in double quotes.
std::string quoted_yaml(std::string_view text);
// A user's name as a key.
std::string yaml_key(const std::string& name);
const config::YamlNode* find_member(const config::YamlNode& map, std::string_view name);

}  // namespace sluice::cli
