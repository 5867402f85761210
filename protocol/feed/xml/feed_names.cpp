#include "protocol/feed/xml/feed_names.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

#include "protocol/feed/xml/feed_root.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr std::string_view element_names[] = {
    // RSS
    "rss", "channel", "item", "title", "link", "description", "language", "copyright", "managingEditor", "webMaster",
    "pubDate", "lastBuildDate", "category", "generator", "docs", "cloud", "ttl", "image", "rating", "textInput",
    "skipHours", "skipDays", "url", "width", "height", "author", "comments", "enclosure", "guid", "source",
    // Atom
    "feed", "entry", "id", "updated", "published", "summary", "content", "rights", "subtitle", "icon", "logo",
    "contributor", "name", "uri", "email", "modified", "issued", "created", "tagline"};
constexpr std::string_view attribute_names[] = {"url",  "length",  "type",   "href",        "rel",    "hreflang",
                                                "term", "version", "domain", "isPermaLink", "scheme", "label"};

using Names = std::unordered_map<std::string, std::string_view>;

template <std::size_t N>
Names by_lower_case(const std::string_view (&names)[N]) {
    Names map;
    for (const std::string_view name : names) map.emplace(text::ascii_lower(name), name);
    return map;
}

// Overwrites a name with a shorter or equally long one. The tree's text is a buffer of our own.
void overwrite(const char* name, std::string_view with) {
    char* const place = const_cast<char*>(name);
    std::memmove(place, with.data(), with.size());
    place[with.size()] = '\0';
}

void correct_case(const char* name, const Names& names) {
    const auto found = names.find(text::ascii_lower(std::string_view(name)));
    if (found != names.end() && found->second != name) overwrite(name, found->second);
}

void rename(pugi::xml_node element, std::string_view prefix) {
    static const Names elements = by_lower_case(element_names), attributes = by_lower_case(attribute_names);
    const std::string_view name = element.name();
    if (!prefix.empty() && name.starts_with(prefix)) overwrite(element.name(), name.substr(prefix.size()));
    correct_case(element.name(), elements);
    for (const pugi::xml_attribute attribute : element.attributes()) correct_case(attribute.name(), attributes);
}

}  // namespace

bool has_other_letters(pugi::xml_node root) {
    const auto is_other = [](pugi::xml_node node) {
        const std::string_view name = local_part(node.name());
        for (const std::string_view customary : {"rss", "channel", "item", "feed", "entry"}) {
            if (is_same_name(name, customary)) return name != customary;
        }
        return false;
    };
    const auto has_other = [&](pugi::xml_node parent) { return std::any_of(parent.begin(), parent.end(), is_other); };
    return is_other(root) || has_other(root) || has_other(root.child("channel"));
}

void give_customary_names(pugi::xml_node feed, std::string_view prefix) {
    const std::string kept(prefix);  // it may be a view of the first name
    pugi::xml_node node = feed;
    while (node) {
        if (node.type() == pugi::node_element) rename(node, kept);
        if (const pugi::xml_node child = node.first_child()) {
            node = child;
            continue;
        }
        while (node && node != feed && !node.next_sibling()) node = node.parent();
        node = node == feed ? pugi::xml_node() : node.next_sibling();
    }
}

}  // namespace sluice::feed
