#include "protocol/feed/item/element_html.hpp"

#include <string_view>
#include <utility>

#include "protocol/feed/html/html_elements.hpp"
#include "protocol/feed/model/node_text.hpp"
#include "protocol/feed/xml/xml_text.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

std::string_view html_name(std::string_view name) {
    constexpr std::string_view prefix = "xhtml:";
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

bool declares_xhtml(const TreeAttribute& attribute) {
    return attribute.name().starts_with("xmlns") && attribute.value() == "http://www.w3.org/1999/xhtml";
}

// HTML reads no references there.
bool has_raw_text(std::string_view name) { return name == "script" || name == "style"; }

class HtmlWriter {
public:
    void write_children(TreeNode parent, bool is_raw = false);
    std::string take() { return std::move(html_); }

private:
    void write_element(TreeNode element);
    void write_text(std::string_view text, bool is_raw);

    std::string html_;
};

// Recurses to the document's depth, which is limited.
void HtmlWriter::write_children(TreeNode parent, bool is_raw) {
    for (const TreeNode child : parent.children()) {
        if (child.is_element()) {
            write_element(child);
        } else if (child.is_text()) {
            write_text(child.value(), is_raw);
        } else if (child.type() == NodeType::comment) {
            const std::string_view comment = child.value();  // these two ends would close it at once
            if (!comment.starts_with('>') && !comment.starts_with("->")) html_.append("<!--").append(comment) += "-->";
        }
    }
}

void HtmlWriter::write_element(TreeNode element) {
    const std::string_view name = html_name(element.name());
    if (!text::is_ascii_letter(name[0])) return write_children(element);  // HTML has no such tags
    html_.append("<").append(name);
    for (const TreeAttribute& attribute : element.attributes())
        if (!declares_xhtml(attribute)) append_xml_attribute(html_, html_name(attribute.name()), attribute.value());
    if (!element.first_child() && has_no_end_tag_in_html(name)) {
        html_ += "/>";
        return;
    }
    html_ += '>';
    write_children(element, has_raw_text(name));
    html_.append("</").append(name) += '>';
}

void HtmlWriter::write_text(std::string_view text, bool is_raw) {
    if (is_raw && text.find("</") == std::string_view::npos)
        html_ += text;
    else
        append_xml_content(html_, text);
}

// The <div> that contains all of an element of type xhtml; else the element.
TreeNode container_of(TreeNode element) {
    const std::string type = text::ascii_lower(text::trim(element.attribute("type").value()));
    if (type != "xhtml" && type != "application/xhtml+xml") return element;
    TreeNode only;
    for (const TreeNode child : element.children()) {
        const bool is_blank = child.is_text() && text::trim(child.value()).empty();
        if (is_blank || child.type() == NodeType::comment || child.type() == NodeType::instruction) continue;
        if (only || html_name(child.name()) != "div") return element;
        only = child;
    }
    return only ? only : element;
}

}  // namespace

bool has_markup(TreeNode element) {
    for (const TreeNode child : element.children())
        if (child.is_element()) return true;
    return false;
}

std::string inner_html(TreeNode element) {
    HtmlWriter writer;
    writer.write_children(container_of(element));
    return writer.take();
}

}  // namespace sluice::feed
