// The tree of a document: what XPath can see of it, as the reader of its syntax finds it, in two arrays. Text and CDATA
// sections are separate nodes, as are several that follow each other; code that counts text nodes joins them.
// References are resolved, line ends are line feeds, and white space in attributes' values is spaces, as XML 1.0
// requires.
//
// A handle is null or stands for a node or an attribute; what is asked of a null one is null or empty. Handles are
// valid as long as the tree stays where it is, and any thread may use them once it is finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/feed/model/make_room.hpp"
#include "protocol/feed/model/text_blocks.hpp"

namespace sluice::feed {

class Tree;
class TreeNode;

enum class NodeType : std::uint8_t { none, document, element, text, cdata, comment, instruction };

class TreeAttribute {
public:
    TreeAttribute() = default;

    explicit operator bool() const { return name_ != nullptr; }
    std::string_view name() const { return {name_, name_size_}; }
    std::string_view value() const { return {value_, value_size_}; }

private:
    friend class Tree;
    TreeAttribute(std::string_view name, std::string_view value)
        : name_(name.data()),
          value_(value.data()),
          name_size_(static_cast<std::uint32_t>(name.size())),
          value_size_(static_cast<std::uint32_t>(value.size())) {}

    const char *name_ = nullptr, *value_ = nullptr;
    std::uint32_t name_size_ = 0, value_size_ = 0;
};

// A range of children, of all or of those with one name.
class TreeChildren;

class TreeNode {
public:
    TreeNode() = default;

    explicit operator bool() const { return tree_ != nullptr; }
    friend bool operator==(const TreeNode&, const TreeNode&) = default;

    NodeType type() const;
    bool is_element() const { return type() == NodeType::element; }
    bool is_text() const { return type() == NodeType::text || type() == NodeType::cdata; }
    // Of an element; the target of an instruction.
    std::string_view name() const;
    // Of a text, CDATA section or comment; the data of an instruction.
    std::string_view value() const;
    // Of an element: how many begin before it.
    std::uint32_t element_number() const;
    // Of the node in its tree, for as long as this is not being built.
    const void* address() const;

    TreeNode parent() const;
    TreeNode first_child() const;
    TreeNode next_sibling() const;
    // The next node in document order that is below `top`.
    TreeNode next_below(TreeNode top) const;
    // The same, but not below this node.
    TreeNode next_behind(TreeNode top) const;

    TreeChildren children() const;
    // Elements with this name.
    TreeChildren children(std::string_view name) const;
    TreeNode child(std::string_view name) const;
    TreeNode next_sibling(std::string_view name) const;
    // The first element at a path such as "media:group/media:title".
    TreeNode at_path(std::string_view path) const;
    // The first text or CDATA section of the element, or of its child with this name.
    std::string_view child_value() const;
    std::string_view child_value(std::string_view name) const { return child(name).child_value(); }
    // The text or CDATA section of an element that has nothing else in it.
    std::optional<std::string_view> only_text() const;

    std::span<const TreeAttribute> attributes() const;
    TreeAttribute attribute(std::string_view name) const;

private:
    friend class Tree;
    TreeNode(const Tree* tree, std::uint32_t index) : tree_(tree), index_(index) {}
    std::string_view instruction_target() const;
    std::string_view instruction_data() const;

    const Tree* tree_ = nullptr;
    std::uint32_t index_ = 0;
};

class Tree {
public:
    // Of a node and of an attribute.
    static constexpr std::size_t node_bytes = 32, attribute_bytes = sizeof(TreeAttribute);

    Tree() = default;  // to be assigned to: without a document
    // With room for so many.
    Tree(std::size_t nodes, std::size_t attributes) {
        nodes_.reserve(nodes + 1);
        attributes_.reserve(attributes);
        add(NodeType::document, {}, unknown_end);
    }
    Tree(Tree&&) = default;
    Tree& operator=(Tree&&) = default;

    TreeNode document() const { return nodes_.empty() ? TreeNode() : TreeNode(this, 0); }
    TreeNode root() const;  // element

    // Building it, in document order. Texts must outlive it: keep() copies them.
    std::string_view keep(std::string_view text) { return texts_.keep(text); }
    TreeNode open(std::string_view name) {
        const std::uint32_t index = add(NodeType::element, name, unknown_end);
        nodes_[index].number = elements_++;
        open_ = index;
        return {this, index};
    }
    // Of the element just opened.
    void attribute(std::string_view name, std::string_view value) {
        make_room(attributes_);
        attributes_.push_back({name, value});
    }
    // A node without children, with its value: of an instruction, all that is between its marks.
    void leaf(NodeType type, std::string_view value) {
        add(type, value, static_cast<std::uint32_t>(nodes_.size()) + 1);
    }
    // An element without attributes that has only this text.
    void element(std::string_view name, std::string_view text) {
        const auto behind = static_cast<std::uint32_t>(nodes_.size()) + (text.empty() ? 1u : 2u);
        const std::uint32_t index = add(NodeType::element, name, behind);
        nodes_[index].number = elements_++;
        if (text.empty()) return;
        add(NodeType::text, text, behind);
        nodes_.back().parent = index;
    }
    void close() {
        nodes_[open_].end = static_cast<std::uint32_t>(nodes_.size());
        open_ = nodes_[open_].parent;
    }
    // Closes all that are open in this one.
    void close_to(TreeNode element) {
        while (open_ != element.index_) close();
    }
    // Removes the element, which was opened last of its siblings.
    void remove_last(TreeNode element);
    // Changes the name of an element or an attribute. The text must outlive the tree.
    void rename(TreeNode element, std::string_view name);
    void rename(const TreeAttribute& attribute, std::string_view name);
    // Gives back the memory that it does not need.
    void finish();

    std::size_t elements() const { return elements_; }
    std::size_t memory_bytes() const {
        return nodes_.capacity() * sizeof(Node) + attributes_.capacity() * sizeof(TreeAttribute) + texts_.bytes();
    }

private:
    friend class TreeNode;
    static constexpr std::uint32_t unknown_end = ~std::uint32_t{0};

    // In document order, so that a node's children follow it.
    struct Node {
        const char* text;
        std::uint32_t size;
        std::uint32_t end;  // behind the last node in it; unknown_end while it is open
        std::uint32_t parent;
        std::uint32_t first_attribute;  // those of the next node follow
        std::uint32_t number;           // of elements
        NodeType type;
    };
    static_assert(sizeof(Node) == node_bytes);

    std::uint32_t add(NodeType type, std::string_view text, std::uint32_t end) {
        make_room(nodes_);
        const auto index = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({text.data(), static_cast<std::uint32_t>(text.size()), end, open_,
                          static_cast<std::uint32_t>(attributes_.size()), 0, type});
        return index;
    }
    // The node with this index, if it is before the end of its parent.
    TreeNode before(std::uint32_t index, std::uint32_t end) const {
        return index < end && index < nodes_.size() ? TreeNode(this, index) : TreeNode();
    }
    // The first sibling from this one on with the name; `end` is that of their parent.
    TreeNode find(std::uint32_t index, std::uint32_t end, std::string_view name) const {
        for (; index < end && index < nodes_.size(); index = nodes_[index].end) {
            const Node& node = nodes_[index];
            if (node.type == NodeType::element && name == std::string_view(node.text, node.size)) return {this, index};
        }
        return {};
    }

    std::vector<Node> nodes_;
    std::vector<TreeAttribute> attributes_;
    TextBlocks texts_;
    std::uint32_t open_ = 0, elements_ = 0;
};

class TreeChildren {
public:
    class Iterator {
    public:
        Iterator() = default;
        TreeNode operator*() const { return at_; }
        Iterator& operator++() {
            at_ = name_.empty() ? at_.next_sibling() : at_.next_sibling(name_);
            return *this;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

        using value_type = TreeNode;
        using difference_type = std::ptrdiff_t;
        using pointer = const TreeNode*;
        using reference = TreeNode;
        using iterator_category = std::input_iterator_tag;
        Iterator operator++(int) {
            const Iterator before = *this;
            ++*this;
            return before;
        }

    private:
        friend class TreeChildren;
        Iterator(TreeNode at, std::string_view name) : at_(at), name_(name) {}
        TreeNode at_;
        std::string_view name_;
    };

    Iterator begin() const { return {first_, name_}; }
    Iterator end() const { return {{}, {}}; }

private:
    friend class TreeNode;
    TreeChildren(TreeNode first, std::string_view name) : first_(first), name_(name) {}
    TreeNode first_;
    std::string_view name_;  // empty: all
};

inline NodeType TreeNode::type() const { return tree_ ? tree_->nodes_[index_].type : NodeType::none; }

inline std::string_view TreeNode::name() const {
    if (!tree_) return {};
    const Tree::Node& node = tree_->nodes_[index_];
    if (node.type == NodeType::element) return {node.text, node.size};
    return node.type == NodeType::instruction ? instruction_target() : std::string_view();
}

inline std::string_view TreeNode::value() const {
    if (!tree_) return {};
    const Tree::Node& node = tree_->nodes_[index_];
    if (node.type > NodeType::element && node.type < NodeType::instruction) return {node.text, node.size};
    return node.type == NodeType::instruction ? instruction_data() : std::string_view();
}

inline std::uint32_t TreeNode::element_number() const { return tree_ ? tree_->nodes_[index_].number : 0; }

inline const void* TreeNode::address() const { return tree_ ? &tree_->nodes_[index_] : nullptr; }

inline TreeNode TreeNode::parent() const {
    return tree_ && index_ != 0 ? TreeNode(tree_, tree_->nodes_[index_].parent) : TreeNode();
}

inline TreeNode TreeNode::first_child() const {
    return tree_ ? tree_->before(index_ + 1, tree_->nodes_[index_].end) : TreeNode();
}

inline TreeNode TreeNode::next_sibling() const {
    if (!tree_ || index_ == 0) return {};
    const Tree::Node& node = tree_->nodes_[index_];
    return tree_->before(node.end, tree_->nodes_[node.parent].end);
}

inline TreeNode TreeNode::next_below(TreeNode top) const {
    return tree_ ? tree_->before(index_ + 1, tree_->nodes_[top.index_].end) : TreeNode();
}

inline TreeNode TreeNode::next_behind(TreeNode top) const {
    return tree_ ? tree_->before(tree_->nodes_[index_].end, tree_->nodes_[top.index_].end) : TreeNode();
}

inline TreeNode TreeNode::child(std::string_view name) const {
    if (!tree_) return {};
    const std::uint32_t end = tree_->nodes_[index_].end;
    return tree_->find(index_ + 1, end, name);
}

inline TreeNode TreeNode::next_sibling(std::string_view name) const {
    if (!tree_ || index_ == 0) return {};
    const Tree::Node& node = tree_->nodes_[index_];
    return tree_->find(node.end, tree_->nodes_[node.parent].end, name);
}

inline TreeChildren TreeNode::children() const { return {first_child(), {}}; }
inline TreeChildren TreeNode::children(std::string_view name) const { return {child(name), name}; }

inline std::span<const TreeAttribute> TreeNode::attributes() const {
    if (!tree_) return {};
    const std::size_t first = tree_->nodes_[index_].first_attribute;
    const std::size_t end =
        index_ + 1 < tree_->nodes_.size() ? tree_->nodes_[index_ + 1].first_attribute : tree_->attributes_.size();
    return std::span(tree_->attributes_).subspan(first, end - first);
}

inline TreeAttribute TreeNode::attribute(std::string_view name) const {
    for (const TreeAttribute& attribute : attributes())
        if (attribute.name() == name) return attribute;
    return {};
}

inline std::string_view TreeNode::child_value() const {
    for (const TreeNode child : children())
        if (child.is_text()) return child.value();
    return {};
}

inline std::optional<std::string_view> TreeNode::only_text() const {
    if (!tree_ || tree_->nodes_[index_].end != index_ + 2) return std::nullopt;
    const Tree::Node& only = tree_->nodes_[index_ + 1];
    if (only.type != NodeType::text && only.type != NodeType::cdata) return std::nullopt;
    return std::string_view(only.text, only.size);
}

}  // namespace sluice::feed
