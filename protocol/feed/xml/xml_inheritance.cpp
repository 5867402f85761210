#include "protocol/feed/xml/xml_inheritance.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "protocol/text/ascii.hpp"
#include "protocol/text/uri_reference.hpp"

namespace sluice::feed {

namespace {

// "" if it is absent. An element around many items may have hundreds of thousands of attributes.
std::string_view short_attribute(pugi::xml_node element, std::string_view name, std::size_t bytes_max) {
    std::size_t left = inherited_attributes_max;
    for (pugi::xml_attribute each = element.first_attribute(); each && left > 0; each = each.next_attribute(), --left) {
        if (each.name() != name) continue;
        const std::string_view begin(each.value(), strnlen(each.value(), bytes_max + 1));
        return begin.size() > bytes_max ? std::string_view() : text::trim(begin);
    }
    return {};
}

}  // namespace

std::optional<std::string> xml_base_at(pugi::xml_node element, std::string outermost) {
    std::vector<std::string_view> bases;  // from the inside out
    std::size_t bytes = 0;
    for (pugi::xml_node node = element; node; node = node.parent()) {
        const std::string_view base = short_attribute(node, "xml:base", base_bytes_max);
        if (!base.empty()) bases.push_back(base);
        bytes += base.size();
        if (bases.size() > bases_max || bytes > base_bytes_max) return std::nullopt;
        if (text::is_absolute_uri(base)) break;
    }
    std::string base = std::move(outermost);
    for (auto inner = bases.rbegin(); inner != bases.rend(); ++inner) base = text::resolve_reference(base, *inner);
    return base;
}

std::string_view xml_lang_at(pugi::xml_node element) {
    for (pugi::xml_node node = element; node; node = node.parent()) {
        const std::string_view lang = short_attribute(node, "xml:lang", lang_bytes_max);
        if (!lang.empty()) return lang;
    }
    return {};
}

}  // namespace sluice::feed
