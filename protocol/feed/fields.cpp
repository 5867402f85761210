#include "protocol/feed/fields.hpp"

#include <limits>
#include <span>
#include <string_view>

#include "protocol/text/ascii.hpp"
#include "protocol/text/date.hpp"

namespace sluice {

namespace {

using Text = std::optional<std::string>;
using Paths = std::span<const char* const>;

// Where a format keeps each field, best first: paths of elements, or "@name" for an attribute of the item itself.
struct FieldPaths {
    Paths title, id, author, published, updated, summary, content, category;
};

// RSS 2.0 (https://www.rssboard.org/rss-specification), RSS 1.0 (https://web.resource.org/rss/1.0/spec), Dublin Core,
// iTunes, Media RSS (https://www.rssboard.org/media-rss) and Atom's elements inside RSS.
namespace rss {
constexpr const char* title[] = {"title", "media:title", "media:group/media:title", "dc:title", "itunes:title"};
constexpr const char* id[] = {"guid", "id", "@rdf:about", "dc:identifier"};
constexpr const char* author[] = {"author", "dc:creator", "itunes:author"};
constexpr const char* published[] = {"pubDate", "published", "dc:date"};
constexpr const char* updated[] = {"updated"};
constexpr const char* summary[] = {"description",
                                   "summary",
                                   "dc:description",
                                   "itunes:summary",
                                   "itunes:subtitle",
                                   "media:description",
                                   "media:group/media:description"};
constexpr const char* content[] = {"content:encoded", "content", "xhtml:body", "xhtml:div"};
constexpr const char* category[] = {"category", "dc:subject", "itunes:category", "media:category",
                                    "media:group/media:category"};
constexpr FieldPaths paths = {title, id, author, published, updated, summary, content, category};
}  // namespace rss

// Atom 1.0 (RFC 4287) and 0.3 (issued, created, modified).
namespace atom {
constexpr const char* title[] = {"title", "media:group/media:title", "dc:title"};
constexpr const char* id[] = {"id"};
constexpr const char* author[] = {"author", "dc:creator", "source/author"};
constexpr const char* published[] = {"published", "issued", "created", "dc:date"};
constexpr const char* updated[] = {"updated", "modified"};
constexpr const char* summary[] = {"summary", "media:group/media:description"};
constexpr const char* content[] = {"content"};
constexpr const char* category[] = {"category", "dc:subject", "media:group/media:category"};
constexpr FieldPaths paths = {title, id, author, published, updated, summary, content, category};
}  // namespace atom

// JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/) and 1.0 (author); authors of the feed are those of its items.
namespace json {
constexpr const char* title[] = {"title"};
constexpr const char* id[] = {"id"};
constexpr const char* author[] = {"authors", "author"};
constexpr const char* published[] = {"date_published"};
constexpr const char* updated[] = {"date_modified"};
constexpr const char* summary[] = {"summary"};
constexpr const char* content[] = {"content_html", "content_text"};
constexpr const char* category[] = {"tags"};
constexpr FieldPaths paths = {title, id, author, published, updated, summary, content, category};
}  // namespace json

// Other XML: the names that people choose.
namespace xml {
constexpr const char* title[] = {"title", "name", "dc:title", "@title", "@name"};
constexpr const char* id[] = {"id", "guid", "@id", "dc:identifier"};
constexpr const char* author[] = {"author", "dc:creator", "@author"};
constexpr const char* published[] = {"published", "pubDate", "date", "dc:date", "@published", "@date"};
constexpr const char* updated[] = {"updated", "modified", "@updated"};
constexpr const char* summary[] = {"summary", "description", "dc:description"};
constexpr const char* content[] = {"content", "content:encoded", "body"};
constexpr const char* category[] = {"category", "dc:subject"};
constexpr FieldPaths paths = {title, id, author, published, updated, summary, content, category};
}  // namespace xml

const FieldPaths& paths_of(FeedFormat format) {
    switch (format) {
        case FeedFormat::rss:
        case FeedFormat::rdf:
            return rss::paths;
        case FeedFormat::atom:
            return atom::paths;
        case FeedFormat::json:
            return json::paths;
        case FeedFormat::xml:
            break;
    }
    return xml::paths;
}

Text non_empty(std::string_view text) {
    text = trim(text);
    return text.empty() ? Text() : Text(text);
}

// XPath's string(): the texts in it, in order.
Text text_of(pugi::xml_node element) {
    const pugi::xml_node first = element.first_child();
    if (first && !first.next_sibling() && first.type() != pugi::node_element) return non_empty(first.value());
    std::string text;
    for (pugi::xml_node node = first; node;) {
        text += node.value();
        pugi::xml_node next = node.first_child();
        for (; !next && node != element; node = node.parent()) next = node.next_sibling();
        node = next;
    }
    return non_empty(text);
}

// A person: the text, or the <name> (else <email>) in it.
Text person_of(pugi::xml_node element) {
    for (const char* part : {"name", "email"}) {
        if (Text text = text_of(element.child(part))) return text;
    }
    return element.child("url") || element.child("uri") ? Text() : text_of(element);
}

// A category: the text (RSS), @term (Atom), @text (iTunes), @label.
Text category_of(pugi::xml_node element) {
    for (const char* name : {"term", "text"}) {
        if (Text text = non_empty(element.attribute(name).value())) return text;
    }
    if (Text text = text_of(element)) return text;
    return non_empty(element.attribute("label").value());
}

// Calls visit(text) for each text that `read` finds at the paths, until it returns true.
template <typename Visit>
void visit_texts(pugi::xml_node item, Paths paths, Text (*read)(pugi::xml_node), Visit visit) {
    for (const char* path : paths) {
        if (*path == '@') {
            if (Text text = non_empty(item.attribute(path + 1).value()); text && visit(std::move(*text))) return;
            continue;
        }
        pugi::xml_node element = item.first_element_by_path(path);
        for (; element; element = element.next_sibling(element.name())) {
            if (Text text = read(element); text && visit(std::move(*text))) return;
        }
    }
}

Text first_text(pugi::xml_node item, Paths paths, Text (*read)(pugi::xml_node) = text_of) {
    Text first;
    visit_texts(item, paths, read, [&](std::string text) { return first = std::move(text), true; });
    return first;
}

// The first date that can be read; NaN if there are only others.
std::optional<double> first_date(pugi::xml_node item, Paths paths) {
    std::optional<double> first;
    visit_texts(item, paths, text_of, [&](const std::string& text) {
        const std::optional<double> date = parse_date(text);
        first = date.value_or(std::numeric_limits<double>::quiet_NaN());
        return date.has_value();
    });
    return first;
}

bool is_alternate(pugi::xml_node link) {
    const std::string_view rel = link.attribute("rel").value();
    return rel.empty() || rel == "alternate" || rel == "http://www.iana.org/assignments/relation/alternate";
}

bool is_page(pugi::xml_node link) {
    const std::string_view type = link.attribute("type").value();
    return type.empty() || type.starts_with("text/html") || type.starts_with("application/xhtml");
}

// RSS: the text of <link>. Atom (RFC 4287 §4.2.7.2): the first alternate link, a page before other types.
Text link_of(pugi::xml_node element) {
    Text best;
    for (const pugi::xml_node link : element.children("link")) {
        if (Text text = text_of(link)) return text;
        Text target = non_empty(link.attribute("href").value());
        if (!target || !is_alternate(link)) continue;
        if (is_page(link)) return target;
        if (!best) best = std::move(target);
    }
    return best;
}

// RSS 2.0: a guid is the item's address unless it says otherwise.
Text permalink_of(pugi::xml_node item) {
    const pugi::xml_node guid = item.child("guid");
    if (std::string_view(guid.attribute("isPermaLink").value()) == "false") return {};
    Text text = text_of(guid);
    const bool is_address = text && (text->starts_with("http://") || text->starts_with("https://"));
    return is_address ? text : Text();
}

Text read_item_link(FeedFormat format, pugi::xml_node item) {
    if (format == FeedFormat::json) {
        static constexpr const char* paths[] = {"url", "external_url"};
        return first_text(item, paths);
    }
    if (Text link = link_of(item)) return link;
    if (format == FeedFormat::atom) return non_empty(item.child("content").attribute("src").value());
    if (format == FeedFormat::xml) {
        static constexpr const char* paths[] = {"url", "@href", "@link", "@url"};
        return first_text(item, paths);
    }
    return permalink_of(item);
}

// itunes:keywords and media:keywords are lists with commas.
void add_keywords(pugi::xml_node item, std::vector<std::string>& categories) {
    for (const char* name : {"itunes:keywords", "media:keywords"}) {
        std::string_view list = item.child(name).text().get();
        while (!list.empty()) {
            const std::size_t end = list.find(',');
            if (Text word = non_empty(list.substr(0, end))) categories.push_back(std::move(*word));
            list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
        }
    }
}

}  // namespace

Fields read_fields(const Document& document, const Item& item) {
    const FieldPaths& paths = paths_of(document.format());
    const pugi::xml_node element = item.element;
    Fields fields;
    fields.title = first_text(element, paths.title);
    fields.link = read_item_link(document.format(), element);
    fields.id = first_text(element, paths.id);
    fields.author = first_text(element, paths.author, person_of);
    if (!fields.author) fields.author = document.feed_fields().author;
    fields.summary = first_text(element, paths.summary);
    fields.content = first_text(element, paths.content);
    fields.published = first_date(element, paths.published);
    fields.updated = first_date(element, paths.updated);
    visit_texts(element, paths.category, category_of, [&](std::string text) {
        fields.category.push_back(std::move(text));
        return false;
    });
    add_keywords(element, fields.category);
    return fields;
}

Text read_id(const Document& document, const Item& item) {
    return first_text(item.element, paths_of(document.format()).id);
}

Text read_link(const Document& document, const Item& item) { return read_item_link(document.format(), item.element); }

FeedFields read_feed_fields(const Document& document) {
    pugi::xml_node feed = document.feed();
    if (!feed && !document.items().empty()) feed = document.items()[0].element.child("source");
    static constexpr const char* title[] = {"title"};
    static constexpr const char* home_page[] = {"home_page_url"};
    const bool is_json = document.format() == FeedFormat::json;
    FeedFields fields;
    fields.title = first_text(feed, title);
    fields.link = is_json ? first_text(feed, home_page) : link_of(feed);
    // RFC 4287 §4.2.1 and JSON Feed say so; an RSS channel has editors, who need not be the authors.
    const bool has_author = is_json || document.format() == FeedFormat::atom;
    if (has_author) fields.author = first_text(feed, paths_of(document.format()).author, person_of);
    return fields;
}

}  // namespace sluice
