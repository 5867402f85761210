// The texts of fields in a document's tree: where they stand, trimmed. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/feed/item/name_bit.hpp"
#include "protocol/feed/model/text_blocks.hpp"
#include "protocol/feed/model/tree.hpp"

namespace sluice::feed {

// A view of the document, or of texts that were made of it.
using FieldText = std::optional<std::string_view>;

// A path below an element: "media:group/media:title", or "@name" for an attribute of the element itself.
struct FieldPath {
    constexpr FieldPath(const char* path)  // NOLINT(google-explicit-constructor): lists of paths are lists of literals
        : text(path), first_name(name_bit(text.substr(0, text.find('/')))), is_name(text.find('/') == text.npos) {}

    std::string_view text;
    std::uint64_t first_name;  // its bit
    bool is_name;              // of one child
};
using FieldPaths = std::span<const FieldPath>;

// An element whose fields are read. Texts that are made are kept in `texts`.
class FieldParent {
public:
    FieldParent(TreeNode element, TextBlocks& texts) : element_(element), texts_(&texts) {}
    // Looks at the children first: for many paths, most of which lead nowhere.
    static FieldParent of_many(TreeNode element, TextBlocks& texts) {
        FieldParent parent(element, texts);
        parent.names_ = 0;
        for (const TreeNode child : element.children()) parent.names_ |= name_bit(child.name());
        return parent;
    }

    TreeNode element() const { return element_; }
    TextBlocks& texts() const { return *texts_; }
    // The first element at the path; null if there is none.
    TreeNode find(const FieldPath& path) const {
        if ((names_ & path.first_name) == 0) return {};
        return path.is_name ? element_.child(path.text) : element_.at_path(path.text);
    }

private:
    TreeNode element_;
    TextBlocks* texts_;
    std::uint64_t names_ = ~std::uint64_t{0};  // the bits that its children's names may have
};

using ReadField = FieldText (*)(TreeNode, TextBlocks& texts);

// Trimmed; nothing if that leaves nothing.
FieldText non_empty(std::string_view text);

// XPath's string(): the texts below the element, in order.
FieldText text_of(TreeNode element, TextBlocks& texts);

// A text that may be encoded: Atom 0.3's mode="base64". As it stands if what is encoded is no text.
FieldText decoded_text_of(TreeNode element, TextBlocks& texts);

// A title or summary: its text; markup (element_html.hpp) as the text that readers see.
FieldText visible_text_of(TreeNode element, TextBlocks& texts);
// Atom's, which may be encoded or HTML (type="html").
FieldText visible_atom_text_of(TreeNode element, TextBlocks& texts);

// An item's content: its text, which may be HTML; markup as HTML.
FieldText content_of(TreeNode element, TextBlocks& texts);
FieldText atom_content_of(TreeNode element, TextBlocks& texts);  // may be encoded

// A person: the <name> (else <email>), or the name in the text.
FieldText person_of(TreeNode element, TextBlocks& texts);

// A category: @term (Atom), @text (iTunes), the text (RSS), @label.
FieldText category_of(TreeNode element, TextBlocks& texts);

// Calls visit(element) for each element at a path like "media:group/media:title", until visit returns true.
template <typename Visit>
bool visit_elements(TreeNode parent, std::string_view path, Visit& visit) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    for (const TreeNode child : parent.children(name)) {
        if (slash == std::string_view::npos ? visit(child) : visit_elements(child, path.substr(slash + 1), visit))
            return true;
    }
    return false;
}

// Calls visit(text) for each text that `read` finds at the paths, until visit returns true.
template <typename Visit>
void visit_texts(const FieldParent& parent, FieldPaths paths, ReadField read, Visit visit) {
    for (const FieldPath& path : paths) {
        if (path.text.starts_with('@')) {
            const FieldText text = non_empty(parent.element().attribute(path.text.substr(1)).value());
            if (text && visit(*text)) return;
            continue;
        }
        const auto visit_element = [&](TreeNode element) {
            const FieldText text = read(element, parent.texts());
            return text && visit(*text);
        };
        TreeNode element = parent.find(path);
        if (element && !path.is_name && visit_elements(parent.element(), path.text, visit_element)) return;
        for (; element && path.is_name; element = element.next_sibling(path.text))
            if (visit_element(element)) return;
    }
}

FieldText first_text(const FieldParent& parent, FieldPaths paths, ReadField read = text_of);

}  // namespace sluice::feed
