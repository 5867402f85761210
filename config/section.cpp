#include "config/section.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <optional>

#include "config/units.hpp"
#include "protocol/text/nearest.hpp"

namespace sluice::config {

namespace {

std::string quote(std::string_view text) {
    constexpr std::size_t shown_max = 60;
    return '"' + std::string(text.substr(0, shown_max)) + (text.size() > shown_max ? "…" : "") + '"';
}

std::string kind_of(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null:
            return "nothing";
        case YamlNode::Kind::sequence:
            return "a list";
        case YamlNode::Kind::map:
            return "a map";
        case YamlNode::Kind::scalar:
            break;
    }
    return node.quoted ? "the text " : "";
}

// "; did you mean 10GiB?" for 10G, 10GB, 10 gb; else "".
std::string meant_size(const std::string& text) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::string unit;
    for (const char c : text.substr(digits))
        if (c != ' ') unit += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    for (const char* prefix : {"K", "M", "G"}) {
        const std::string meant = text.substr(0, digits) + prefix + "iB";
        const bool is_meant = unit == prefix || unit == std::string(prefix) + "B" || unit == std::string(prefix) + "IB";
        if (is_meant && parse_size(meant)) return "; did you mean " + meant + "?";
    }
    return "";
}

}  // namespace

std::string Section::describe(const YamlNode& node) const {
    if (node.kind != YamlNode::Kind::scalar) return kind_of(node);
    return texts_ == Texts::shown ? kind_of(node) + quote(node.text) : "a text";
}

std::string Section::full_name(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

void Section::fault(const YamlNode& at, std::string message) {
    if (faults_.size() < faults_max) faults_.push_back({source_, at.line, at.column, std::move(message)});
}

bool Section::has(std::string_view name) const {
    return std::any_of(map_.members.begin(), map_.members.end(),
                       [&](const YamlMember& member) { return member.key.text == name; });
}

void Section::refuse(std::string_view name, const std::string& why) {
    for (const auto& [key, value] : map_.members)
        if (key.text == name) fault(key, full_name(name) + ": " + why);
}

const YamlNode* Section::find(std::string_view name) {
    known_.emplace_back(name);
    for (const auto& [key, value] : map_.members) {
        if (key.text == name) return &value;
    }
    if (completeness_ == Completeness::complete) fault(map_, full_name(name) + ": is not set");
    return nullptr;
}

const YamlNode* Section::scalar(std::string_view name, std::string_view expected) {
    const YamlNode* node = find(name);
    if (node == nullptr || node->kind == YamlNode::Kind::scalar) return node;
    fault(*node, full_name(name) + ": expected " + std::string(expected) + ", found " + describe(*node));
    return nullptr;
}

const std::string* Section::read_text(std::string_view name, const TextCheck& check) {
    const YamlNode* node = scalar(name, "a text");
    if (node == nullptr) return nullptr;
    const std::string wrong = check ? check(node->text) : std::string();
    if (wrong.empty()) return &node->text;
    fault(*node, full_name(name) + ": " + wrong);
    return nullptr;
}

void Section::text(std::string_view name, std::string& out, const TextCheck& check) {
    if (const std::string* text = read_text(name, check)) out = *text;
}

void Section::text_or_auto(std::string_view name, std::optional<std::string>& out, const TextCheck& check) {
    const std::string* text = read_text(name, check);
    if (text != nullptr) out = *text == "auto" ? std::nullopt : std::optional(*text);
}

// Accepts what inet_pton accepts. An IPv6 address may have a zone ("fe80::1%eth0"), which only the machine can check.
void Section::ip_address(std::string_view name, std::string& out) {
    const YamlNode* node = scalar(name, "an IP address");
    if (node == nullptr) return;
    const std::string address = node->text.substr(0, node->text.find('%'));
    unsigned char bytes[sizeof(in6_addr)];
    if (inet_pton(AF_INET6, address.c_str(), bytes) == 1 || inet_pton(AF_INET, node->text.c_str(), bytes) == 1) {
        out = node->text;
    } else {
        fault(*node, full_name(name) + ": expected an IP address, found " + describe(*node));
    }
}

void Section::boolean(std::string_view name, bool& out) {
    const YamlNode* node = scalar(name, "true or false");
    if (node == nullptr) return;
    if (!node->quoted && (node->text == "true" || node->text == "false")) {
        out = node->text == "true";
    } else {
        fault(*node, full_name(name) + ": expected true or false, found " + describe(*node));
    }
}

std::optional<Duration> Section::read_duration(std::string_view name, Duration min, Duration max) {
    constexpr std::string_view expected = "a duration with its unit, such as 200us, 5ms, 15s, 10min, 1h or 90d";
    const YamlNode* node = scalar(name, expected);
    if (node == nullptr) return std::nullopt;
    const auto value = parse_duration(node->text);
    if (value && *value >= min && *value <= max) return value;
    if (value)
        fault(*node, full_name(name) + ": " + node->text + " is not between " + duration_text(min) + " and " +
                         duration_text(max));
    else if (parse_integer(node->text))
        fault(*node, full_name(name) + ": " + node->text + " has no unit; write " + node->text + "s for seconds, or " +
                         node->text + "us, ms, min, h or d");
    else
        fault(*node, full_name(name) + ": expected " + std::string(expected) + ", found " + describe(*node));
    return std::nullopt;
}

void Section::size_or_auto(std::string_view name, std::optional<std::size_t>& out, std::size_t min, std::size_t max) {
    const YamlNode* node = find(name);
    if (node == nullptr) return;
    if (node->text == "auto") return out.reset();
    if (const auto size = read_size(name, min, max, "auto or ")) out = *size;
}

std::optional<std::size_t> Section::read_size(std::string_view name, std::size_t min, std::size_t max,
                                              std::string_view alternative) {
    const std::string expected = std::string(alternative) + "a size, such as 4096, 64KiB, 16MiB or 1GiB";
    const YamlNode* node = scalar(name, expected);
    if (node == nullptr) return std::nullopt;
    const auto value = parse_size(node->text);
    if (value && *value >= min && *value <= max) return value;
    if (!value)
        fault(*node,
              full_name(name) + ": expected " + expected + ", found " + describe(*node) + meant_size(node->text));
    else
        fault(*node, full_name(name) + ": " + node->text + " is not between " + size_text(min) + " and " +
                         size_text(max) +
                         (parse_integer(node->text) ? "; it has no unit (KiB, MiB or GiB), so it is in bytes" : ""));
    return std::nullopt;
}

void Section::integer_or_auto(std::string_view name, std::optional<std::size_t>& out, std::uint64_t min,
                              std::uint64_t max) {
    const YamlNode* node = find(name);
    if (node == nullptr) return;
    if (node->text == "auto") return out.reset();
    if (const auto number = read_integer(name, min, max, "auto or an integer")) out = static_cast<std::size_t>(*number);
}

std::optional<std::uint64_t> Section::read_integer(std::string_view name, std::uint64_t min, std::uint64_t max,
                                                   std::string_view expected) {
    const YamlNode* node = scalar(name, expected);
    if (node == nullptr) return std::nullopt;
    const std::string_view digits = std::string_view(node->text).substr(node->text.starts_with('-') ? 1 : 0);
    if (node->quoted || digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
        fault(*node, full_name(name) + ": expected " + std::string(expected) + ", found " + describe(*node));
        return std::nullopt;
    }
    const auto value = parse_integer(node->text);
    if (!value || *value < min || *value > max) {
        fault(*node, full_name(name) + ": " + node->text + " is not between " + std::to_string(min) + " and " +
                         std::to_string(max));
        return std::nullopt;
    }
    return value;
}

void Section::integers(std::string_view name, std::vector<int>& out, int min, int max) {
    const YamlNode* node = find(name);
    if (node == nullptr) return;
    const auto refuse = [&](const YamlNode& at) {
        fault(at, full_name(name) + ": expected a list of different integers between " + std::to_string(min) + " and " +
                      std::to_string(max) + ", such as [0, 1], found " + describe(at));
    };
    if (node->kind != YamlNode::Kind::sequence || node->items.empty()) return refuse(*node);
    std::vector<int> list;
    for (const YamlNode& item : node->items) {
        const auto value =
            item.kind == YamlNode::Kind::scalar && !item.quoted ? parse_integer(item.text) : std::nullopt;
        if (!value || *value > static_cast<std::uint64_t>(max) || *value < static_cast<std::uint64_t>(min))
            return refuse(item);
        const int number = static_cast<int>(*value);
        if (std::find(list.begin(), list.end(), number) != list.end()) return refuse(item);
        list.push_back(number);
    }
    out = std::move(list);
}

bool Section::texts(std::string_view name, std::vector<std::string>& out, std::string_view expected,
                    bool (*good)(const std::string&), std::size_t texts_max, std::size_t texts_min) {
    const YamlNode* node = find(name);
    if (node == nullptr) return false;
    const auto refuse = [&](const YamlNode& at) {
        fault(at, full_name(name) + ": expected a list of " + std::string(expected) + ", found " + describe(at));
        return false;
    };
    if (node->kind != YamlNode::Kind::sequence || node->items.size() > texts_max || node->items.size() < texts_min)
        return refuse(*node);
    std::vector<std::string> list;
    for (const YamlNode& item : node->items) {
        if (item.kind != YamlNode::Kind::scalar || !good(item.text)) return refuse(item);
        list.push_back(item.text);
    }
    out = std::move(list);
    return true;
}

std::optional<std::size_t> Section::read_choice(std::string_view name, const std::vector<std::string_view>& names) {
    std::string expected = "one of ";
    for (std::size_t i = 0; i < names.size(); ++i) expected += (i == 0 ? "" : ", ") + std::string(names[i]);
    if (names.size() == 1) expected = std::string(names[0]);
    const YamlNode* node = scalar(name, expected);
    if (node == nullptr) return std::nullopt;
    const auto at = std::find(names.begin(), names.end(), node->text);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    fault(*node, full_name(name) + ": expected " + expected + ", found " + describe(*node));
    return std::nullopt;
}

void Section::read_map(std::string_view name, const YamlNode& node, const std::function<void(Section&)>& read) {
    if (node.kind != YamlNode::Kind::map && node.kind != YamlNode::Kind::null) {
        fault(node, full_name(name) + ": expected a map of options, found " + describe(node));
        return;
    }
    Section child(source_, full_name(name), node, faults_, completeness_, texts_);
    read(child);
    child.finish();
}

void Section::section(std::string_view name, const std::function<void(Section&)>& read) {
    if (const YamlNode* node = find(name)) read_map(name, *node, read);
}

bool Section::items(std::string_view name, std::size_t items_max, const std::function<void(Section&)>& read) {
    const YamlNode* node = find(name);
    if (node == nullptr) return false;
    if (node->kind != YamlNode::Kind::sequence || node->items.size() > items_max) {
        fault(*node, full_name(name) + ": expected a list of at most " + std::to_string(items_max) + " maps, found " +
                         describe(*node));
        return false;
    }
    for (std::size_t i = 0; i < node->items.size(); ++i)
        read_map(std::string(name) + '[' + std::to_string(i) + ']', node->items[i], read);
    return true;
}

void Section::mixed(std::string_view name, std::size_t items_max, const TextCheck& take,
                    const std::function<void(Section&)>& read_item, std::string_view expected) {
    const YamlNode* node = find(name);
    if (node == nullptr) return;
    if (expected.empty()) expected = read_item ? "texts and maps" : "texts";
    if (node->kind != YamlNode::Kind::sequence || node->items.size() > items_max) {
        fault(*node, full_name(name) + ": expected a list of at most " + std::to_string(items_max) + " " +
                         std::string(expected) + ", found " + describe(*node));
        return;
    }
    for (std::size_t i = 0; i < node->items.size(); ++i) {
        const YamlNode& item = node->items[i];
        const std::string item_name = std::string(name) + '[' + std::to_string(i) + ']';
        if (item.kind == YamlNode::Kind::map && read_item) {
            read_map(item_name, item, read_item);
        } else if (item.kind != YamlNode::Kind::scalar) {
            fault(item, full_name(item_name) + ": expected a text" + (read_item ? " or a map" : "") + ", found " +
                            describe(item));
        } else if (const std::string wrong = take(item.text); !wrong.empty()) {
            fault(item, full_name(item_name) + ": " + wrong);
        }
    }
}

void Section::each(const std::function<void(const std::string& name, const YamlNode& key, Section&)>& read) {
    knows_all_ = true;
    for (const auto& [key, value] : map_.members) {
        read_map(key.text, value, [&, &member = key](Section& child) { read(member.text, member, child); });
    }
}

void Section::finish(const TextCheck& find_elsewhere) {
    if (knows_all_) return;
    for (const auto& [key, value] : map_.members) {
        if (faults_.size() >= faults_max) return;
        if (std::find(known_.begin(), known_.end(), key.text) != known_.end()) continue;
        std::string message = "unknown option " + quote(key.text) + (path_.empty() ? "" : " in " + quote(path_));
        std::string suggestion = find_elsewhere ? find_elsewhere(key.text) : "";
        if (suggestion.empty())
            suggestion = text::nearest(key.text, std::vector<std::string_view>(known_.begin(), known_.end()));
        if (!suggestion.empty()) message += "; did you mean " + quote(suggestion) + "?";
        fault(key, std::move(message));
    }
}

}  // namespace sluice::config
