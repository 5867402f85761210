#include "protocol/feed/repair/xml_loose_tag.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

// True if all of `text`, which the cursor is at, is a name.
bool read_whole_name(XmlCursor& cursor, std::string_view text, QName& name) {
    const std::size_t begin = cursor.at();
    std::string_view part = cursor.nc_name();
    if (!part.empty() && cursor.take(':')) {
        name.prefix = part;
        part = cursor.nc_name();
    }
    name.local = part;
    name.full = text;
    const bool is_whole = !part.empty() && cursor.at() == begin + text.size();
    if (!is_whole) name = {};
    cursor.move_to(begin + text.size());
    return is_whole;
}

// At the character behind '=' and white space.
void read_value(XmlCursor& cursor, LooseAttribute& attribute) {
    using Value = LooseAttribute::Value;
    const std::string_view text = cursor.text();
    const char quote = cursor.peek();
    attribute.value_begin = attribute.value_end = cursor.at();
    if (!cursor.at_end() && (quote == '"' || quote == '\'')) {
        ++attribute.value_begin;
        const std::size_t close = text.find(quote, attribute.value_begin);
        const bool is_closed = close != std::string_view::npos;
        // Otherwise the next attribute's quote has been found.
        const bool is_own =
            is_closed && (close + 1 == text.size() || text::is_ascii_space(text[close + 1]) ||
                          std::string_view("/>?").find(text[close + 1]) != std::string_view::npos ||
                          text.substr(attribute.value_begin, close - attribute.value_begin).find_first_of("<>=") ==
                              std::string_view::npos);
        attribute.value = is_own ? Value::quoted : Value::open;
        if (is_own) {
            attribute.value_end = close;
            return cursor.move_to(close + 1);
        }
    } else {
        attribute.value = Value::bare;
    }
    const std::size_t end = std::min(text.find_first_of(" \t\r\n<>", attribute.value_begin), text.size());
    const bool is_tag_end =
        end > attribute.value_begin && text[end - 1] == '/' && end < text.size() && text[end] == '>';
    attribute.value_end = is_tag_end ? end - 1 : end;
    cursor.move_to(attribute.value_end);
}

void read_attribute(XmlCursor& cursor, LooseTag& tag) {
    LooseAttribute attribute;
    const std::string_view text = cursor.text();
    attribute.begin = cursor.at();
    attribute.name_end = std::min(text.find_first_of(" \t\r\n=/<>\"'", cursor.at()), text.size());
    read_whole_name(cursor, text.substr(attribute.begin, attribute.name_end - attribute.begin), attribute.name);
    attribute.value_begin = attribute.value_end = attribute.name_end;
    cursor.skip_space();
    if (cursor.take('=')) {
        cursor.skip_space();
        read_value(cursor, attribute);
    } else {
        cursor.move_to(attribute.name_end);
    }
    tag.attributes.push_back(attribute);
}

LooseMarkup ended(XmlCursor& cursor, LooseTag& tag) {
    tag.end = cursor.at();
    return LooseMarkup::tag;
}

LooseMarkup read_rest(XmlCursor& cursor, LooseTag& tag) {
    while (true) {
        cursor.skip_space();
        if (cursor.at_end()) return LooseMarkup::cut;
        tag.is_empty = cursor.take("/>");
        tag.has_end = tag.is_empty || cursor.take('>');
        if (tag.has_end) return ended(cursor, tag);
        const char c = cursor.peek();
        if (c == '<') {
            const bool is_tag = std::any_of(tag.attributes.begin(), tag.attributes.end(), [](const LooseAttribute& a) {
                return a.value == LooseAttribute::Value::quoted;
            });
            return is_tag ? ended(cursor, tag) : LooseMarkup::text;
        }
        if (tag.attributes.size() == loose_attributes_max) return LooseMarkup::text;
        if (c == '/' || c == '=' || c == '"' || c == '\'')
            cursor.move_to(cursor.at() + 1);
        else
            read_attribute(cursor, tag);
    }
}

}  // namespace

LooseMarkup read_loose_tag(XmlCursor& cursor, LooseTag& tag) {
    tag.attributes.clear();
    tag.is_empty = tag.has_end = false;
    tag.begin = cursor.at();
    tag.name = {};
    const std::string_view text = cursor.text();
    tag.name_end = std::min(text.find_first_of(" \t\r\n/<>", tag.begin + 1), text.size());
    cursor.move_to(tag.begin + 1);
    const bool is_name = read_whole_name(cursor, text.substr(tag.begin + 1, tag.name_end - tag.begin - 1), tag.name) &&
                         tag.name.prefix != "xmlns";
    const LooseMarkup found = is_name ? read_rest(cursor, tag) : LooseMarkup::text;
    if (found != LooseMarkup::tag) cursor.move_to(tag.begin);
    return found;
}

}  // namespace sluice::feed
