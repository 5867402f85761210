// What the parsers of XML and JSON fill in, and Document shows. Belongs to the parser until it is handed out as const.
#pragma once

#include <string>
#include <vector>

#include "protocol/feed/document.hpp"

namespace sluice {

struct ParsedDocument final : Document {
    FeedFormat format() const override { return format_; }
    const pugi::xml_document& tree() const override { return tree_; }
    std::span<const Item> items() const override { return items_; }
    pugi::xml_node feed() const override { return feed_; }
    const FeedFields& feed_fields() const override { return feed_fields_; }

    std::string text_;    // as published, in UTF-8; Item::source points into it
    std::string buffer_;  // the tree's names and values point into it
    pugi::xml_document tree_;
    pugi::xml_node feed_;
    FeedFields feed_fields_;  // filled in when the rest is complete
    std::vector<Item> items_;
    FeedFormat format_ = FeedFormat::xml;
};

using ParsedDocumentResult = boost::system::result<std::shared_ptr<ParsedDocument>, FeedError>;

// `text` is UTF-8 without control characters (to_utf8).
ParsedDocumentResult parse_xml_document(std::string text, const DocumentOptions& options);
ParsedDocumentResult parse_json_document(std::string text, const DocumentOptions& options);

// The refusals that both have in common.
FeedError too_many_items(const std::string& text, std::size_t offset, const FeedLimits& limits);
FeedError too_many_item_values(const std::string& text, std::size_t offset, const FeedLimits& limits);
FeedError too_many_values(const std::string& text, std::size_t offset, const FeedLimits& limits);

}  // namespace sluice
