#include "protocol/feed/repair/xml_reference_repair.hpp"

#include <string>

#include "protocol/feed/html/html_entities.hpp"
#include "protocol/feed/xml/xml_references.hpp"

namespace sluice::feed {

void XmlReferenceRepair::reference() {
    const std::size_t begin = cursor_.at();
    if (cursor_.looks_at("&#X")) return capital_x();
    if (cursor_.looks_at("&#")) {
        if (cursor_.character_reference()) return;
        if (cursor_.text()[cursor_.at() - 1] != ';')
            return escape(RepairKind::ampersand, begin, "an '&' that begins no reference");
        const std::string_view written = cursor_.since(begin);
        const bool is_first = repairs_.is_first(RepairKind::character_reference);
        repairs_.note(RepairKind::character_reference, begin,
                      is_first ? excerpt(written) + " is not a character that XML allows" : "");
        return edits_.replace(begin, cursor_.at(), "\xEF\xBF\xBD");
    }
    cursor_.take('&');
    const std::string_view name = cursor_.nc_name();
    if (name.empty() || !cursor_.take(';'))
        return escape(RepairKind::ampersand, begin, "an '&' that begins no reference");
    const XmlEntity* entity = entities_.find(name);
    if (xml_entity(name) || (entity && entity->usable) || (!entity && !html_entity(name).empty())) return;
    const bool is_first = repairs_.is_first(RepairKind::entity);
    escape(RepairKind::entity, begin,
           is_first ? "the entity " + excerpt(name) + (entity ? " is not plain text" : " is not declared") : "");
}

// Browsers read &#X41; as &#x41;.
void XmlReferenceRepair::capital_x() {
    const std::size_t begin = cursor_.at();
    const std::size_t end = cursor_.text().find_first_not_of("0123456789abcdefABCDEF", begin + 3);
    if (end == std::string_view::npos || end == begin + 3 || cursor_.text()[end] != ';')
        return escape(RepairKind::ampersand, begin, "an '&' that begins no reference");
    const std::string small = "&#x" + std::string(cursor_.text().substr(begin + 3, end + 1 - begin - 3));
    XmlCursor inside(small);
    repairs_.note(RepairKind::character_reference, begin, "a character reference with a capital X");
    edits_.replace(begin, end + 1, inside.character_reference() ? std::string_view(small) : "\xEF\xBF\xBD");
    cursor_.move_to(end + 1);
}

void XmlReferenceRepair::escape(RepairKind kind, std::size_t begin, std::string_view reason) {
    repairs_.note(kind, begin, reason);
    edits_.replace(begin, begin + 1, "&amp;");
    cursor_.move_to(begin + 1);
}

}  // namespace sluice::feed
