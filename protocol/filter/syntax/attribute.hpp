// An attribute, as filters name it and as extraction computes it: a function of the nodes at a path relative to the
// event's element, or of a variable. Its canonical text is its name in the engine's dictionary, and is itself a valid
// filter expression.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::filter {

// The path that the values are read from.
//   "title"  "enclosure/@length"  "../title"  "."  "@id"  "author/name/text()"  "*"  "@*"
// Zero or more parent steps, then child element steps ("*" is any), then at most one attribute or text step.
struct AttributePath {
    enum class Last : std::uint8_t { element, attribute, text };

    std::size_t parents = 0;            // leading ".." steps
    std::vector<std::string> children;  // names, or "*"
    Last last = Last::element;
    std::string attribute;  // with Last::attribute: its name, or "*"

    friend bool operator==(const AttributePath&, const AttributePath&) = default;
};

struct Attribute {
    // Each function computes what its XPath namesake does. `each`, `lower_case` and `date` give one value per node
    // (none for no node). The others give exactly one value: string(), normalize-space() … that of the first node in
    // document order ("" for no node); count() and sum() that of all nodes.
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
        name,                  // name(.) or name() of parents; "" for the document node or a missing ancestor
        path,                  // the element names from the root, "/rss/channel/item"; written $path; no AttributePath
    };

    Function function = Function::each;
    std::string variable;  // "title" for $title; empty: the path is read instead
    AttributePath path;

    friend bool operator==(const Attribute&, const Attribute&) = default;
};

// Writes the canonical text, and reads it back. parse_attribute accepts exactly what to_string writes.
std::string to_string(const Attribute& attribute);
std::optional<Attribute> parse_attribute(std::string_view text);

// Variables: $title $link $id $author $published $updated $summary $content $category $stream $feed_title $feed_link.
bool is_variable(std::string_view name);

}  // namespace sluice::filter
