#include "protocol/filter/syntax/feed_names.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace sluice::filter {

namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view items[] = {"item", "entry"};
constexpr std::string_view feeds[] = {"rss", "rdf:RDF", "channel", "feed"};
// RSS 0.91 to 2.0, RSS 1.0, Atom 0.3 and 1.0, JSON Feed 1.0 and 1.1.
constexpr std::string_view fields[] = {
    "author",       "authors",   "category",    "comments",     "content",       "content_html",
    "content_text", "created",   "contributor", "date",         "date_modified", "date_published",
    "description",  "enclosure", "email",       "external_url", "guid",          "id",
    "image",        "issued",    "language",    "link",         "modified",      "name",
    "pubDate",      "published", "rights",      "source",       "summary",       "tags",
    "title",        "updated",   "uri",         "url",
};
constexpr std::string_view dates[] = {"pubDate", "updated", "date_published", "date_modified"};

struct Meaning {
    std::string_view written, meant;
};

constexpr Meaning variables_meant[] = {
    {"authors", "author"}, {"body", "content"},      {"categories", "category"}, {"created", "published"},
    {"creator", "author"}, {"date", "published"},    {"description", "summary"}, {"feed", "feed_title"},
    {"guid", "id"},        {"headline", "title"},    {"keywords", "category"},   {"modified", "updated"},
    {"name", "title"},     {"pubDate", "published"}, {"subject", "category"},    {"tag", "category"},
    {"tags", "category"},  {"text", "content"},      {"topic", "stream"},        {"url", "link"},
};
constexpr Meaning functions_meant[] = {
    {"empty", "not"},         {"exists", "boolean"},       {"has", "contains"},    {"includes", "contains"},
    {"len", "string-length"}, {"length", "string-length"}, {"like", "contains"},   {"lower", "lower-case"},
    {"regex", "matches"},     {"regexp", "matches"},       {"search", "contains"}, {"trim", "normalize-space"},
    {"upper", "lower-case"},
};

bool has(Names names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

std::string_view find(std::span<const Meaning> meanings, std::string_view name) {
    const auto found =
        std::find_if(meanings.begin(), meanings.end(), [&](const Meaning& m) { return m.written == name; });
    return found == meanings.end() ? std::string_view() : found->meant;
}

}  // namespace

bool is_item_name(std::string_view element) { return has(items, element); }
bool is_feed_name(std::string_view element) { return has(feeds, element); }
bool is_date_name(std::string_view element) { return has(dates, element); }

// A name with a prefix is one that somebody looked up.
bool is_field_name(std::string_view element) {
    return element.find(':') != std::string_view::npos || has(fields, element);
}

std::string_view variable_meant(std::string_view name) { return find(variables_meant, name); }
std::string_view function_meant(std::string_view name) { return find(functions_meant, name); }

}  // namespace sluice::filter
