#include "protocol/feed/xml_references.hpp"

#include <string>

#include "protocol/feed/html_entities.hpp"
#include "protocol/feed/repairs.hpp"
#include "protocol/feed/windows_1252.hpp"

namespace sluice::feed {

bool is_xml_entity(std::string_view name) {
    if (name.size() == 2) return name[1] == 't' && (name[0] == 'l' || name[0] == 'g');
    return name.size() <= 4 && (name == "amp" || name == "quot" || name == "apos");
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
    if (is_xml_entity(name)) return true;
    if (const XmlEntity* entity = doctype_.find(name)) return own_entity(*entity, name, begin);
    const std::string_view text = html_entity(name);
    if (text.empty()) return cursor_.fail(begin, "the entity " + excerpt(name) + " is not declared");
    rewriter_.note(begin, cursor_.at(), text);
    return true;
}

// Handles a reference to an entity that the document declares. The cursor is behind it.
bool XmlReferences::own_entity(const XmlEntity& entity, std::string_view name, std::size_t begin) {
    if (!entity.usable) {
        return cursor_.fail(
            begin, "the entity " + excerpt(name) + " is not plain text in the document itself, and is not expanded");
    }
    const auto [used, is_new] = texts_.try_emplace(&entity);
    if (is_new) used->second = entity.text();
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

}  // namespace sluice::feed
