#include "protocol/feed/xml/xml_declaration.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"
#include "protocol/text/name_characters.hpp"

namespace sluice::feed {

namespace {

bool is_ascii_name_text(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c > 0 && text::is_name_char(static_cast<unsigned char>(c)); });
}

bool is_version(std::string_view value) { return is_ascii_name_text(value); }
bool is_encoding(std::string_view value) {
    return !value.empty() && text::is_ascii_letter(value[0]) && is_ascii_name_text(value);
}
bool is_yes_or_no(std::string_view value) { return value == "yes" || value == "no"; }

bool pseudo_attribute(XmlCursor& cursor, std::string_view name, bool (*is_right)(std::string_view)) {
    cursor.take(name);
    cursor.skip_space();
    if (!cursor.take('=')) return cursor.expected("'='");
    cursor.skip_space();
    const std::size_t begin = cursor.at();
    const auto value = cursor.literal("a quoted value");
    if (!value) return false;
    return is_right(*value) || cursor.fail(begin, "the XML declaration has an invalid " + std::string(name));
}

}  // namespace

bool read_xml_declaration(XmlCursor& cursor) {
    cursor.take("<?xml");
    bool space = cursor.skip_space();
    if (!space || !cursor.looks_at("version")) return cursor.expected("version=\"1.0\" in the XML declaration");
    if (!pseudo_attribute(cursor, "version", is_version)) return false;
    space = cursor.skip_space();
    if (space && cursor.looks_at("encoding")) {
        if (!pseudo_attribute(cursor, "encoding", is_encoding)) return false;
        space = cursor.skip_space();
    }
    if (space && cursor.looks_at("standalone")) {
        if (!pseudo_attribute(cursor, "standalone", is_yes_or_no)) return false;
        cursor.skip_space();
    }
    return cursor.take("?>") || cursor.expected("\"?>\" at the end of the XML declaration");
}

}  // namespace sluice::feed
