#include "protocol/feed/document.hpp"

#include <new>
#include <utility>

#include "protocol/feed/document_memory.hpp"
#include "protocol/feed/encoding.hpp"
#include "protocol/feed/encoding_guess.hpp"
#include "protocol/feed/feed_root.hpp"
#include "protocol/feed/fields.hpp"
#include "protocol/feed/media_type.hpp"
#include "protocol/feed/parsed_document.hpp"
#include "protocol/feed/repaired_document.hpp"
#include "protocol/feed/text_position.hpp"

namespace sluice::feed {

namespace {

FeedError wrong_type(const std::string& type) {
    return FeedError{FeedError::Kind::content_type, "the content type \"" + excerpt(type) +
                                                        "\" is not that of a feed, XML or JSON, nor of data that the "
                                                        "broker reads; accepted: " +
                                                        accepted_media_types()};
}

FeedError over_limit(const std::string& text, std::size_t offset, const std::string& message, std::size_t value) {
    return error_at(FeedError::Kind::limit, text, offset, message + " (" + std::to_string(value) + ")");
}

// The text of a document, repaired if that is allowed and needed.
boost::system::result<std::string, FeedError> decode(std::string bytes, std::string_view charset,
                                                     const DocumentOptions& options, Repairs& repairs) {
    const bool is_lenient = options.repair == RepairMode::lenient;
    if (is_lenient && is_wrongly_wide(bytes, charset)) {
        repairs.note(RepairKind::encoding, 0, "the document is not text in " + excerpt(charset));
        charset = {};
    }
    std::string& kept = bytes;  // as it was, after an error
    boost::system::result<std::string, FeedError> text = FeedError();
    if (!is_lenient || !is_utf8_by_another_name(bytes, charset)) {
        text = to_utf8(std::move(bytes), charset, options.limits.document_bytes_max);
        if (text || !is_lenient || text.error().kind == FeedError::Kind::limit) return text;
    }
    text = repair_encoding(kept, charset, options.limits.document_bytes_max, repairs);
    if (text) repairs.locate(*text);
    return text;
}

}  // namespace

FeedError too_many_bytes(const FeedLimits& limits) {
    return over_limit({}, 0, "the document is larger than limits.document_bytes", limits.document_bytes_max);
}

FeedError too_many_items(const std::string& text, std::size_t offset, const FeedLimits& limits) {
    return over_limit(text, offset, "the document has more items than limits.items", limits.items_max);
}

FeedError too_many_item_values(const std::string& text, std::size_t offset, const FeedLimits& limits) {
    return over_limit(text, offset, "the item that begins here has more values than limits.values_per_event",
                      limits.item_values_max);
}

FeedError too_many_values(const std::string& text, std::size_t offset, const FeedLimits& limits) {
    return over_limit(text, offset, "the document has more values than limits.values", limits.values_max);
}

const SourceContext& Document::source_context() const {
    static const SourceContext none;
    return none;
}

const Repairs& Document::repairs() const {
    static const Repairs none;
    return none;
}

namespace {

ParsedDocumentResult parse_syntax(const DocumentForm& form, std::shared_ptr<const std::string> text,
                                  const DocumentOptions& options, Repairs& repairs) {
    switch (form.syntax) {
        case Syntax::json:
            return parse_json_document(std::move(text), options, names_feed(form.type.type));
        case Syntax::json_lines:
            return parse_json_lines(std::move(text), options);
        case Syntax::cloud_event:
            return parse_cloud_event(std::move(text), options);
        case Syntax::cloud_events:
            return parse_cloud_events(std::move(text), options);
        case Syntax::csv:
            return parse_csv(std::move(text), options, form.type.header != "absent");
        case Syntax::fasta:
            return parse_fasta(std::move(text), options);
        case Syntax::fastq:
            return parse_fastq(std::move(text), options);
        case Syntax::xml:
            break;
    }
    return parse_xml_or_repair(text, options, repairs);
}

std::size_t columns_bytes(const std::vector<Column>& columns) {
    std::size_t bytes = columns.capacity() * sizeof(Column);
    for (const Column& column : columns) bytes += column.name.capacity();
    return bytes;
}

}  // namespace

boost::system::result<DocumentForm, FeedError> document_form(std::string_view content_type, std::string_view text) {
    MediaType type = parse_media_type(content_type);
    const auto syntax = document_syntax(type, text);
    if (!syntax) return wrong_type(type.type);
    return DocumentForm{std::move(type), *syntax};
}

ParsedDocumentResult parse_text(std::shared_ptr<const std::string> text, const DocumentForm& form,
                                const DocumentOptions& options, Repairs repairs) {
    const TreeMemoryMeter tree_memory;
    auto parsed = parse_syntax(form, std::move(text), options, repairs);
    if (tree_memory.has_failed()) throw std::bad_alloc();
    if (!parsed) return parsed;
    ParsedDocument& document = **parsed;
    document.syntax_ = form.syntax;
    document.repairs_ = std::move(repairs);
    document.feed_fields_ = read_feed_fields(document);
    document.memory_bytes_ = sizeof document + sizeof *document.text_ + document.text_->capacity() +
                             document.buffer_.capacity() + document.context_.memory_bytes() +
                             document.items_.capacity() * sizeof(Item) + columns_bytes(document.columns_) +
                             document.undeclared_names_.capacity() * sizeof(UndeclaredName) + tree_memory.bytes();
    return parsed;
}

boost::system::result<DocumentPtr, FeedError> parse_document(std::string bytes, const DocumentOptions& options) {
    const std::size_t bytes_max = options.limits.document_bytes_max;
    if (bytes.size() > bytes_max) return too_many_bytes(options.limits);
    auto form = document_form(options.content_type, bytes);
    if (!form) return std::move(form).error();
    const char* const published = bytes.data();
    // JSON is UTF-8, whatever charset the request claims (RFC 8259 §8.1).
    const std::string_view charset = is_json(form->syntax) ? std::string_view() : form->type.charset;
    Repairs repairs;
    auto text = decode(std::move(bytes), charset, options, repairs);
    if (!text) return std::move(text).error();
    // What has been converted may begin as bytes of another syntax.
    if (text->data() != published) form = document_form(options.content_type, *text);
    auto parsed = parse_text(std::make_shared<const std::string>(std::move(*text)), *form, options, std::move(repairs));
    if (!parsed) return std::move(parsed).error();
    if (is_json(form->syntax) && (*parsed)->format() == FeedFormat::data && names_feed(form->type.type))
        return FeedError{FeedError::Kind::not_a_feed,
                         "the document is JSON, but no JSON Feed with items, as its content type says"};
    if (std::string why = why_no_feed(**parsed, options.event_path); !why.empty())
        return FeedError{FeedError::Kind::not_a_feed, std::move(why)};
    return DocumentPtr(std::move(*parsed));
}

}  // namespace sluice::feed
