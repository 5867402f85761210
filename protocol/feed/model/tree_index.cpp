#include "protocol/feed/model/tree_index.hpp"

#include <span>
#include <string_view>
#include <utility>

#include "protocol/feed/model/node_text.hpp"
#include "protocol/filter/evaluator/document_index_builder.hpp"

namespace sluice::feed {

namespace {

using xpath::DocumentIndexBuilder;
using xpath::Node;

constexpr std::uint64_t steps_per_node = 16;  // for indexing it

using UndeclaredNames = std::span<const UndeclaredName>;

// Removes the names of this element from the front.
UndeclaredNames take_names_of(std::uint32_t element, UndeclaredNames& names) {
    std::size_t count = 0;
    while (count < names.size() && names[count].element == element) ++count;
    const UndeclaredNames taken = names.first(count);
    names = names.subspan(count);
    return taken;
}

// Of the name just added, if it is the first of those that are left.
void add_namespace(DocumentIndexBuilder& builder, std::uint32_t attribute, UndeclaredNames& names) {
    if (names.empty() || names.front().attribute != attribute) return;
    builder.own_namespace(names.front().uri);
    names = names.subspan(1);
}

// pugixml's accessors are library calls and take most of the time here, so call as few as possible.
void add_attributes(DocumentIndexBuilder& builder, pugi::xml_node element, UndeclaredNames names, xpath::Meter& meter) {
    std::uint32_t number = 0;
    for (pugi::xml_attribute attribute = element.first_attribute();; attribute = attribute.next_attribute()) {
        const std::string_view name = attribute.name();
        if (name.empty() && !attribute) return;
        meter.spend(steps_per_node);
        ++number;
        if (is_xpath_attribute(name)) {
            builder.attribute(name, attribute.value());
            add_namespace(builder, number, names);
        } else {
            builder.declaration(name.size() > 5 ? name.substr(6) : std::string_view(), attribute.value());
        }
    }
}

void add_leaf(DocumentIndexBuilder& builder, pugi::xml_node node, pugi::xml_node_type type) {
    switch (type) {
        case pugi::node_pcdata:
        case pugi::node_cdata:
            return builder.text(node.value());
        case pugi::node_comment:
            return builder.comment(node.value());
        case pugi::node_pi:
            return builder.processing_instruction(node.name(), node.value());
        default:
            return;
    }
}

// In document order. Calls opened(number, node) for each element, which are counted from 0.
template <class Opened>
xpath::DocumentIndex walk(const Document& document, const PugiTree& tree, xpath::Meter& meter,
                          xpath::DocumentIndex spare, const Opened& opened) {
    DocumentIndexBuilder builder(std::move(spare), &meter);
    UndeclaredNames undeclared = document.undeclared_names();
    std::uint32_t elements = 0;
    pugi::xml_node node = tree.document().first_child();
    pugi::xml_node_type type = node.type();  // node_null: no node
    while (type != pugi::node_null) {
        meter.spend(steps_per_node);
        if (type == pugi::node_element) {
            opened(elements, builder.open_element(node.name()));
            UndeclaredNames names = take_names_of(elements++, undeclared);
            add_namespace(builder, 0, names);
            add_attributes(builder, node, names, meter);
            const pugi::xml_node child = node.first_child();
            type = child.type();
            if (type != pugi::node_null) {
                node = child;
                continue;
            }
            builder.close_element();
        } else {
            add_leaf(builder, node, type);
        }
        pugi::xml_node next = node.next_sibling();
        for (type = next.type(); type == pugi::node_null && builder.is_open(); type = next.type()) {
            builder.close_element();
            node = node.parent();
            next = node.next_sibling();
        }
        node = next;
    }
    return builder.finish();
}

}  // namespace

TreeIndex index_tree(const Document& document, xpath::Meter& meter, xpath::DocumentIndex spare) {
    const std::span<const Item> items = document.items();
    TreeIndex index{PugiTree(document), {}, {}};
    index.items.reserve(items.size());
    // Items are in document order.
    index.nodes = walk(document, index.tree, meter, std::move(spare), [&](std::uint32_t element, Node node) {
        const std::size_t next = index.items.size();
        if (next < items.size() && items[next].element.element_number() == element) index.items.push_back(node);
    });
    index.items.resize(items.size(), xpath::no_node);
    return index;
}

xpath::DocumentIndex index_elements(const Document& document, const PugiTree& tree, std::vector<TreeNode>& elements,
                                    xpath::Meter& meter) {
    const TreeNode top = document.tree().document();
    TreeNode element = top;  // of the tree, with the number that is being walked
    xpath::DocumentIndex index = walk(document, tree, meter, {}, [&](std::uint32_t, Node node) {
        do element = element.next_below(top);
        while (!element.is_element());
        elements.resize(node);
        elements.push_back(element);
    });
    elements.resize(index.size());
    return index;
}

}  // namespace sluice::feed
