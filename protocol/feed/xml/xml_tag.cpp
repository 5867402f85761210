#include "protocol/feed/xml/xml_tag.hpp"

namespace sluice::feed {

namespace {

bool read_value(XmlCursor& cursor, XmlReferences& references, XmlAttribute& attribute) {
    const char quote = cursor.peek();
    if (quote != '"' && quote != '\'') return cursor.expected("a quoted value");
    cursor.take(quote);
    const std::size_t begin = cursor.at();
    while (cursor.skip_to<bytes::XmlValueEnd>()) {
        const char c = cursor.peek();
        if (c == quote) {
            attribute.value = cursor.since(begin);
            return cursor.take(quote);
        }
        if (c == '<') return cursor.fail(cursor.at(), "'<' in an attribute's value; it is written &lt;");
        if (c == '&') {
            if (!references.reference()) return false;
        } else {
            cursor.take(c);
        }
        attribute.is_plain = attribute.is_plain && (c == '"' || c == '\'');
    }
    return cursor.fail(begin - 1, "the attribute's value that begins here does not end");
}

bool read_attribute(XmlCursor& cursor, XmlReferences& references, XmlTag& tag) {
    XmlAttribute attribute;
    attribute.begin = cursor.at();
    if (!read_qname(cursor, attribute.name, "an attribute, '>' or \"/>\"")) return false;
    cursor.skip_space();
    if (!cursor.take('=')) return cursor.expected("'=' after the name of an attribute");
    cursor.skip_space();
    if (!read_value(cursor, references, attribute)) return false;
    tag.attributes.push_back(attribute);
    return true;
}

}  // namespace

bool read_start_tag(XmlCursor& cursor, XmlReferences& references, XmlTag& tag) {
    tag.begin = cursor.at();
    tag.name = {};
    tag.attributes.clear();
    tag.is_empty = false;
    cursor.take('<');
    if (!read_qname(cursor, tag.name, "the name of an element")) return false;
    while (true) {
        const bool space = cursor.skip_space();
        if (cursor.take('>')) return true;
        if ((tag.is_empty = cursor.take("/>"))) return true;
        if (!space) return cursor.expected("white space, '>' or \"/>\"");
        if (!read_attribute(cursor, references, tag)) return false;
    }
}

}  // namespace sluice::feed
