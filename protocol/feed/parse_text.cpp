#include "protocol/feed/parse_text.hpp"

#include <utility>

#include "protocol/feed/data/data_parsers.hpp"
#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/model/text_position.hpp"
#include "protocol/feed/repair/repaired_document.hpp"

namespace sluice::feed {

namespace {

FeedError wrong_type(const std::string& type) {
    return FeedError{FeedError::Kind::content_type, "the content type \"" + excerpt(type) +
                                                        "\" is not that of a feed, XML or JSON, nor of data that the "
                                                        "broker reads; accepted: " +
                                                        accepted_media_types()};
}

ParsedDocumentResult parse_syntax(Syntax syntax, std::shared_ptr<const std::string> text,
                                  const DocumentOptions& options, Repairs& repairs) {
    switch (syntax) {
        case Syntax::json:
            return parse_json_document(std::move(text), options, names_feed(options.content_type.type));
        case Syntax::json_lines:
            return parse_json_lines(std::move(text), options);
        case Syntax::cloud_event:
            return parse_cloud_event(std::move(text), options);
        case Syntax::cloud_events:
            return parse_cloud_events(std::move(text), options);
        case Syntax::csv:
            return parse_csv(std::move(text), options, options.content_type.header != "absent");
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

boost::system::result<Syntax, FeedError> find_syntax(const MediaType& content_type, std::string_view text) {
    const auto syntax = document_syntax(content_type, text);
    if (!syntax) return wrong_type(content_type.type);
    return *syntax;
}

ParsedDocumentResult parse_text(std::shared_ptr<const std::string> text, Syntax syntax, const DocumentOptions& options,
                                Repairs repairs) {
    auto parsed = parse_syntax(syntax, std::move(text), options, repairs);
    if (!parsed) return parsed;
    ParsedDocument& document = **parsed;
    document.syntax_ = syntax;
    document.repairs_ = std::move(repairs);
    if (!options.trace.empty()) document.trace_ = options.trace;
    document.feed_fields_ = read_feed_fields(document);
    document.memory_bytes_ =
        sizeof document + sizeof *document.text_ + document.text_->capacity() + document.rewritten_.capacity() +
        document.context_.memory_bytes() + document.items_.capacity() * sizeof(Item) +
        columns_bytes(document.columns_) + document.undeclared_names_.capacity() * sizeof(UndeclaredName) +
        document.trace_.parent.capacity() + document.trace_.state.capacity() + document.tree_.memory_bytes();
    return parsed;
}

}  // namespace sluice::feed
