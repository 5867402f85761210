#include "protocol/feed/record/record_document.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/feed/encoding/encoding.hpp"
#include "protocol/feed/item/links.hpp"
#include "protocol/feed/model/limit_errors.hpp"
#include "protocol/feed/model/media_type.hpp"
#include "protocol/feed/model/parsed_document.hpp"
#include "protocol/feed/parse_text.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t depth_ceiling = 4'096;  // the largest limits.element_depth (config/schema.cpp)

// True if the media type needs no quotes (RFC 9110 §5.6.2). After any other character, such as an open quote, a
// parameter might be read as part of the type.
bool is_plain(std::string_view type) {
    const auto is_token = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               std::string_view("/!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    };
    return !type.empty() && std::all_of(type.begin(), type.end(), is_token);
}

std::string content_type_of(const Document& document, const MediaType& published) {
    const Syntax syntax = document.syntax();
    if (document.format() == FeedFormat::json) return "application/feed+json";
    // Text that begins as XML or JSON is recognised again. What else was found by its first bytes is named.
    const bool is_recognised = syntax == Syntax::xml || syntax == Syntax::json;
    const bool is_kept = is_recognised || published.type == tab_separated_type;
    std::string_view type = published.type;
    if (!is_kept || !is_plain(type)) type = media_type_of(syntax);
    const std::string_view header =
        syntax == Syntax::csv && published.header == "absent" ? "; header=absent" : std::string_view();
    // JSON is UTF-8 by definition, and its media types have no charset parameter (RFC 8259 §11).
    const std::string_view charset = is_json(syntax) ? std::string_view() : "; charset=utf-8";
    std::string whole;
    whole.reserve(type.size() + header.size() + charset.size());
    whole.append(type).append(header).append(charset);
    return whole;
}

}  // namespace

DocumentRecord record_document(const Document& document, const DocumentOptions& options) {
    DocumentRecord record;
    record.text = document.text();
    record.content_type = content_type_of(document, options.content_type);
    record.event_path = options.event_path;
    record.limits = options.limits;
    if (const text::TraceContext& trace = document.trace(); !trace.empty()) {
        record.trace_parent = trace.parent;
        record.trace_state = trace.state;
    }
    record.dead_letter = document.dead_letter();
    record.repairs = document.repairs().total();
    return record;
}

boost::system::result<DocumentPtr, FeedError> parse_record(const DocumentRecord& record, const FeedLimits& today) {
    if (record.text->size() > today.document_bytes_max) return too_many_bytes(today);
    FeedLimits limits = record.limits;
    limits.values_max = std::min(limits.values_max, today.values_max);
    if (limits.depth_max > depth_ceiling) {
        return FeedError{FeedError::Kind::limit, "a record claims that its elements may nest " +
                                                     std::to_string(limits.depth_max) + " deep; at most " +
                                                     std::to_string(depth_ceiling) + " can be read"};
    }
    if (auto fault = check_utf8(*record.text)) return std::move(*fault);
    DocumentOptions options{record.content_type, record.event_path, limits};
    options.trace = text::trace_context(record.trace_parent, record.trace_state);
    const auto syntax = find_syntax(options.content_type, *record.text);
    if (!syntax) return syntax.error();
    auto parsed = parse_text(record.text, *syntax, options);
    if (!parsed) return std::move(parsed).error();
    if (record.context == RecordContext::item) {
        const std::size_t items = (*parsed)->items_.size();
        if (items != 1) {
            return FeedError{FeedError::Kind::not_well_formed,
                             "a record of one item has a text with " + std::to_string(items) + " items"};
        }
        (*parsed)->feed_fields_ = record.feed_fields;
        (*parsed)->feed_fields_.base = feed_base(**parsed, record.feed_fields.link);
    }
    if (record.dead_letter != nullptr) {
        (*parsed)->dead_letter_ = record.dead_letter;
        (*parsed)->memory_bytes_ += sizeof(DeadLetter) + record.dead_letter->reason.capacity();
    }
    return DocumentPtr(std::move(*parsed));
}

}  // namespace sluice::feed
