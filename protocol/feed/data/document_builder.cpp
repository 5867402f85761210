#include "protocol/feed/data/document_builder.hpp"

#include <utility>

#include "protocol/feed/model/limit_errors.hpp"
#include "protocol/feed/model/text_position.hpp"

namespace sluice::feed {

DocumentBuilder::DocumentBuilder(std::shared_ptr<const std::string> text, FeedFormat format,
                                 const DocumentOptions& options)
    : document_(std::make_shared<ParsedDocument>()), limits_(options.limits) {
    if (options.digests && (format == FeedFormat::json || (format == FeedFormat::data && options.digests->of_data)))
        normalizer_.emplace(options.digests->ignored);
    document_->text_ = std::move(text);
    document_->format_ = format;
    tree() = Tree(0, 0);
    document_->feed_ = tree().open("feed");
}

void DocumentBuilder::fail(FeedError::Kind kind, std::size_t offset, std::string message) {
    if (!fault_) fault_ = error_at(kind, text(), offset, std::move(message));
}

TreeNode DocumentBuilder::begin_item(std::size_t offset) {
    if (document_->items_.size() == limits_.items_max && !fault_) fault_ = too_many_items(text(), offset, limits_);
    item_begin_ = offset;
    item_values_ = 0;
    if (normalizer_) normalizer_->clear();
    ++items_seen_;
    item_ = {};
    if (!count_value(0)) return {};
    tree().close_to(document_->feed_);
    return item_ = tree().open("item");
}

void DocumentBuilder::end_item(std::size_t end) {
    if (fault_) return;
    if (item_values_ > limits_.item_values_max) {
        refuse_item(FeedError::Kind::limit, item_begin_, too_many_item_values({}, 0, limits_).message);
        return;
    }
    const std::string_view source = std::string_view(text()).substr(item_begin_, end - item_begin_);
    document_->items_.push_back({item_, source, normalizer_ ? normalizer_->digest() : text::Digest{}});
    item_ = {};
}

void DocumentBuilder::refuse_item(FeedError::Kind kind, std::size_t offset, std::string message) {
    if (fault_) return;
    if (item_) tree().remove_last(item_);
    item_ = {};
    Refusals& refusals = document_->refusals_;
    if (++refusals.count > refusals_max) return;
    refusals.first.push_back({items_seen_ - 1, error_at(kind, text(), offset, std::move(message))});
}

// Of the document and of the item.
bool DocumentBuilder::count_value(std::size_t name_bytes) {
    if (fault_) return false;
    if (item_ && item_values_ >= limits_.item_values_max) {
        ++item_values_;
        return false;
    }
    if (values_ == limits_.values_max) {
        fault_ = too_many_values(text(), item_begin_, limits_);
        return false;
    }
    if (name_bytes > plain_name_bytes) long_name_bytes_ += name_bytes - plain_name_bytes;
    if (long_name_bytes_ > text().size()) {
        fail(FeedError::Kind::limit, item_begin_,
             "the names of the values are too long: together they are larger than the document");
        return false;
    }
    ++values_;
    ++item_values_;
    return true;
}

TreeNode DocumentBuilder::add_element(TreeNode parent, std::string_view name) {
    if (!count_value(name.size()) || !parent) return {};
    tree().close_to(parent);
    return tree().open(tree().keep(name));
}

void DocumentBuilder::add_value(TreeNode parent, std::string_view name, std::string_view text) {
    if (!add_element(parent, name)) return;
    if (!text.empty()) tree().leaf(NodeType::text, tree().keep(text));
    tree().close();
}

void DocumentBuilder::add_attribute(std::string_view name, std::string_view text) {
    if (count_value(name.size())) tree().attribute(tree().keep(name), tree().keep(text));
}

ParsedDocumentResult DocumentBuilder::finish() {
    if (fault_) return std::move(*fault_);
    Refusals& refusals = document_->refusals_;
    if (document_->items_.empty() && refusals.count != 0) return std::move(refusals.first.front().error);
    tree().finish();
    return std::move(document_);
}

}  // namespace sluice::feed
