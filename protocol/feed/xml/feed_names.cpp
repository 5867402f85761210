#include "protocol/feed/xml/feed_names.hpp"

#include <algorithm>
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

std::string_view customary(std::string_view name, const Names& names) {
    const auto found = names.find(text::ascii_lower(name));
    return found == names.end() ? name : found->second;
}

void rename(Tree& tree, TreeNode element, std::string_view prefix) {
    static const Names elements = by_lower_case(element_names), attributes = by_lower_case(attribute_names);
    std::string_view name = element.name();
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    tree.rename(element, customary(name, elements));
    for (const TreeAttribute& attribute : element.attributes())
        tree.rename(attribute, customary(attribute.name(), attributes));
}

}  // namespace

bool has_other_letters(TreeNode root) {
    const auto is_other = [](TreeNode node) {
        const std::string_view name = local_part(node.name());
        for (const std::string_view customary : {"rss", "channel", "item", "feed", "entry"}) {
            if (is_same_name(name, customary)) return name != customary;
        }
        return false;
    };
    const auto has_other = [&](TreeNode parent) { return std::ranges::any_of(parent.children(), is_other); };
    return is_other(root) || has_other(root) || has_other(root.child("channel"));
}

void give_customary_names(Tree& tree, TreeNode feed, std::string_view prefix) {
    for (TreeNode node = feed; node; node = node.next_below(feed)) {
        if (node.is_element()) rename(tree, node, prefix);
    }
}

}  // namespace sluice::feed
