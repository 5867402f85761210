#include "protocol/feed/document.hpp"

#include <algorithm>
#include <utility>

#include "protocol/feed/encoding.hpp"
#include "protocol/feed/fields.hpp"
#include "protocol/feed/media_type.hpp"
#include "protocol/feed/parsed_document.hpp"
#include "protocol/feed/text_position.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice {

namespace {

// Types that say "a feed, some XML or JSON" or nothing at all. What it really is shows in the text.
bool is_accepted(std::string_view type) {
    constexpr std::string_view accepted[] = {"", "text/plain", "application/octet-stream", "text/json",
                                             "application/x-www-form-urlencoded"};  // what curl says by itself
    return std::find(std::begin(accepted), std::end(accepted), type) != std::end(accepted) || type == "text/xml" ||
           (type.starts_with("application/") && (type.ends_with("xml") || type.ends_with("json")));
}

// JSON begins with a bracket, whatever white space or byte order mark comes first.
bool is_json(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    text = trim(text);
    return text.starts_with('{') || text.starts_with('[');
}

FeedError over_limit(const std::string& text, std::size_t offset, const std::string& message, std::size_t value) {
    return error_at(FeedError::Kind::limit, text, offset, message + " (" + std::to_string(value) + ")");
}

}  // namespace

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

boost::system::result<DocumentPtr, FeedError> parse_document(std::string bytes, const DocumentOptions& options) {
    const std::size_t bytes_max = options.limits.document_bytes_max;
    if (bytes.size() > bytes_max)
        return over_limit({}, 0, "the document is larger than limits.document_bytes", bytes_max);
    const MediaType media_type = parse_media_type(options.content_type);
    if (!is_accepted(media_type.type)) {
        return FeedError{FeedError::Kind::content_type,
                         "the content type \"" + media_type.type + "\" is not that of a feed, XML or JSON"};
    }
    // JSON is UTF-8, whatever charset somebody says it has (RFC 8259 §8.1).
    const std::string_view charset = is_json(bytes) ? std::string_view() : media_type.charset;
    auto text = to_utf8(std::move(bytes), charset, bytes_max);
    if (!text) return std::move(text).error();
    auto parsed =
        is_json(*text) ? parse_json_document(std::move(*text), options) : parse_xml_document(std::move(*text), options);
    if (!parsed) return std::move(parsed).error();
    (*parsed)->feed_fields_ = read_feed_fields(**parsed);
    return DocumentPtr(std::move(*parsed));
}

}  // namespace sluice
