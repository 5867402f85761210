// Builds an index from a walk through a document. Adjacent pieces of text become one node; empty pieces are dropped.
// Its arguments must outlive the index; texts are NUL-terminated. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/filter/evaluator/document_index.hpp"

namespace sluice::xpath {

class DocumentIndexBuilder {
public:
    // Takes over the memory of an index that is no longer needed. Calls the meter's hook while copying large columns to
    // grow them.
    explicit DocumentIndexBuilder(DocumentIndex spare = {}, Meter* meter = nullptr);

    Node open_element(std::string_view name) {
        open_ = add_child(label_of(NodeKind::element, index_.names_.intern(name)));
        index_.details_[open_] = open_ + 1;
        last_child_ = no_node;
        return open_;
    }
    // Adds an attribute to the element just opened.
    void attribute(std::string_view name, const char* value) {
        const Node node = add(label_of(NodeKind::attribute, index_.names_.intern(name)), no_node);
        set_text(node, value);
        index_.details_[open_] = node + 1;
    }
    void declaration(std::string_view prefix, std::string_view uri);  // likewise
    // The element or attribute just added is in this namespace, whatever the declarations say.
    void own_namespace(std::string_view uri);
    void close_element() {
        index_.ends_[open_] = index_.size_;
        last_child_ = open_;
        open_ = index_.parents_[open_];
    }
    void text(const char* text) {
        if (*text == 0) return;
        if (last_child_ != no_node && index_.kind(last_child_) == NodeKind::text) return add_piece(text);
        set_text(add_child(label_of(NodeKind::text)), text);
    }
    void comment(const char* text) { set_text(add_child(label_of(NodeKind::comment)), text); }
    void processing_instruction(std::string_view target, const char* data) {
        set_text(add_child(label_of(NodeKind::processing_instruction, index_.names_.intern(target))), data);
    }

    bool is_open() const { return open_ != document_node; }  // whether an element is open
    DocumentIndex finish();

private:
    Node add(Label label, Node previous) {
        const Node node = index_.size_;
        if (node == index_.labels_.size()) grow();
        index_.size_ = node + 1;
        index_.labels_[node] = label;
        index_.parents_[node] = open_;
        index_.ends_[node] = node + 1;
        index_.previous_[node] = previous;
        return node;
    }
    Node add_child(Label label) { return last_child_ = add(label, last_child_); }
    void set_text(Node node, const char* text) {
        index_.texts_[node] = text;
        index_.details_[node] = DocumentIndex::unmeasured;
    }
    void add_piece(const char* text);
    void grow();

    DocumentIndex index_;
    Meter* const meter_;
    Node open_ = no_node;        // the innermost open element, or the document
    Node last_child_ = no_node;  // of open_
};

}  // namespace sluice::xpath
