#include "protocol/feed/repair/repaired_document.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/feed/html/html_elements.hpp"
#include "protocol/feed/model/text_position.hpp"
#include "protocol/feed/repair/xml_repair.hpp"
#include "protocol/feed/xml/feed_root.hpp"
#include "protocol/feed/xml/xml_document.hpp"

namespace sluice::feed {

namespace {

// The place of the first item that the document ends inside of.
std::optional<std::size_t> torn_item(const ParsedDocument& document, const std::vector<std::size_t>& torn) {
    for (const Item& item : document.items_) {
        const auto begin = static_cast<std::size_t>(item.source.data() - document.text_->data());
        if (std::binary_search(torn.begin(), torn.end(), begin)) return begin;
    }
    return std::nullopt;
}

class DocumentRepairer {
public:
    DocumentRepairer(const std::string& text, const DocumentOptions& options, const FeedError& fault)
        : text_(text), options_(options), fault_(fault) {}

    ParsedDocumentResult repair(Repairs& repairs);

private:
    ParsedDocumentResult parse(std::size_t end, Repairs& repairs);
    FeedError in_source(FeedError error, const RepairedXml& repaired) const;

    const std::string& text_;
    const DocumentOptions& options_;
    const FeedError& fault_;
    bool is_cut_ = false;
    std::optional<std::size_t> torn_;  // where an item begins that the document ends inside of; set by parse()
};

ParsedDocumentResult DocumentRepairer::repair(Repairs& repairs) {
    ParsedDocumentResult parsed = parse(std::string::npos, repairs);
    if (parsed && torn_) {
        Repairs again;
        parsed = fault_;  // frees its memory
        parsed = parse(*torn_, again);
        if (parsed && torn_) return fault_;
    }
    if (!parsed) return parsed;
    const ParsedDocument& document = **parsed;
    if (is_cut_ && document.items_.empty()) return fault_;
    const std::string_view root = document.tree_.root().name();
    if (document.format_ == FeedFormat::xml && options_.event_path.empty() && is_root_of_html(local_part(root)))
        return FeedError{FeedError::Kind::not_a_feed, "the document is a piece of an HTML page, not a feed"};
    return parsed;
}

// Parses the repaired text, without what begins at `end`.
ParsedDocumentResult DocumentRepairer::parse(std::size_t end, Repairs& repairs) {
    auto repaired = repair_xml(text_, options_.limits, !options_.event_path.empty(), repairs, end);
    if (!repaired) return repaired.error().kind == FeedError::Kind::not_well_formed ? fault_ : repaired.error();
    is_cut_ = is_cut_ || !repaired->torn.empty();
    auto parsed = parse_xml_document(std::make_shared<const std::string>(std::move(repaired->text)), options_);
    if (!parsed) {
        if (parsed.error().kind == FeedError::Kind::not_well_formed) return fault_;
        return in_source(std::move(parsed).error(), *repaired);
    }
    for (ItemRefusal& refusal : (*parsed)->refusals_.first)
        refusal.error = in_source(std::move(refusal.error), *repaired);
    torn_ = torn_item(**parsed, repaired->torn);
    if (torn_) torn_ = repaired->source_of(*torn_);
    return parsed;
}

FeedError DocumentRepairer::in_source(FeedError error, const RepairedXml& repaired) const {
    return error_at(error.kind, text_, repaired.source_of(error.offset), std::move(error.message));
}

}  // namespace

ParsedDocumentResult parse_xml_or_repair(const std::shared_ptr<const std::string>& text, const DocumentOptions& options,
                                         Repairs& repairs) {
    auto parsed = parse_xml_document(text, options);
    if (parsed || options.repair == RepairMode::strict) return parsed;
    // Elements without end tags may nest too deep before anything else is wrong.
    const bool is_limit = parsed.error().kind == FeedError::Kind::limit;
    if (!is_limit && parsed.error().kind != FeedError::Kind::not_well_formed) return parsed;
    const FeedError fault = std::move(parsed).error();
    parsed = DocumentRepairer(*text, options, fault).repair(repairs);
    if (is_limit && (!parsed || repairs.is_first(RepairKind::unclosed_element))) return fault;
    if (parsed) repairs.locate(*text);
    return parsed;
}

}  // namespace sluice::feed
