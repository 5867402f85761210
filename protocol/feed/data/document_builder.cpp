#include "protocol/feed/data/document_builder.hpp"

#include <utility>

#include "protocol/feed/model/limit_errors.hpp"
#include "protocol/feed/model/text_position.hpp"
#include "protocol/feed/model/tree_memory.hpp"

namespace sluice::feed {

DocumentBuilder::DocumentBuilder(std::shared_ptr<const std::string> text, FeedFormat format,
                                 const DocumentOptions& options)
    : document_(std::make_shared<ParsedDocument>()), limits_(options.limits) {
    if (options.digests && (format == FeedFormat::json || (format == FeedFormat::data && options.digests->of_data)))
        normalizer_.emplace(options.digests->ignored);
    document_->text_ = std::move(text);
    document_->format_ = format;
    document_->feed_ = document_->tree_.append_child("feed");
}

void DocumentBuilder::fail(FeedError::Kind kind, std::size_t offset, std::string message) {
    if (!fault_) fault_ = error_at(kind, text(), offset, std::move(message));
}

pugi::xml_node DocumentBuilder::begin_item(std::size_t offset) {
    if (document_->items_.size() == limits_.items_max && !fault_) fault_ = too_many_items(text(), offset, limits_);
    item_begin_ = offset;
    item_values_ = 0;
    if (normalizer_) normalizer_->clear();
    ++items_seen_;
    item_ = {};
    if (!count_value(0)) return {};
    return item_ = document_->feed_.append_child("item");
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
    document_->feed_.remove_child(item_);
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

pugi::xml_node DocumentBuilder::add_element(pugi::xml_node parent, const std::string& name) {
    return count_value(name.size()) ? parent.append_child(name.c_str()) : pugi::xml_node();
}

void DocumentBuilder::add_text(pugi::xml_node element, const std::string& text) {
    if (element && !text.empty()) element.append_child(pugi::node_pcdata).set_value(text.c_str());
}

void DocumentBuilder::add_value(pugi::xml_node parent, const std::string& name, const std::string& text) {
    add_text(add_element(parent, name), text);
}

void DocumentBuilder::add_attribute(pugi::xml_node element, const std::string& name, const std::string& text) {
    if (count_value(name.size())) element.append_attribute(name.c_str()).set_value(text.c_str());
}

ParsedDocumentResult DocumentBuilder::finish() {
    if (fault_) return std::move(*fault_);
    Refusals& refusals = document_->refusals_;
    if (document_->items_.empty() && refusals.count != 0) return std::move(refusals.first.front().error);
    return std::move(document_);
}

}  // namespace sluice::feed
