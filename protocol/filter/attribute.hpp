// An attribute as filters name it and as extraction computes it: a transform of the nodes at a path relative to the
// event's element, or of a variable. Its canonical text is the name that the engine's dictionary holds, and is itself
// a valid filter expression.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// What the values are made from.
//   "title"  "enclosure/@length"  "../title"  "."  "@id"  "author/name/text()"  "*"  "@*"
// Zero or more parent steps, then child element steps ("*" is any), at most one last attribute or text step.
struct AttributePath {
    enum class Last : std::uint8_t { element, attribute, text };

    std::size_t parents = 0;            // leading ".." steps
    std::vector<std::string> children;  // names, or "*"
    Last last = Last::element;
    std::string attribute;  // with Last::attribute: its name, or "*"

    friend bool operator==(const AttributePath&, const AttributePath&) = default;
};

struct Attribute {
    // Each function is what its XPath namesake gives. `each`, `lower_case` and `date` give one value per node (none
    // for no node); the others give exactly one value: string(), normalize-space() … of the first node in document
    // order ("" for no node), count() and sum() of all.
    enum class Function : std::uint8_t {
        each,                  // title
        string,                // string(title)
        normalize_space,       // normalize-space(title)
        string_length,         // string-length(title)      a number
        count,                 // count(title)              a number
        sum,                   // sum(title)                a number
        lower_case,            // lower-case(title)
        string_of_lower_case,  // string(lower-case(title)): the first of lower-case's values, "" for none
        date,                  // date(title)               a number
        name,                  // name(path), path being "." or parents only; no such ancestor, or the document node: ""
        path,                  // the element names from the root, "/rss/channel/item"; written $path; no AttributePath
    };

    Function function = Function::each;
    std::string variable;  // "title" for $title; empty: the path is read instead
    AttributePath path;

    friend bool operator==(const Attribute&, const Attribute&) = default;
};

// The canonical text, and back. parse_attribute accepts exactly what to_string writes.
std::string to_string(const Attribute& attribute);
std::optional<Attribute> parse_attribute(std::string_view text);

// Variables: $title $link $id $author $published $updated $summary $content $category $stream $feed_title $feed_link.
bool is_variable(std::string_view name);

}  // namespace sluice
