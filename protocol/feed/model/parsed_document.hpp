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
    const Tree& tree() const override { return tree_; }
    std::string_view xml() const override {
        if (!rewritten_.empty()) return rewritten_;
        return xml_begin_ == no_xml ? std::string_view() : std::string_view(*text_).substr(xml_begin_);
    }
    std::span<const UndeclaredName> undeclared_names() const override { return undeclared_names_; }
    std::span<const Item> items() const override { return items_; }
    std::string_view head() const override { return head_; }
    std::span<const Column> columns() const override { return columns_; }
    const Refusals& refusals() const override { return refusals_; }
    TreeNode feed() const override { return feed_; }
    const FeedFields& feed_fields() const override { return feed_fields_; }
    const std::shared_ptr<const std::string>& text() const override { return text_; }
    const SourceContext& source_context() const override { return context_; }
    const Repairs& repairs() const override { return repairs_; }
    const text::TraceContext& trace() const override { return trace_; }
    const DeadLetterPtr& dead_letter() const override { return dead_letter_; }
    std::size_t memory_bytes() const override { return memory_bytes_; }

    std::shared_ptr<const std::string> text_;
    Tree tree_;  // has views of text_
    TreeNode feed_;
    // The XML of tree(): of text_ from there on, if nothing is rewritten.
    static constexpr std::size_t no_xml = ~std::size_t{0};
    std::string rewritten_;
    std::size_t xml_begin_ = no_xml;
    FeedFields feed_fields_;                        // filled in when the rest is complete
    std::vector<UndeclaredName> undeclared_names_;  // points into text_
    std::vector<Item> items_;
    Refusals refusals_;
    SourceContext context_;  // has views of text_
    std::string_view head_;  // of text_
    std::vector<Column> columns_;
    Repairs repairs_;
    text::TraceContext trace_;   // filled in by parse_text()
    DeadLetterPtr dead_letter_;  // filled in by parse_record()
    FeedFormat format_ = FeedFormat::xml;
    Syntax syntax_ = Syntax::xml;   // filled in by parse_text()
    std::size_t memory_bytes_ = 0;  // filled in last
};

using ParsedDocumentResult = boost::system::result<std::shared_ptr<ParsedDocument>, FeedError>;

}  // namespace sluice::feed
