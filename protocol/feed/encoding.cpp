#include "protocol/feed/encoding.hpp"

#include <array>
#include <cerrno>
#include <iconv.h>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "protocol/feed/encoding_label.hpp"
#include "protocol/feed/text_position.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice {

namespace {

using boost::system::result;

struct ByteOrderMark {
    std::string_view bytes;
    std::string_view encoding;
};

constexpr ByteOrderMark marks[] = {
    {"\xEF\xBB\xBF", utf8_encoding},
    {std::string_view("\xFF\xFE\0\0", 4), "UTF-32LE"},
    {std::string_view("\0\0\xFE\xFF", 4), "UTF-32BE"},
    {"\xFF\xFE", "UTF-16LE"},
    {"\xFE\xFF", "UTF-16BE"},
};

// What the first bytes of XML without a byte order mark look like (XML 1.0, appendix F); empty: like ASCII.
std::string_view guess_from_zeros(std::string_view bytes) {
    if (bytes.starts_with(std::string_view("<\0\0\0", 4))) return "UTF-32LE";
    if (bytes.starts_with(std::string_view("\0\0\0<", 4))) return "UTF-32BE";
    if (bytes.starts_with(std::string_view("<\0", 2))) return "UTF-16LE";
    if (bytes.starts_with(std::string_view("\0<", 2))) return "UTF-16BE";
    return {};
}

// The encoding that an XML declaration names; empty if there is none. Its form is checked when it is parsed.
std::string_view declared_encoding(std::string_view bytes) {
    bytes = trim(bytes);
    if (!bytes.starts_with("<?xml")) return {};
    bytes = bytes.substr(0, bytes.find("?>"));
    const std::size_t name = bytes.find("encoding");
    if (name == std::string_view::npos) return {};
    bytes = bytes.substr(name + 8);
    const std::size_t open = bytes.find_first_of("\"'");
    if (open == std::string_view::npos) return {};
    return bytes.substr(open + 1, bytes.find(bytes[open], open + 1) - open - 1);
}

FeedError too_large(std::size_t bytes_max) {
    return FeedError{FeedError::Kind::limit,
                     "the document is larger than limits.document_bytes (" + std::to_string(bytes_max) + ") in UTF-8"};
}

// Bytes 0x80 to 0x9F of windows-1252; those that it leaves open are the control characters of that number.
constexpr std::array<char32_t, 32> windows_1252 = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178,
};

std::string from_windows_1252(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 8);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        append_utf8(text, byte >= 0x80 && byte < 0xA0 ? windows_1252[byte - 0x80u] : byte);
    }
    return text;
}

bool is_wide(std::string_view encoding) { return encoding.starts_with("UTF-16") || encoding.starts_with("UTF-32"); }

struct Encoding {
    std::string_view name;  // as iconv calls it
    std::size_t mark_bytes = 0;
};

result<Encoding, FeedError> find_encoding(std::string_view bytes, std::string_view charset) {
    for (const ByteOrderMark& mark : marks) {
        if (bytes.starts_with(mark.bytes)) return Encoding{mark.encoding, mark.bytes.size()};
    }
    const std::string_view guess = guess_from_zeros(bytes);
    if (charset.empty() && !guess.empty()) return Encoding{guess};
    const std::string_view label = !charset.empty() ? charset : declared_encoding(bytes);
    const std::string_view name = label.empty() ? utf8_encoding : encoding_by_label(label);
    if (name.empty()) {
        return FeedError{FeedError::Kind::encoding, "the encoding \"" + std::string(label) + "\" is not known"};
    }
    if (!is_wide(name)) return Encoding{name};
    if (!guess.empty()) return Encoding{guess};
    // A declaration that could be read as ASCII is wrong when it says UTF-16.
    return Encoding{charset.empty() ? utf8_encoding : name};
}

result<std::string, FeedError> convert(std::string_view bytes, std::string_view from, std::size_t bytes_max) {
    const auto close = [](iconv_t handle) { iconv_close(handle); };
    std::unique_ptr<std::remove_pointer_t<iconv_t>, decltype(close)> handle(
        iconv_open(utf8_encoding.data(), from.data()), close);
    if (handle.get() == reinterpret_cast<iconv_t>(-1)) {  // NOLINT(performance-no-int-to-ptr): iconv's way
        static_cast<void>(handle.release());
        return FeedError{FeedError::Kind::encoding, "this system can't convert from " + std::string(from)};
    }
    std::string text;
    std::array<char, 16 << 10> buffer;
    char* in = const_cast<char*>(bytes.data());  // iconv does not write there
    char** source = &in;
    std::size_t in_left = bytes.size();
    while (true) {
        char* out = buffer.data();
        std::size_t out_left = buffer.size();
        const bool is_done = iconv(handle.get(), source, &in_left, &out, &out_left) != static_cast<std::size_t>(-1);
        const int error = errno;
        text.append(buffer.data(), buffer.size() - out_left);
        if (text.size() > bytes_max) return too_large(bytes_max);
        if (is_done && !source) return text;
        if (is_done) {
            source = nullptr;  // once more, for a character that waits for an accent
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
    if (text.size() > bytes_max) return too_large(bytes_max);
    return text;
}

result<std::string, FeedError> checked(std::string text) {
    const std::optional<std::size_t> bad = find_bad_text(text);
    if (!bad) return text;
    const Utf8Char c = utf8_at(text, *bad);
    if (c.length == 0) return error_at(FeedError::Kind::encoding, text, *bad, "the bytes here are not UTF-8");
    return error_at(FeedError::Kind::not_well_formed, text, *bad,
                    "the character " + code_point_name(c.code) + " is not allowed");
}

}  // namespace

result<std::string, FeedError> to_utf8(std::string bytes, std::string_view charset, std::size_t bytes_max) {
    const auto encoding = find_encoding(bytes, charset);
    if (!encoding) return encoding.error();
    if (encoding->name == utf8_encoding) return checked(std::move(bytes));
    auto text = from_encoding(std::string_view(bytes).substr(encoding->mark_bytes), encoding->name, bytes_max);
    if (text) return checked(std::move(*text));
    FeedError fault = std::move(text).error();
    if (fault.kind == FeedError::Kind::encoding) fault.offset += encoding->mark_bytes;
    return fault;
}

}  // namespace sluice
