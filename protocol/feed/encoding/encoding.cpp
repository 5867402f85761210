#include "protocol/feed/encoding/encoding.hpp"

#include <optional>
#include <utility>

#include "protocol/feed/encoding/encoding_clues.hpp"
#include "protocol/feed/encoding/encoding_decoder.hpp"
#include "protocol/feed/encoding/encoding_label.hpp"
#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/model/text_position.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

using boost::system::result;

struct Encoding {
    std::string_view name;
    std::size_t mark_bytes = 0;
};

result<Encoding, FeedError> find_encoding(std::string_view bytes, std::string_view charset) {
    const EncodingClues clues = find_encoding_clues(bytes);
    if (!clues.mark.empty()) return Encoding{clues.mark, clues.mark_bytes};
    if (charset.empty() && !clues.zeros.empty()) return Encoding{clues.zeros};
    const std::string_view label = !charset.empty() ? charset : clues.declared;
    const std::string_view name = label.empty() ? utf8_encoding : encoding_by_label(label);
    if (name.empty()) {
        return FeedError{FeedError::Kind::encoding, "the encoding \"" + excerpt(label) + "\" is not known"};
    }
    if (!is_wide_encoding(name)) return Encoding{name};
    if (!clues.zeros.empty()) return Encoding{clues.zeros};
    // A declaration that is readable as ASCII is wrong when it says UTF-16.
    return Encoding{charset.empty() ? utf8_encoding : name};
}

result<std::string, FeedError> from_encoding(std::string_view bytes, std::string_view from, std::size_t bytes_max) {
    Decoded decoded = decode(bytes, from, bytes_max, OnFault::stop);
    if (decoded.is_unavailable)
        return FeedError{FeedError::Kind::encoding, "this system can't convert from " + std::string(from)};
    if (decoded.is_too_large) return too_large_in_utf8(bytes_max);
    if (!decoded.first_fault) return std::move(decoded.text);
    FeedError fault = error_at(FeedError::Kind::encoding, decoded.text, decoded.text.size(),
                               "the bytes here are not text in " + std::string(from));
    fault.offset = decoded.first_fault->offset;
    return fault;
}

}  // namespace

FeedError too_large_in_utf8(std::size_t bytes_max) {
    return FeedError{FeedError::Kind::limit,
                     "the document is larger than limits.document_bytes (" + std::to_string(bytes_max) + ") in UTF-8"};
}

std::optional<FeedError> check_utf8(const std::string& text) {
    const std::optional<std::size_t> bad = text::find_bad_text(text);
    if (!bad) return std::nullopt;
    const text::Utf8Char c = text::utf8_at(text, *bad);
    if (c.length == 0) return error_at(FeedError::Kind::encoding, text, *bad, "the bytes here are not UTF-8");
    return error_at(FeedError::Kind::not_well_formed, text, *bad,
                    "the character " + text::code_point_name(c.code) + " is not allowed");
}

result<std::string, FeedError> to_utf8(std::string&& bytes, std::string_view charset, std::size_t bytes_max) {
    const auto encoding = find_encoding(bytes, charset);
    if (!encoding) return encoding.error();
    if (encoding->name == utf8_encoding) {
        if (auto fault = check_utf8(bytes)) return std::move(*fault);
        return std::move(bytes);
    }
    auto text = from_encoding(std::string_view(bytes).substr(encoding->mark_bytes), encoding->name, bytes_max);
    if (text) {
        if (auto fault = check_utf8(*text)) return std::move(*fault);
        return text;
    }
    FeedError fault = std::move(text).error();
    if (fault.kind == FeedError::Kind::encoding) fault.offset += encoding->mark_bytes;
    return fault;
}

}  // namespace sluice::feed
