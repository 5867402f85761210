#include "protocol/feed/item/event_data.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "protocol/bytes/find.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t escape_bytes = 6;  // of "\u" and four digits

// The code unit of the escape at text[at]; 0 if something else is there.
unsigned unit_at(std::string_view text, std::size_t at) {
    if (text.substr(at, 2) != "\\u" || text.size() < at + escape_bytes) return 0;
    unsigned unit = 0;
    for (std::size_t i = 2; i < escape_bytes; ++i) {
        const int digit = text::hex_digit(text[at + i]);
        if (digit < 0) return 0;
        unit = unit << 4 | static_cast<unsigned>(digit);
    }
    return unit;
}

// Writes the escape at text[at], at least its backslash. Returns the offset behind it.
std::size_t write_escape_of(JsonWriter& json, std::string_view text, std::size_t at) {
    const auto is_leading_unit = [](unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; };
    const auto is_trailing_unit = [](unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; };
    const unsigned unit = unit_at(text, at);
    std::size_t length = 2;
    if (is_leading_unit(unit) && is_trailing_unit(unit_at(text, at + escape_bytes))) {
        length = 2 * escape_bytes;
    } else if (is_leading_unit(unit) || is_trailing_unit(unit)) {
        json.more("\\ufffd");
        return at + escape_bytes;
    }
    json.more(text.substr(at, length));
    return std::min(at + length, text.size());
}

// Writes the string whose opening quote is at text[at]. Returns the offset behind its closing quote.
std::size_t write_string_of(JsonWriter& json, std::string_view text, std::size_t at) {
    json.more("\"");
    for (++at; at < text.size();) {
        const std::size_t end = bytes::find_in<bytes::JsonQuote>(text, at);
        json.more(text.substr(at, end - at));
        if (end == text.size()) return end;
        if (text[end] == '"') {
            json.more("\"");
            return end + 1;
        }
        at = write_escape_of(json, text, end);
    }
    return at;
}

void write_row(JsonWriter& json, std::span<const Column> columns, TreeNode item) {
    std::vector<std::string_view> fields;
    fields.reserve(columns.size());
    for (const TreeNode field : item.children()) fields.push_back(field.child_value());
    fields.resize(columns.size());
    json.open('{');
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].first != i) continue;
        json.name(columns[i].name);
        if (columns[i].next == 0) {
            json.string(fields[i]);
            continue;
        }
        json.open('[');
        for (std::size_t each = i;; each = columns[each].next) {
            json.string(fields[each]);
            if (columns[each].next == 0) break;
        }
        json.close(']');
    }
    json.close('}');
}

void write_sequence(JsonWriter& json, TreeNode item) {
    json.open('{');
    for (const TreeAttribute& attribute : item.attributes()) {
        json.name(attribute.name());
        json.string(attribute.value());
    }
    for (const TreeNode part : item.children()) {
        json.name(part.name());
        json.string(part.child_value());
    }
    json.close('}');
}

}  // namespace

void write_event_data(JsonWriter& json, const Event& event) {
    switch (event.document->syntax()) {
        case Syntax::xml:
            return;
        case Syntax::csv:
            return write_row(json, event.document->columns(), event.item().element);
        case Syntax::fasta:
        case Syntax::fastq:
            return write_sequence(json, event.item().element);
        case Syntax::json:
        case Syntax::json_lines:
        case Syntax::cloud_event:
        case Syntax::cloud_events:
            return write_compact_json(json, event.item().source);
    }
}

void write_compact_json(JsonWriter& json, std::string_view text) {
    json.literal({});
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = bytes::find_in<bytes::JsonSpace>(text, at);
        json.more(text.substr(at, end - at));
        if (end == text.size()) return;
        at = text[end] == '"' ? write_string_of(json, text, end) : end + 1;
    }
}

}  // namespace sluice::feed
