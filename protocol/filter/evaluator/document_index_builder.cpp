#include "protocol/filter/evaluator/document_index_builder.hpp"

#include <algorithm>
#include <utility>

namespace sluice::xpath {

namespace {

constexpr std::size_t nodes_min = 1024;                // initial room
constexpr std::size_t nodes_between_looks = 1u << 16;  // in one column, copied between calls of the hook

}  // namespace

DocumentIndexBuilder::DocumentIndexBuilder(DocumentIndex spare, Meter* meter)
    : index_(std::move(spare)), meter_(meter) {
    index_.clear();
    open_ = add(label_of(NodeKind::document), no_node);
    index_.parents_[document_node] = no_node;
    index_.details_[document_node] = 1;
}

void DocumentIndexBuilder::declaration(std::string_view prefix, std::string_view uri) {
    index_.declarations_.push_back({open_, prefix, uri});
}

void DocumentIndexBuilder::own_namespace(std::string_view uri) {
    index_.own_namespaces_.push_back({index_.size_ - 1, uri});
}

void DocumentIndexBuilder::add_piece(const char* text) {
    std::uint32_t& length = index_.details_[last_child_];
    if (length != DocumentIndex::in_pieces) index_.pieces_.push_back({last_child_, index_.texts_[last_child_]});
    length = DocumentIndex::in_pieces;
    index_.pieces_.push_back({last_child_, text});
}

void DocumentIndexBuilder::grow() {
    const std::size_t nodes = std::max(nodes_min, 2 * index_.labels_.size());
    const auto enlarge = [&](auto& column) {
        column.resize(nodes);
        if (meter_ && nodes >= nodes_between_looks) meter_->look();
    };
    enlarge(index_.parents_);
    enlarge(index_.ends_);
    enlarge(index_.previous_);
    enlarge(index_.details_);
    enlarge(index_.texts_);
    enlarge(index_.labels_);
}

DocumentIndex DocumentIndexBuilder::finish() {
    index_.ends_[document_node] = index_.size_;
    return std::move(index_);
}

}  // namespace sluice::xpath
