#include "protocol/feed/item/links.hpp"

#include <cstdint>
#include <string_view>

#include "protocol/feed/item/field_text.hpp"
#include "protocol/feed/xml/xml_inheritance.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/uri_reference.hpp"

namespace sluice::feed {

namespace {

bool is_alternate(TreeNode link) {
    const std::string_view rel = link.attribute("rel").value();
    return rel.empty() || rel == "alternate" || rel == "http://www.iana.org/assignments/relation/alternate";
}

bool is_page(TreeNode link) {
    const std::string_view type = link.attribute("type").value();
    return type.empty() || type.starts_with("text/html") || type.starts_with("application/xhtml");
}

std::optional<Link> link_with(FieldText text, TreeNode at) {
    if (!text) return std::nullopt;
    return Link{*text, at};
}

// Atom (RFC 4287 §4.2.7.2): an alternate link's address; HTML pages take precedence over other types. RSS: the text.
enum class LinkStyle : std::uint8_t { address_first, text_first };

// The first link; of alternate links, the best one.
std::optional<Link> link_element(const FieldParent& parent, const FieldPath& name, LinkStyle style) {
    std::optional<Link> best;
    for (TreeNode link = parent.find(name); link; link = parent.next(link, name)) {
        const FieldText target = non_empty(link.attribute("href").value());
        if (!target || style == LinkStyle::text_first) {
            if (const FieldText text = text_of(link, parent.texts())) return Link{*text, link};
        }
        if (!target || !is_alternate(link)) continue;
        if (is_page(link)) return Link{*target, link};
        if (!best) best = Link{*target, link};
    }
    return best;
}

// The format's own link before those of other vocabularies.
std::optional<Link> link_element(FeedFormat format, const FieldParent& parent) {
    static constexpr FieldPath own = "link", of_atom = "atom:link", of_rss = "rss:link";
    const auto own_style = format == FeedFormat::atom ? LinkStyle::address_first : LinkStyle::text_first;
    if (std::optional<Link> link = link_element(parent, own, own_style)) return link;
    if (std::optional<Link> link = link_element(parent, of_atom, LinkStyle::address_first)) return link;
    return link_element(parent, of_rss, LinkStyle::text_first);
}

// RSS 2.0: a guid is the item's address unless isPermaLink is "false".
std::optional<Link> permalink(const FieldParent& item) {
    static constexpr FieldPath path = "guid";
    const TreeNode guid = item.find(path);
    if (!guid) return std::nullopt;
    if (text::ascii_lower(text::trim(guid.attribute("isPermaLink").value())) == "false") return std::nullopt;
    const FieldText text = text_of(guid, item.texts());
    const bool is_address = text && (text->starts_with("http://") || text->starts_with("https://"));
    return is_address ? link_with(text, guid) : std::nullopt;
}

std::optional<Link> link_at(const FieldParent& parent, const FieldPaths& paths) {
    return link_with(first_text(parent, paths), parent.element());
}

// Or the beginning of a longer text, which is too long as well. It may have megabytes, and be asked for by every item.
std::string_view short_text(std::string_view text) {
    const std::string_view begin = text.substr(0, base_bytes_max + 1);
    return begin.size() > base_bytes_max ? begin : text::trim(begin);
}

// The address of the feed itself, as it is written, and the element that has it.
struct SelfLink {
    std::string_view address;
    TreeNode at;
};
SelfLink self_link(FeedFormat format, TreeNode feed) {
    if (format == FeedFormat::json) return {feed.child_value("feed_url"), feed};
    for (const char* name : {"link", "atom:link"}) {
        for (const TreeNode link : feed.children(name)) {
            if (text::ascii_lower(text::trim(link.attribute("rel").value())) == "self")
                return {link.attribute("href").value(), link};
        }
    }
    return {};
}

}  // namespace

std::optional<Link> find_item_link(FeedFormat format, const FieldParent& item) {
    if (format == FeedFormat::json) {
        static constexpr FieldPath paths[] = {"url", "external_url"};
        return link_at(item, paths);
    }
    if (std::optional<Link> link = link_element(format, item)) return link;
    if (format == FeedFormat::atom) {
        const TreeNode content = item.element().child("content");
        return link_with(non_empty(content.attribute("src").value()), content);
    }
    if (format == FeedFormat::xml || format == FeedFormat::data) {
        static constexpr FieldPath paths[] = {"url", "@href", "@link", "@url"};
        return link_at(item, paths);
    }
    return permalink(item);
}

std::optional<Link> find_feed_link(FeedFormat format, const FieldParent& feed) {
    static constexpr FieldPath home_page[] = {"home_page_url"};
    return format == FeedFormat::json ? link_at(feed, home_page) : link_element(format, feed);
}

std::optional<Link> find_self_link(FeedFormat format, TreeNode feed) {
    const SelfLink self = self_link(format, feed);
    return link_with(non_empty(self.address), self.at);
}

std::string feed_base(const Document& document, const std::optional<std::string>& link) {
    std::string base = link.value_or("");
    if (!text::is_absolute_uri(base)) {
        const std::string_view self = short_text(self_link(document.format(), document.feed()).address);
        if (text::is_absolute_uri(self) && self.size() <= base_bytes_max)
            base = base.empty() ? std::string(self) : text::resolve_reference(self, base);
    }
    return base.size() <= base_bytes_max ? base : std::string();
}

std::optional<std::string> resolved_address(const Link& link, const std::string& feed_base) {
    if (text::is_absolute_uri(link.text)) return std::nullopt;
    const auto base = xml_base_at(link.at, feed_base);
    return base ? std::optional(text::resolve_reference(*base, link.text)) : std::nullopt;
}

}  // namespace sluice::feed
