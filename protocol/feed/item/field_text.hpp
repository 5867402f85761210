// The texts of fields in a document's tree: where they stand, trimmed. Pure functions; any thread.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/bytes/equal.hpp"
#include "protocol/feed/model/name_slot.hpp"
#include "protocol/feed/model/text_blocks.hpp"
#include "protocol/feed/model/tree.hpp"

namespace sluice::feed {

// A view of the document, or of texts that were made of it.
using FieldText = std::optional<std::string_view>;
using FieldTexts = boost::container::small_vector<std::string_view, 4>;

// A path below an element: "media:group/media:title", or "@name" for an attribute of the element itself.
struct FieldPath {
    constexpr FieldPath(const char* path)  // NOLINT(google-explicit-constructor): lists of paths are lists of literals
        : text(path),
          first_name(text.substr(0, text.find('/'))),
          slot(name_slot(first_name)),
          bit(std::uint64_t{1} << slot) {}

    constexpr bool is_attribute() const { return text[0] == '@'; }
    constexpr bool is_name() const { return first_name.size() == text.size(); }  // of one child

    std::string_view text, first_name;
    std::size_t slot;
    std::uint64_t bit;  // of the slot
};

// Some paths, best first.
struct FieldPaths {
    constexpr FieldPaths() = default;
    template <std::size_t n>
    constexpr FieldPaths(const FieldPath (&list)[n]) : paths(list) {  // NOLINT(google-explicit-constructor)
        for (const FieldPath& path : paths) {
            if (path.is_attribute())
                has_attribute = true;
            else
                bits |= path.bit;
        }
    }

    std::span<const FieldPath> paths;
    std::uint64_t bits = 0;  // of all that lead to elements
    bool has_attribute = false;
};

// The children of an element by name, for many paths, most of which lead nowhere. It looks at each child once.
class FieldChildren {
public:
    explicit FieldChildren(TreeNode element);

    struct Child {
        TreeNode node;
        std::string_view name;
    };

    // A bit for each slot: there are children with such names, one or several.
    std::uint64_t some() const { return some_; }
    std::uint64_t several() const { return several_; }
    // The first one with such a name. There are some.
    const Child& first(const FieldPath& path) const { return first_[places_[path.slot]]; }

private:
    boost::container::static_vector<Child, name_slots> first_;
    std::array<std::uint8_t, name_slots> places_{};  // there, by slot
    std::uint64_t some_ = 0, several_ = 0;
};

// An element whose fields are read. Texts that are made are kept in `texts`.
class FieldParent {
public:
    FieldParent(TreeNode element, TextBlocks& texts) : element_(element), texts_(&texts) {}
    // With its children, which must outlive it.
    FieldParent(TreeNode element, TextBlocks& texts, const FieldChildren& children)
        : element_(element),
          texts_(&texts),
          children_(&children),
          some_(children.some()),
          several_(children.several()) {}

    TreeNode element() const { return element_; }
    TextBlocks& texts() const { return *texts_; }
    bool may_have_any(const FieldPaths& paths) const { return (some_ & paths.bits) != 0 || paths.has_attribute; }
    // The first element at the path; null if there is none.
    TreeNode find(const FieldPath& path) const {
        if ((some_ & path.bit) == 0) return {};
        if (children_ && path.is_name()) {
            const FieldChildren::Child& first = children_->first(path);
            if (bytes::are_equal(first.name, path.text)) return first.node;
        }
        return search(path);
    }
    // The next sibling with the first name of the path.
    TreeNode next(TreeNode child, const FieldPath& path) const {
        return (several_ & path.bit) == 0 ? TreeNode() : child.next_sibling(path.first_name);
    }

private:
    TreeNode search(const FieldPath& path) const;

    TreeNode element_;
    TextBlocks* texts_;
    const FieldChildren* children_ = nullptr;  // null: they are looked for
    std::uint64_t some_ = ~std::uint64_t{0}, several_ = some_;
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
void visit_texts(const FieldParent& parent, const FieldPaths& paths, ReadField read, Visit visit) {
    if (!parent.may_have_any(paths)) return;
    for (const FieldPath& path : paths.paths) {
        if (path.is_attribute()) {
            const FieldText text = non_empty(parent.element().attribute(path.text.substr(1)).value());
            if (text && visit(*text)) return;
            continue;
        }
        TreeNode element = parent.find(path);
        if (element && !path.is_name()) {
            const auto visit_element = [&](TreeNode at_path) {
                const FieldText text = read(at_path, parent.texts());
                return text && visit(*text);
            };
            if (visit_elements(parent.element(), path.text, visit_element)) return;
            continue;
        }
        for (; element; element = parent.next(element, path))
            if (const FieldText text = read(element, parent.texts()); text && visit(*text)) return;
    }
}

FieldText first_text(const FieldParent& parent, const FieldPaths& paths, ReadField read = text_of);

}  // namespace sluice::feed
