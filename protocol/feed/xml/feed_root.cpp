#include "protocol/feed/xml/feed_root.hpp"

#include <algorithm>
#include <iterator>

#include "protocol/feed/html/html_elements.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr std::string_view text_names[] = {
    "title",    "link",    "guid",      "pubDate",       "language",      "category",  "comments",
    "id",       "updated", "published", "lastBuildDate", "copyright",     "generator", "docs",
    "ttl",      "url",     "width",     "height",        "name",          "uri",       "email",
    "modified", "issued",  "created",   "webMaster",     "managingEditor"};
constexpr std::string_view detail_names[] = {
    "description", "image",   "cloud",  "rating",   "textInput", "skipHours", "skipDays", "author",     "enclosure",
    "summary",     "content", "rights", "subtitle", "tagline",   "icon",      "logo",     "contributor"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](std::string_view other) { return is_same_name(name, other); });
}

std::string why_no_feed(std::string_view root) {
    const bool may_be_data = is_same_name(root, "table");
    if (is_root_of_html(root) && !may_be_data) return "the document is an HTML page, not a feed";
    if (is_same_name(root, "opml")) return "the document is a list of feeds (OPML), not a feed";
    for (const std::string_view error : {"error", "errors", "errorresponse"}) {
        if (is_same_name(root, error)) return "the document is an error message, not a feed";
    }
    return {};
}

}  // namespace

std::size_t prefix_size(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? 0 : colon + 1;
}

bool is_same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return text::ascii_lower(x) == text::ascii_lower(y); });
}

std::string_view feed_root_kind(std::string_view local_name) {
    for (const std::string_view kind : {"rss", "rdf", "feed"}) {
        if (is_same_name(local_name, kind)) return kind;
    }
    return {};
}

bool is_feed_text(std::string_view local_name) { return is_one_of(local_name, text_names); }

bool is_feed_detail(std::string_view local_name) {
    return is_feed_text(local_name) || is_one_of(local_name, detail_names);
}

bool is_feed_item(std::string_view local_name, std::string_view parent_local_name) {
    if (is_same_name(local_name, "entry")) return is_same_name(parent_local_name, "feed");
    return is_same_name(local_name, "item") &&
           (is_same_name(parent_local_name, "channel") || is_same_name(parent_local_name, "rss") ||
            is_same_name(parent_local_name, "rdf"));
}

std::string why_no_feed(const Document& document, std::string_view event_path) {
    if (document.format() != FeedFormat::xml || !event_path.empty()) return {};
    return why_no_feed(local_part(document.tree().root().name()));
}

}  // namespace sluice::feed
