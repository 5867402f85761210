#include "protocol/feed/model/tree.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t few_nodes = 1'000;  // may have spare room

template <class Items>
void give_back(Items& items) {
    if (items.capacity() > items.size() + items.size() / 8) items.shrink_to_fit();
}

}  // namespace

std::string_view TreeNode::instruction_target() const {
    const Tree::Node& node = tree_->nodes_[index_];
    const std::string_view text(node.text, node.size);
    return text.substr(0, text::find_if(text, text::is_ascii_space));
}

std::string_view TreeNode::instruction_data() const {
    const Tree::Node& node = tree_->nodes_[index_];
    std::string_view text(node.text, node.size);
    text.remove_prefix(instruction_target().size());
    while (!text.empty() && text::is_ascii_space(text.front())) text.remove_prefix(1);
    return text;
}

TreeNode TreeNode::at_path(std::string_view path) const {
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return child(path);
    for (const TreeNode child : children(path.substr(0, slash))) {
        if (const TreeNode found = child.at_path(path.substr(slash + 1))) return found;
    }
    return {};
}

TreeNode Tree::root() const {
    for (const TreeNode node : document().children())
        if (node.is_element()) return node;
    return {};
}

void Tree::remove_last(TreeNode element) {
    close_to(element.parent());
    elements_ = nodes_[element.index_].number;
    attributes_.resize(nodes_[element.index_].first_attribute);
    nodes_.resize(element.index_);
}

void Tree::rename(TreeNode element, std::string_view name) {
    Node& node = nodes_[element.index_];
    node.text = name.data();
    node.size = static_cast<std::uint32_t>(name.size());
}

void Tree::rename(const TreeAttribute& attribute, std::string_view name) {
    TreeAttribute& place = attributes_[static_cast<std::size_t>(&attribute - attributes_.data())];
    place = TreeAttribute(name, place.value());
}

void Tree::finish() {
    close_to(document());
    close();
    if (nodes_.size() < few_nodes) return;
    give_back(nodes_);
    give_back(attributes_);
}

}  // namespace sluice::feed
