#include "protocol/feed/xml/xml_doctype.hpp"

#include <optional>

#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

// Skips SYSTEM "…" or PUBLIC "…" "…". False if it is absent, or after recording a fault.
bool external_id(XmlCursor& cursor) {
    const bool is_public = cursor.take("PUBLIC");
    if (!is_public && !cursor.take("SYSTEM")) return false;
    for (int literals = is_public ? 2 : 1; literals > 0; --literals) {
        if (!cursor.skip_space()) return cursor.expected("white space");
        if (!cursor.literal("a quoted identifier")) return false;
    }
    return true;
}

// Skips the rest of a declaration, up to its '>'; quoted text may contain one.
bool skip_declaration(XmlCursor& cursor) {
    const std::size_t begin = cursor.at();
    while (!cursor.at_end()) {
        const char c = cursor.peek();
        if (cursor.take('>')) return true;
        if (c == '<') return cursor.expected("'>' at the end of the declaration");
        if (c == '"' || c == '\'') {
            if (!cursor.literal("a quoted text")) return false;
        } else {
            cursor.move_to(cursor.at() + 1);
        }
    }
    return cursor.fail(begin, "the declaration that begins here does not end");
}

// Writes a character of an entity's text so that it stays data in content and in attribute values.
void append_data(std::string& text, char32_t code) {
    switch (code) {
        case '>':
            text += "&gt;";
            break;
        case '"':
            text += "&quot;";
            break;
        case '\'':
            text += "&apos;";
            break;
        case '\r':
            text += "&#13;";
            break;
        case ']':
            text += "&#93;";  // "]]>" may not be in content
            break;
        default:
            text::append_utf8(text, code);
    }
}

// The replacement text of an entity's literal value (XML 1.0 §4.5), if it is plain text.
std::optional<std::string> replacement_text(std::string_view literal) {
    std::string replacement;
    const std::string text(literal);
    XmlCursor cursor(text);
    while (!cursor.at_end()) {
        char32_t code = 0;
        if (cursor.looks_at("&#")) {
            const std::optional<char32_t> reference = cursor.character_reference();
            if (!reference) return std::nullopt;
            code = *reference;
        } else {
            const text::Utf8Char c = text::utf8_at(text, cursor.at());
            if (c.code == '%') return std::nullopt;
            code = c.code;
            cursor.move_to(cursor.at() + c.length);
        }
        if (code == '<' || code == '&') return std::nullopt;
        append_data(replacement, code);
    }
    return replacement;
}

bool entity_declaration(XmlCursor& cursor, XmlEntities& entities) {
    if (!cursor.skip_space()) return cursor.expected("white space after \"<!ENTITY\"");
    const bool is_parameter = cursor.take('%');
    if (is_parameter && !cursor.skip_space()) return cursor.expected("white space after '%'");
    const std::size_t begin = cursor.at();
    const std::string_view name = cursor.nc_name();
    if (name.empty()) return cursor.expected("the name of an entity");
    if (!cursor.skip_space()) return cursor.expected("white space after the name of an entity");

    XmlEntity entity;
    if (cursor.looks_at("SYSTEM") || cursor.looks_at("PUBLIC")) {
        if (!external_id(cursor)) return false;
    } else {
        const auto value = cursor.literal("the quoted text of an entity, SYSTEM or PUBLIC");
        if (!value) return false;
        entity = {*value, value->size() <= doctype_entity_bytes_max && replacement_text(*value)};
    }
    if (!is_parameter) {
        if (entities.size() == doctype_entities_max) {
            return cursor.fail(begin,
                               "the document declares more than " + std::to_string(doctype_entities_max) + " entities",
                               FeedError::Kind::limit);
        }
        entities.add(name, entity);
    }
    return skip_declaration(cursor);
}

bool internal_subset(XmlCursor& cursor, XmlEntities& entities) {
    const std::size_t begin = cursor.at();
    while (!cursor.at_end()) {
        if (cursor.skip_space()) continue;
        if (cursor.take(']')) return true;
        bool right = false;
        if (cursor.looks_at("<!--")) {
            right = cursor.comment();
        } else if (cursor.looks_at("<?")) {
            right = cursor.processing_instruction();
        } else if (cursor.take("<!ENTITY")) {
            right = entity_declaration(cursor, entities);
        } else if (cursor.take("<!ELEMENT") || cursor.take("<!ATTLIST") || cursor.take("<!NOTATION")) {
            right = (cursor.skip_space() || cursor.expected("white space")) && skip_declaration(cursor);
        } else if (cursor.take('%')) {
            right = (!cursor.nc_name().empty() && cursor.take(';')) || cursor.expected("a parameter entity, %name;");
        } else {
            right = cursor.expected("a declaration or ']'");
        }
        if (!right) return false;
    }
    return cursor.fail(begin, "the internal part of the document type declaration, which begins here, does not end");
}

}  // namespace

std::string entity_text(const XmlEntity& entity) { return replacement_text(entity.literal).value_or(std::string()); }

bool read_doctype(XmlCursor& cursor, XmlEntities& entities) {
    const std::size_t begin = cursor.at();
    cursor.take("<!DOCTYPE");
    if (!cursor.skip_space()) return cursor.expected("white space after \"<!DOCTYPE\"");
    if (cursor.nc_name().empty()) return cursor.expected("the name of the root element");
    if (cursor.take(':') && cursor.nc_name().empty()) return cursor.expected("a name after ':'");
    cursor.skip_space();
    if (cursor.looks_at("SYSTEM") || cursor.looks_at("PUBLIC")) {
        if (!external_id(cursor)) return false;
        cursor.skip_space();
    }
    if (cursor.take('[')) {
        if (!internal_subset(cursor, entities)) return false;
        cursor.skip_space();
    }
    if (cursor.at_end()) return cursor.fail(begin, "the document type declaration that begins here does not end");
    return cursor.take('>') || cursor.expected("'>' at the end of the document type declaration");
}

}  // namespace sluice::feed
