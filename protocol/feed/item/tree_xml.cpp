#include "protocol/feed/item/tree_xml.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "protocol/feed/model/namespaces.hpp"
#include "protocol/feed/xml/xml_text.hpp"

namespace sluice::feed {

namespace {

class TreeWriter {
public:
    std::string write(TreeNode element) {
        write_element(element);
        return std::move(xml_.insert(1 + element.name().size(), declarations()));
    }

private:
    void write_element(TreeNode element);
    std::string name(std::string_view name);
    std::string declarations() const;

    std::string xml_;
    std::set<std::string_view> prefixes_;
};

// Recurses to the document's depth, which is limited.
void TreeWriter::write_element(TreeNode element) {
    const std::string tag = name(element.name());
    xml_.append("<").append(tag);
    for (const TreeAttribute& attribute : element.attributes())
        append_xml_attribute(xml_, name(attribute.name()), attribute.value());
    if (!element.first_child()) {
        xml_ += "/>";
        return;
    }
    xml_ += '>';
    for (const TreeNode child : element.children()) {
        if (child.is_element())
            write_element(child);
        else
            append_xml_content(xml_, child.value());
    }
    xml_.append("</").append(tag).append(">");
}

// The name, whose prefix is noted. The prefix xmlns can't be declared.
std::string TreeWriter::name(std::string_view name) {
    std::string written(name);
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos) return written;
    const std::string_view prefix = name.substr(0, colon);
    if (prefix == "xmlns")
        written[colon] = '_';
    else if (prefix != "xml")
        prefixes_.insert(prefix);
    return written;
}

std::string TreeWriter::declarations() const {
    std::string declarations;
    for (const std::string_view prefix : prefixes_)
        append_xml_attribute(declarations, "xmlns:" + std::string(prefix), namespace_of_undeclared(prefix));
    return declarations;
}

}  // namespace

std::string tree_xml(TreeNode element) { return TreeWriter().write(element); }

}  // namespace sluice::feed
