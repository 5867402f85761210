#include "protocol/feed/item/fields.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "protocol/feed/item/field_text.hpp"
#include "protocol/feed/item/links.hpp"
#include "protocol/text/date.hpp"

namespace sluice::feed {

namespace {

using Text = FieldText;
using Paths = FieldPaths;

// The paths of each field in a format, best first.
struct FormatPaths {
    Paths title, id, author, published, updated, summary, content, category;
};

// RSS 2.0 (https://www.rssboard.org/rss-specification), RSS 1.0 (https://web.resource.org/rss/1.0/spec), Dublin Core,
// iTunes, Media RSS (https://www.rssboard.org/media-rss) and Atom's elements inside RSS.
namespace rss {
constexpr FieldPath title[] = {"title",
                               "atom:title",
                               "media:title",
                               "media:group/media:title",
                               "dc:title",
                               "itunes:title",
                               "media:content/media:title",
                               "media:group/media:content/media:title"};
constexpr FieldPath id[] = {"guid", "id", "atom:id", "@rdf:about", "dc:identifier"};
constexpr FieldPath author[] = {"author", "atom:author", "dc:creator", "dc:author", "itunes:author"};
constexpr FieldPath published[] = {"pubDate",           "published",      "atom:published",  "atom:issued",
                                   "dc:date",           "dcterms:issued", "dcterms:created", "dcterms:dateSubmitted",
                                   "dcterms:available", "dcterms:date"};
constexpr FieldPath updated[] = {"updated", "atom:updated", "atom:modified", "dcterms:modified"};
constexpr FieldPath summary[] = {"description",
                                 "summary",
                                 "atom:summary",
                                 "dc:description",
                                 "itunes:summary",
                                 "itunes:subtitle",
                                 "media:description",
                                 "media:group/media:description",
                                 "media:content/media:description",
                                 "media:group/media:content/media:description"};
constexpr FieldPath content[] = {"content:encoded", "content", "atom:content", "xhtml:body", "xhtml:div"};
constexpr FieldPath category[] = {"category",
                                  "atom:category",
                                  "dc:subject",
                                  "media:category",
                                  "media:group/media:category",
                                  "media:content/media:category",
                                  "media:group/media:content/media:category"};
constexpr FormatPaths paths = {title, id, author, published, updated, summary, content, category};
}  // namespace rss

// Atom 1.0 (RFC 4287) and 0.3 (issued, created, modified).
namespace atom {
constexpr FieldPath title[] = {"title",       "media:group/media:title",   "dc:title",
                               "media:title", "media:content/media:title", "media:group/media:content/media:title"};
constexpr FieldPath id[] = {"id"};
constexpr FieldPath author[] = {"author", "dc:creator", "dc:author", "itunes:author"};
constexpr FieldPath published[] = {"published",
                                   "issued",
                                   "created",
                                   "dc:date",
                                   "dcterms:issued",
                                   "dcterms:created",
                                   "dcterms:dateSubmitted",
                                   "dcterms:available",
                                   "dcterms:date"};
constexpr FieldPath updated[] = {"updated", "modified", "dcterms:modified"};
constexpr FieldPath summary[] = {"summary", "media:group/media:description", "media:description",
                                 "media:content/media:description", "media:group/media:content/media:description"};
constexpr FieldPath content[] = {"content"};
constexpr FieldPath category[] = {"category",
                                  "dc:subject",
                                  "media:category",
                                  "media:group/media:category",
                                  "media:content/media:category",
                                  "media:group/media:content/media:category"};
constexpr FormatPaths paths = {title, id, author, published, updated, summary, content, category};
}  // namespace atom

// JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/) and 1.0 (author). The feed's authors are the default for its
// items.
namespace json_feed {
constexpr FieldPath title[] = {"title"};
constexpr FieldPath id[] = {"id"};
constexpr FieldPath author[] = {"authors", "author"};
constexpr FieldPath published[] = {"date_published"};
constexpr FieldPath updated[] = {"date_modified"};
constexpr FieldPath summary[] = {"summary"};
constexpr FieldPath content[] = {"content_html", "content_text"};
constexpr FieldPath category[] = {"tags"};
constexpr FormatPaths paths = {title, id, author, published, updated, summary, content, category};
}  // namespace json_feed

// CloudEvents 1.0. What an event is about is the closest to a title that it has.
namespace cloud_event {
constexpr FieldPath title[] = {"subject"};
constexpr FieldPath id[] = {"id"};
constexpr FieldPath author[] = {"source"};
constexpr FieldPath published[] = {"time"};
constexpr FieldPath category[] = {"type"};
constexpr FormatPaths paths = {title, id, author, published, {}, {}, {}, category};
}  // namespace cloud_event

// Other XML, JSON, CSV, FASTA and FASTQ: names that publishers commonly choose, and those of feeds' vocabularies.
namespace xml {
constexpr FieldPath title[] = {"title", "name", "atom:title", "rss:title", "dc:title", "@title", "@name"};
constexpr FieldPath id[] = {"id", "guid", "atom:id", "@id", "dc:identifier"};
constexpr FieldPath author[] = {"author", "atom:author", "dc:creator", "dc:author", "@author"};
constexpr FieldPath published[] = {"published",    "pubDate",    "date",           "atom:published",
                                   "atom:issued",  "dc:date",    "dcterms:issued", "dcterms:created",
                                   "dcterms:date", "@published", "@date"};
constexpr FieldPath updated[] = {"updated",       "modified",         "atom:updated",
                                 "atom:modified", "dcterms:modified", "@updated"};
constexpr FieldPath summary[] = {"summary", "description", "atom:summary", "rss:description", "dc:description"};
constexpr FieldPath content[] = {"content", "atom:content", "content:encoded", "body"};
constexpr FieldPath category[] = {"category", "atom:category", "dc:subject"};
constexpr FormatPaths paths = {title, id, author, published, updated, summary, content, category};
}  // namespace xml

const FormatPaths& paths_of(FeedFormat format) {
    switch (format) {
        case FeedFormat::rss:
        case FeedFormat::rdf:
            return rss::paths;
        case FeedFormat::atom:
            return atom::paths;
        case FeedFormat::json:
            return json_feed::paths;
        case FeedFormat::cloud_event:
            return cloud_event::paths;
        case FeedFormat::xml:
        case FeedFormat::data:
            break;
    }
    return xml::paths;
}

// How titles, summaries and contents are read.
struct TextReaders {
    ReadField text, content;
};

// Other formats than Atom have no encoded texts, but may have an attribute of that name. In what is not XML, elements
// are keys and not markup.
TextReaders readers_of(FeedFormat format) {
    switch (format) {
        case FeedFormat::atom:
            return {visible_atom_text_of, atom_content_of};
        case FeedFormat::rss:
        case FeedFormat::rdf:
        case FeedFormat::xml:
            return {visible_text_of, content_of};
        case FeedFormat::json:
        case FeedFormat::cloud_event:
        case FeedFormat::data:
            break;
    }
    return {text_of, text_of};
}

// The first readable date; NaN if all dates are unreadable.
std::optional<double> first_date(const FieldParent& item, const Paths& paths) {
    std::optional<double> first;
    visit_texts(item, paths, text_of, [&](std::string_view text) {
        const std::optional<double> date = text::parse_date(text);
        first = date.value_or(std::numeric_limits<double>::quiet_NaN());
        return date.has_value();
    });
    return first;
}

// The categories may have narrower ones inside.
void add_itunes_categories(const FieldParent& item, FieldTexts& categories) {
    static constexpr FieldPath path = "itunes:category";
    for (TreeNode category = item.find(path); category; category = item.next(category, path)) {
        if (const Text text = category_of(category, item.texts())) categories.push_back(*text);
        for (const TreeNode narrower : category.children(path.text))
            if (const Text text = category_of(narrower, item.texts())) categories.push_back(*text);
    }
}

// itunes:keywords and media:keywords are comma-separated lists.
constexpr std::size_t keywords_max = 10'000;
void add_keywords(const FieldParent& item, FieldTexts& categories) {
    static constexpr FieldPath paths[] = {"itunes:keywords", "media:keywords", "media:group/media:keywords",
                                          "media:content/media:keywords", "media:group/media:content/media:keywords"};
    std::size_t keywords = 0;
    visit_texts(item, paths, text_of, [&](std::string_view list) {
        while (!list.empty() && ++keywords <= keywords_max) {
            const std::size_t end = list.find(',');
            if (const Text word = non_empty(list.substr(0, end))) categories.push_back(*word);
            list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
        }
        return false;
    });
}

// Adds each person once, as long as there are fewer than `people_max`.
void add_people(const FieldParent& element, const Paths& paths, FieldTexts& names,
                std::size_t people_max = std::numeric_limits<std::size_t>::max()) {
    constexpr std::size_t few = 8;  // looking through so many is faster than a set
    std::optional<std::unordered_set<std::string_view>> known;
    const auto is_new = [&](std::string_view name) {
        if (names.size() < few) return std::find(names.begin(), names.end(), name) == names.end();
        if (!known) known.emplace(names.begin(), names.end());
        return known->insert(name).second;
    };
    visit_texts(element, paths, person_of, [&](std::string_view name) {
        if (is_new(name)) names.push_back(name);
        return names.size() == people_max;
    });
}

void add_authors(const Document& document, const FieldParent& item, FieldTexts& authors) {
    add_people(item, paths_of(document.format()).author, authors);
    static constexpr FieldPath source[] = {"source/author"};
    if (authors.empty() && document.format() == FeedFormat::atom) add_people(item, source, authors);
    const std::vector<std::string>& of_feed = document.feed_fields().authors;
    if (authors.empty()) authors.assign(of_feed.begin(), of_feed.end());
}

// Leaves out the first that makes them too long, and what follows it.
void shorten(std::vector<std::string>& names, std::size_t bytes_max) {
    std::size_t bytes = 0;
    const auto is_beyond = [&](const std::string& name) { return (bytes += name.size()) > bytes_max; };
    names.erase(std::find_if(names.begin(), names.end(), is_beyond), names.end());
}

}  // namespace

Fields read_fields(const Document& document, const Item& item) {
    const FormatPaths& paths = paths_of(document.format());
    Fields fields;
    const FieldChildren children(item.element);
    const FieldParent element(item.element, fields.texts_made, children);
    const TextReaders readers = readers_of(document.format());
    fields.title = first_text(element, paths.title, readers.text);
    if (const auto link = find_item_link(document.format(), element)) {
        std::optional<std::string> address = resolved_address(*link, document.feed_fields().base);
        fields.link = address ? fields.texts_made.keep(*address) : link->text;
    }
    fields.id = first_text(element, paths.id);
    add_authors(document, element, fields.authors);
    fields.summary = first_text(element, paths.summary, readers.text);
    fields.content = first_text(element, paths.content, readers.content);
    fields.published = first_date(element, paths.published);
    fields.updated = first_date(element, paths.updated);
    visit_texts(element, paths.category, category_of, [&](std::string_view category) {
        fields.category.push_back(category);
        return false;
    });
    add_itunes_categories(element, fields.category);
    add_keywords(element, fields.category);
    return fields;
}

Text read_id(const Document& document, const Item& item, TextBlocks& texts) {
    return first_text(FieldParent(item.element, texts), paths_of(document.format()).id);
}

Text read_link(const Document& document, const Item& item, TextBlocks& texts) {
    const auto link = find_item_link(document.format(), FieldParent(item.element, texts));
    return link ? Text(link->text) : Text();
}

FeedFields read_feed_fields(const Document& document) {
    TreeNode feed = document.feed();
    if (!feed && !document.items().empty()) {
        const TreeNode item = document.items()[0].element;
        feed = item.child("source") ? item.child("source") : item.child("atom:source");
    }
    static constexpr FieldPath title[] = {"title", "atom:title", "dc:title"};
    const FeedFormat format = document.format();
    FeedFields fields;
    TextBlocks texts;
    const FieldParent parent(feed, texts);
    if (const Text text = first_text(parent, title, readers_of(format).text)) fields.title = *text;
    if (const auto link = find_feed_link(format, parent)) fields.link = link->text;
    fields.base = feed_base(document, fields.link);
    // As RFC 4287 §4.2.1 and JSON Feed define. An RSS channel has editors, who need not be the authors.
    const bool has_authors = format == FeedFormat::json || format == FeedFormat::atom;
    if (has_authors) {
        FieldTexts authors;
        add_people(parent, paths_of(format).author, authors, feed_authors_max);
        fields.authors.assign(authors.begin(), authors.end());
    }
    shorten(fields.authors, feed_authors_bytes_max);
    return fields;
}

}  // namespace sluice::feed
