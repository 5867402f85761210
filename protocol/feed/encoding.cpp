#include "protocol/feed/encoding.hpp"

#include <array>
#include <cerrno>
#include <iconv.h>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "protocol/feed/encoding_clues.hpp"
#include "protocol/feed/encoding_label.hpp"
#include "protocol/feed/repairs.hpp"
#include "protocol/feed/text_position.hpp"
#include "protocol/feed/windows_1252.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

using boost::system::result;

std::string from_windows_1252(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 8);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text::append_utf8(text, windows_1252_character(byte));
    }
    return text;
}

struct Encoding {
    std::string_view name;  // as iconv calls it
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

result<std::string, FeedError> convert(std::string_view bytes, std::string_view from, std::size_t bytes_max) {
    const auto close = [](iconv_t handle) { iconv_close(handle); };
    std::unique_ptr<std::remove_pointer_t<iconv_t>, decltype(close)> handle(
        iconv_open(utf8_encoding.data(), from.data()), close);
    if (handle.get() == reinterpret_cast<iconv_t>(-1)) {  // iconv's API
        static_cast<void>(handle.release());
        return FeedError{FeedError::Kind::encoding, "this system can't convert from " + std::string(from)};
    }
    std::string text;
    std::array<char, 16 << 10> buffer;
    char* in = const_cast<char*>(bytes.data());  // iconv does not write to its input
    char** source = &in;
    std::size_t in_left = bytes.size();
    while (true) {
        char* out = buffer.data();
        std::size_t out_left = buffer.size();
        const bool is_done = iconv(handle.get(), source, &in_left, &out, &out_left) != static_cast<std::size_t>(-1);
        const int error = errno;
        text.append(buffer.data(), buffer.size() - out_left);
        if (text.size() > bytes_max) return too_large_in_utf8(bytes_max);
        if (is_done && !source) return text;
        if (is_done) {
            source = nullptr;  // one more call, to flush a character that waits for a combining mark
        } else if (error != E2BIG) {
            FeedError fault = error_at(FeedError::Kind::encoding, text, text.size(),
                                       "the bytes here are not text in " + std::string(from));
            fault.offset = bytes.size() - in_left;
            return fault;
        }
    }
}

result<std::string, FeedError> from_encoding(std::string_view bytes, std::string_view from, std::size_t bytes_max) {
    if (from != latin1_encoding) return convert(bytes, from, bytes_max);
    std::string text = from_windows_1252(bytes);
    if (text.size() > bytes_max) return too_large_in_utf8(bytes_max);
    return text;
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
