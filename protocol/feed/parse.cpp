#include "protocol/feed/parse.hpp"

#include <utility>

#include "protocol/feed/encoding/encoding.hpp"
#include "protocol/feed/encoding/encoding_guess.hpp"
#include "protocol/feed/known_format.hpp"
#include "protocol/feed/model/limit_errors.hpp"
#include "protocol/feed/model/text_position.hpp"
#include "protocol/feed/parse_text.hpp"
#include "protocol/feed/xml/feed_root.hpp"

namespace sluice::feed {

namespace {

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

boost::system::result<DocumentPtr, FeedError> parse_document(std::string bytes, const DocumentOptions& options) {
    const std::size_t bytes_max = options.limits.document_bytes_max;
    if (bytes.size() > bytes_max) return too_many_bytes(options.limits);
    auto syntax = find_syntax(options.content_type, bytes);
    if (!syntax) return std::move(syntax).error();
    if (std::string what = describe_known_format(bytes); !what.empty())
        return FeedError{FeedError::Kind::not_well_formed, std::move(what)};
    const char* const published = bytes.data();
    // JSON is UTF-8, whatever charset the request claims (RFC 8259 §8.1).
    const std::string_view charset = is_json(*syntax) ? std::string_view() : options.content_type.charset;
    Repairs repairs;
    auto text = decode(std::move(bytes), charset, options, repairs);
    if (!text) return std::move(text).error();
    // What has been converted may begin as bytes of another syntax.
    if (text->data() != published) syntax = find_syntax(options.content_type, *text);
    auto parsed =
        parse_text(std::make_shared<const std::string>(std::move(*text)), *syntax, options, std::move(repairs));
    if (!parsed) return std::move(parsed).error();
    if (is_json(*syntax) && (*parsed)->format() == FeedFormat::data && names_feed(options.content_type.type))
        return FeedError{FeedError::Kind::not_a_feed,
                         "the document is JSON, but no JSON Feed with items, as its content type says"};
    if (std::string why = why_no_feed(**parsed, options.event_path); !why.empty())
        return FeedError{FeedError::Kind::not_a_feed, std::move(why)};
    return DocumentPtr(std::move(*parsed));
}

}  // namespace sluice::feed
