#include "protocol/feed/xml/xml_inheritance.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "protocol/text/ascii.hpp"
#include "protocol/text/uri_reference.hpp"

namespace sluice::feed {

namespace {

// "" if it is absent. An element around many items may have hundreds of thousands of attributes.
std::string_view short_attribute(TreeNode element, std::string_view name, std::size_t bytes_max) {
    const std::span<const TreeAttribute> all = element.attributes();
    for (const TreeAttribute& each : all.first(std::min(all.size(), inherited_attributes_max))) {
        if (each.name() == name) return each.value().size() > bytes_max ? std::string_view() : text::trim(each.value());
    }
    return {};
}

}  // namespace

std::optional<std::string> xml_base_at(TreeNode element, std::string outermost) {
    std::vector<std::string_view> bases;  // from the inside out
    std::size_t bytes = 0;
    for (TreeNode node = element; node; node = node.parent()) {
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

std::string_view xml_lang_at(TreeNode element) {
    for (TreeNode node = element; node; node = node.parent()) {
        const std::string_view lang = short_attribute(node, "xml:lang", lang_bytes_max);
        if (!lang.empty()) return lang;
    }
    return {};
}

}  // namespace sluice::feed
