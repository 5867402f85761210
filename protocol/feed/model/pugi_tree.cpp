#include "protocol/feed/model/pugi_tree.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>
#include <string>

#include "gpu/check/check.hpp"
#include "protocol/feed/model/tree.hpp"

namespace sluice::feed {

namespace {

thread_local std::size_t trees_made = 0;
thread_local std::size_t allocated_bytes = 0;  // modulo 2^64: a tree may be freed by another thread
thread_local std::size_t failures = 0;         // pugixml then leaves out nodes, or reports it as a fault of the text

void* allocate(std::size_t size) {
    void* const block = std::malloc(size);
    failures += block == nullptr ? 1u : 0u;
    allocated_bytes += malloc_usable_size(block);
    return block;
}

void deallocate(void* block) {
    allocated_bytes -= malloc_usable_size(block);
    std::free(block);
}

// These functions are the standard ones, so they can also free memory allocated before.
void count_allocations() {
    [[maybe_unused]] static const bool set = [] {
        pugi::set_memory_management_functions(allocate, deallocate);
        return true;
    }();
}

class Copier {
public:
    explicit Copier(pugi::xml_node document) : parent_(document) {}
    void copy(const Tree& tree);

private:
    const char* terminated(std::string_view text) {
        room_ = text;
        return room_.c_str();
    }
    void add_element(TreeNode element);
    void add_leaf(TreeNode leaf);

    pugi::xml_node parent_;
    std::string room_;
};

void Copier::add_element(TreeNode element) {
    parent_ = parent_.append_child(terminated(element.name()));
    for (const TreeAttribute& attribute : element.attributes()) {
        pugi::xml_attribute copy = parent_.append_attribute(terminated(attribute.name()));
        copy.set_value(terminated(attribute.value()));
    }
}

void Copier::add_leaf(TreeNode leaf) {
    // By NodeType.
    static constexpr pugi::xml_node_type types[] = {pugi::node_null,   pugi::node_document, pugi::node_element,
                                                    pugi::node_pcdata, pugi::node_cdata,    pugi::node_comment,
                                                    pugi::node_pi};
    pugi::xml_node copy = parent_.append_child(types[static_cast<std::size_t>(leaf.type())]);
    copy.set_name(terminated(leaf.name()));  // of an instruction; others have none
    copy.set_value(terminated(leaf.value()));
}

void Copier::copy(const Tree& tree) {
    TreeNode parent = tree.document();
    for (TreeNode node = parent.first_child(); node; node = node.next_below(tree.document())) {
        for (; node.parent() != parent; parent = parent.parent()) parent_ = parent_.parent();
        if (node.is_element()) {
            add_element(node);
            parent = node;
        } else {
            add_leaf(node);
        }
    }
}

}  // namespace

PugiTree::PugiTree(const Document& document) : PugiTree(document.tree(), document.xml()) {}

PugiTree::PugiTree(const Tree& tree) : PugiTree(tree, {}) {}

PugiTree::PugiTree(const Tree& tree, std::string_view xml) {
    count_allocations();
    const std::size_t bytes_before = allocated_bytes, failures_before = failures;
    document_ = std::make_unique<pugi::xml_document>();
    if (xml.empty())
        Copier(*document_).copy(tree);
    else
        SLUICE_CHECK(document_->load_buffer(xml.data(), xml.size(), feed_parse_flags, pugi::encoding_utf8) ||
                     failures != failures_before);
    if (failures != failures_before) throw std::bad_alloc();
    bytes_ = sizeof *document_ + (allocated_bytes - bytes_before);
    ++trees_made;
}

std::size_t PugiTree::made() { return trees_made; }

}  // namespace sluice::feed
