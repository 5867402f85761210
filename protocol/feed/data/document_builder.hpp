// Builds the tree of a document that is not XML: <feed> with an <item> for each event, within the limits. Used by the
// parser of each syntax while it reads, then handed in. Belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/feed/data/data_normal_form.hpp"
#include "protocol/feed/model/parsed_document.hpp"

namespace sluice::feed {

// Longer names of elements count against the document's text.
inline constexpr std::size_t plain_name_bytes = 24;

class DocumentBuilder {
public:
    // The options must outlive it.
    DocumentBuilder(std::shared_ptr<const std::string> text, FeedFormat format, const DocumentOptions& options);

    const std::string& text() const { return *document_->text_; }
    const FeedLimits& limits() const { return limits_; }
    // Gets what the begun item says; null if nobody asks for digests of such items.
    DataNormalizer* normalizer() { return normalizer_ ? &*normalizer_ : nullptr; }
    TreeNode feed() const { return document_->feed_; }

    // Begins the item that is published at this offset. Null if the document has too many items or values.
    TreeNode begin_item(std::size_t offset);
    // Ends it with the offset behind it; the item is an event, unless it has too many values.
    void end_item(std::size_t end);
    // Takes the begun item back. The document is accepted without it, and says why.
    void refuse_item(FeedError::Kind kind, std::size_t offset, std::string message);

    // Null if the item or the document is full. What the caller reads after that is lost.
    // The parent is an element that has been added last, or one around it.
    TreeNode add_element(TreeNode parent, std::string_view name);
    // An element with this text, if there is room.
    void add_value(TreeNode parent, std::string_view name, std::string_view text);
    // The same as an attribute of the item just begun, which has few of them; none is added to a full item.
    void add_attribute(std::string_view name, std::string_view text);
    // For the normalizer: the item has a value that is this text.
    void say(std::string_view name, std::string_view text) {
        if (normalizer_) normalizer_->member(name, text);
    }

    void set_columns(std::vector<Column> columns) { document_->columns_ = std::move(columns); }
    // The items depend on the text before this offset (Document::head).
    void set_head(std::size_t end) { document_->head_ = std::string_view(text()).substr(0, end); }

    // Refuses the document as a whole.
    void fail(FeedError::Kind kind, std::size_t offset, std::string message);
    bool has_failed() const { return fault_.has_value(); }

    // The document; or why it is refused: fail(), or all of its items were refused. Then the first reason is given.
    ParsedDocumentResult finish();

private:
    Tree& tree() { return document_->tree_; }
    bool count_value(std::size_t name_bytes);

    std::shared_ptr<ParsedDocument> document_;
    const FeedLimits& limits_;
    TreeNode item_;  // begun and not ended
    std::size_t item_begin_ = 0;
    std::size_t item_values_ = 0;
    std::size_t items_seen_ = 0;
    std::size_t values_ = 0;
    std::size_t long_name_bytes_ = 0;
    std::optional<FeedError> fault_;
    std::optional<DataNormalizer> normalizer_;
};

}  // namespace sluice::feed
