// The data that the parsers fill in and Document exposes. The parser owns it until it hands it out as
// const.
#pragma once

#include <boost/system/result.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/document_syntax.hpp"
#include "protocol/feed/model/source_context.hpp"

namespace sluice::feed {

struct ParsedDocument final : Document {
    FeedFormat format() const override { return format_; }
    Syntax syntax() const override { return syntax_; }
    const pugi::xml_document& tree() const override { return tree_; }
    std::span<const UndeclaredName> undeclared_names() const override { return undeclared_names_; }
    std::span<const Item> items() const override { return items_; }
    std::string_view head() const override { return head_; }
    std::span<const Column> columns() const override { return columns_; }
    const Refusals& refusals() const override { return refusals_; }
    pugi::xml_node feed() const override { return feed_; }
    const FeedFields& feed_fields() const override { return feed_fields_; }
    const std::shared_ptr<const std::string>& text() const override { return text_; }
    const SourceContext& source_context() const override { return context_; }
    const Repairs& repairs() const override { return repairs_; }
    std::size_t memory_bytes() const override { return memory_bytes_; }

    std::shared_ptr<const std::string> text_;
    std::string buffer_;  // the tree's names and values point into it
    pugi::xml_document tree_;
    pugi::xml_node feed_;
    FeedFields feed_fields_;                        // filled in when the rest is complete
    std::vector<UndeclaredName> undeclared_names_;  // points into text_
    std::vector<Item> items_;
    Refusals refusals_;
    SourceContext context_;  // has views of text_
    std::string_view head_;  // of text_
    std::vector<Column> columns_;
    Repairs repairs_;
    FeedFormat format_ = FeedFormat::xml;
    Syntax syntax_ = Syntax::xml;   // filled in by parse_text()
    std::size_t memory_bytes_ = 0;  // filled in last
};

using ParsedDocumentResult = boost::system::result<std::shared_ptr<ParsedDocument>, FeedError>;

}  // namespace sluice::feed
