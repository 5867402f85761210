// A start tag read with whatever faults it has. Views point into the document's text. Pure function; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/feed/xml/xml_cursor.hpp"
#include "protocol/feed/xml/xml_names.hpp"

namespace sluice::feed {

struct LooseAttribute {
    enum class Value : std::uint8_t { none, bare, quoted, open };  // open: a quote that no other one ends

    QName name;  // empty: what stands here is no name
    std::size_t begin = 0, name_end = 0;
    std::size_t value_begin = 0, value_end = 0;  // without quotes
    Value value = Value::none;

    std::size_t end() const { return value_end + (value == Value::quoted ? 1 : 0); }
};

struct LooseTag {
    std::size_t begin = 0, name_end = 0, end = 0;
    QName name;
    std::vector<LooseAttribute> attributes;
    bool is_empty = false;  // ends in "/>"
    bool has_end = false;   // ends in '>'
};

inline constexpr std::size_t loose_attributes_max = 10'000;

enum class LooseMarkup : std::uint8_t {
    tag,
    text,  // a '<' that begins no tag, or more than loose_attributes_max attributes
    cut,   // the document ends inside the tag
};

// At '<'. Moves behind the tag; else stays. Takes time proportional to the bytes up to the next '<', and to the
// distance of quotes that belong together.
LooseMarkup read_loose_tag(XmlCursor& cursor, LooseTag& tag);

}  // namespace sluice::feed
