// A document in XPath's data model, as columns of numbers. Nodes are numbered in document order, the document node is
// 0, an element's attributes follow it directly, and everything below a node is one range. Names and texts stay in
// place: the index points into the document, which must outlive it. Only text in several pieces is copied. All text of
// the document is then joined at once, on first use. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/filter/evaluator/label.hpp"
#include "protocol/filter/evaluator/meter.hpp"
#include "protocol/filter/evaluator/name_table.hpp"

namespace sluice::xpath {

using Node = std::uint32_t;
inline constexpr Node document_node = 0;
inline constexpr Node no_node = ~Node{0};

// Does not initialise its memory, which is written before it is read.
template <class T>
struct UnsetAllocator : std::allocator<T> {
    template <class U>
    struct rebind {  // NOLINT(readability-identifier-naming): as allocators have it
        using other = UnsetAllocator<U>;
    };
    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
};

class DocumentIndex {
public:
    Node size() const { return size_; }
    std::size_t bytes() const;

    Label label(Node node) const { return labels_[node]; }
    NodeKind kind(Node node) const { return static_cast<NodeKind>(labels_[node] >> kind_shift); }
    Node parent(Node node) const { return parents_[node]; }  // no_node for the document
    Node end(Node node) const { return ends_[node]; }        // the first node after all nodes below this one
    // The first node after the node's attributes.
    Node body(Node node) const { return is_parent(node) ? details_[node] : node + 1; }
    Node first_child(Node node) const {
        const Node first = body(node);
        return first < ends_[node] ? first : no_node;
    }
    Node next_sibling(Node node) const {
        if (kind(node) == NodeKind::attribute || node == document_node) return no_node;
        return ends_[node] < ends_[parents_[node]] ? ends_[node] : no_node;
    }
    Node previous_sibling(Node node) const { return previous_[node]; }  // no_node for attributes, too

    // The qualified name of an element or attribute, or the target of a processing instruction; else no_name.
    std::uint32_t name(Node node) const { return labels_[node] & no_name; }
    std::uint32_t find_name(std::string_view name) const { return names_.find(name); }  // no_name: no node has it
    std::string_view name_text(std::uint32_t name) const { return names_.text(name); }

    // Calls the meter's hook while text is being joined.
    std::string_view string_value(Node node, Meter* meter = nullptr) const {
        if (is_parent(node)) {
            const Node first = details_[node];
            if (first == ends_[node]) return std::string_view("");
            if (ends_[node] - first > 1 || kind(first) != NodeKind::text) return joined_text(node, meter);
            node = first;
        }
        if (details_[node] == in_pieces) return joined_text(node, meter);
        if (details_[node] == unmeasured) measure(node);
        return {texts_[node], details_[node]};
    }

    // Bytes read to find where texts end and to join them, at most once each. They are not charged to an evaluation,
    // since any other one could have come first.
    std::size_t bytes_read() const { return bytes_read_; }

    // The URI of an element's or attribute's namespace, "" for none.
    std::string_view namespace_uri(Node node) const;

private:
    friend class DocumentIndexBuilder;

    template <class T>
    using Column = std::vector<T, UnsetAllocator<T>>;

    struct Declaration {
        Node element;
        std::string_view prefix, uri;
    };
    struct OwnNamespace {
        Node node;
        std::string_view uri;
    };
    struct Piece {
        Node node;
        const char* text;
    };
    // All text nodes joined; the offset at which each node begins, and the end of the last one.
    struct JoinedText {
        std::string text;
        Column<std::uint32_t> offsets;
    };
    static constexpr std::uint32_t in_pieces = ~std::uint32_t{0}, unmeasured = in_pieces - 1;

    bool is_parent(Node node) const { return labels_[node] < label_of(NodeKind::attribute, 0); }
    void measure(Node node) const {
        details_[node] = static_cast<std::uint32_t>(std::strlen(texts_[node]));
        bytes_read_ += details_[node];
    }
    std::string_view joined_text(Node node, Meter* meter) const;
    void join(Meter* meter) const;
    template <class Take>
    void each_piece(const Take& take) const;  // take(node, text); empty text for nodes other than texts
    void clear();                             // keeps the memory

    Node size_ = 0;  // the columns have room for more
    Column<Label> labels_;
    Column<Node> parents_, ends_, previous_;
    // Of documents and elements: where their attributes end. Of other nodes: the length of their text once known.
    mutable Column<std::uint32_t> details_;
    Column<const char*> texts_;
    std::vector<Piece> pieces_;  // of texts in several pieces, in document order
    NameTable names_;
    std::vector<Declaration> declarations_;     // sorted by element
    std::vector<OwnNamespace> own_namespaces_;  // of nodes for which declarations_ is wrong, sorted
    mutable JoinedText joined_;
    mutable bool is_joined_ = false;
    mutable std::size_t bytes_read_ = 0;
};

}  // namespace sluice::xpath
