#include "protocol/feed/xml/xml_references.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "protocol/bytes/find.hpp"
#include "protocol/feed/encoding/windows_1252.hpp"
#include "protocol/feed/html/html_entities.hpp"
#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/xml/xml_doctype.hpp"
#include "protocol/feed/xml/xml_text.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

char xml_entity(std::string_view name) {
    switch (name.size()) {
        case 2:
            return name[1] != 't' ? '\0' : name[0] == 'l' ? '<' : name[0] == 'g' ? '>' : '\0';
        case 3:
            return name == "amp" ? '&' : '\0';
        case 4:
            return name == "quot" ? '"' : name == "apos" ? '\'' : '\0';
        default:
            return '\0';
    }
}

bool XmlReferences::reference() {
    const std::size_t begin = cursor_.at();
    if (cursor_.looks_at("&#")) {
        const auto code = cursor_.character_reference();
        // Nobody means the control characters: their numbers are bytes of windows-1252, as browsers read them.
        if (code && is_windows_1252_only(*code)) rewriter_.note(begin, cursor_.at(), windows_1252_text(*code));
        return code.has_value();
    }
    cursor_.take('&');
    const std::string_view name = cursor_.nc_name();
    if (name.empty() || !cursor_.take(';')) {
        return cursor_.fail(begin, "an '&' that begins no reference; as a character it is written &amp;");
    }
    if (xml_entity(name)) return true;
    if (const XmlEntity* entity = entities_.find(name)) return own_entity(*entity, name, begin);
    const std::string_view text = html_entity(name);
    if (text.empty()) return cursor_.fail(begin, "the entity " + excerpt(name) + " is not declared");
    rewriter_.note(begin, cursor_.at(), as_written(text));
    return true;
}

// &LT; and &Tab; stand for what XML has to write as a reference. A view of `text` or of this object.
std::string_view XmlReferences::as_written(std::string_view text) {
    if (text.find_first_of("<>&\"\t\n") == std::string_view::npos) return text;
    std::string written;
    append_xml_value(written, text);
    return *written_.insert(std::move(written)).first;
}

// Handles a reference to an entity that the document declares. The cursor is behind it.
bool XmlReferences::own_entity(const XmlEntity& entity, std::string_view name, std::size_t begin) {
    if (!entity.usable) {
        return cursor_.fail(
            begin, "the entity " + excerpt(name) + " is not plain text in the document itself, and is not expanded");
    }
    const auto [used, is_new] = texts_.try_emplace(&entity);
    if (is_new) used->second = entity_text(entity);
    const std::string& text = used->second;
    expanded_bytes_ += text.size();
    if (expanded_bytes_ > expansion_bytes_max) {
        return cursor_.fail(
            begin, "the document's entities expand to more than " + std::to_string(expansion_bytes_max) + " bytes",
            FeedError::Kind::limit);
    }
    rewriter_.note(begin, cursor_.at(), text);
    return true;
}

namespace {

// Appends the line end that `written` begins with, and returns its size.
std::size_t append_line_feed(std::string& out, std::string_view written) {
    out += '\n';
    return written.starts_with("\r\n") ? 2u : 1u;
}

}  // namespace

void append_with_line_feeds(std::string& out, std::string_view written) {
    for (std::size_t at = 0; at < written.size();) {
        const std::size_t end = std::min(written.find('\r', at), written.size());
        out += written.substr(at, end - at);
        if (end == written.size()) return;
        at = end + append_line_feed(out, written.substr(end));
    }
}

// Appends the text of the reference that `written` begins with, and returns its size.
std::size_t XmlReferences::append_reference(std::string& out, std::string_view written, bool in_value) const {
    const std::size_t size = std::min(written.find(';'), written.size() - 1) + 1;
    append_text(out, written.substr(0, size), in_value);
    return size;
}

void XmlReferences::append_text(std::string& out, std::string_view reference, bool in_value) const {
    const std::string_view name = reference.substr(1, reference.size() - 2);
    if (const char c = xml_entity(name)) {
        out += c;
    } else if (name.starts_with('#')) {
        const bool is_hex = name.substr(1).starts_with('x');
        std::uint32_t code = 0;
        std::from_chars(name.data() + (is_hex ? 2 : 1), name.data() + name.size(), code, is_hex ? 16 : 10);
        if (is_windows_1252_only(code))
            out += windows_1252_text(code);
        else
            text::append_utf8(out, code);
    } else if (const XmlEntity* entity = entities_.find(name)) {
        const auto used = texts_.find(entity);
        if (used != texts_.end()) in_value ? append_value(out, used->second) : append_content(out, used->second);
    } else {
        out += html_entity(name);
    }
}

void XmlReferences::append_content(std::string& out, std::string_view written) const {
    for (std::size_t at = 0; at < written.size();) {
        const std::size_t end = std::min(written.find_first_of("&\r", at), written.size());
        out.append(written, at, end - at);
        if (end == written.size()) return;
        at = end + (written[end] == '&' ? append_reference(out, written.substr(end), false)
                                        : append_line_feed(out, written.substr(end)));
    }
}

void XmlReferences::append_value(std::string& out, std::string_view written) const {
    for (std::size_t at = 0; at < written.size();) {
        const std::size_t end = bytes::find_in<bytes::XmlValueResolved>(written, at);
        out.append(written, at, end - at);
        if (end == written.size()) return;
        if (written[end] == '&') {
            at = end + append_reference(out, written.substr(end), true);
        } else {
            out += ' ';
            at = end + (written.substr(end).starts_with("\r\n") ? 2u : 1u);
        }
    }
}

}  // namespace sluice::feed
