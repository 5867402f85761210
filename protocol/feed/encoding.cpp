#include "protocol/feed/encoding.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iconv.h>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "protocol/text/ascii.hpp"
#include "protocol/feed/text_position.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice {

namespace {

using boost::system::result;

struct EncodingLabel {
    std::string_view label;
    const char* iconv_name;
};

constexpr const char* utf8_name = "UTF-8";
constexpr const char* latin1_name = "windows-1252";

// Only these names reach iconv, which has many more encodings and takes options in a name.
constexpr EncodingLabel labels[] = {
    {"utf-8", utf8_name},
    {"utf8", utf8_name},
    {"unicode-1-1-utf-8", utf8_name},
    {"us-ascii", utf8_name},
    {"ascii", utf8_name},
    {"utf-16", "UTF-16BE"},
    {"utf-16le", "UTF-16LE"},
    {"utf-16be", "UTF-16BE"},
    {"ucs-2", "UTF-16BE"},
    {"iso-10646-ucs-2", "UTF-16BE"},
    {"utf-32", "UTF-32BE"},
    {"utf-32le", "UTF-32LE"},
    {"utf-32be", "UTF-32BE"},
    {"iso-8859-1", latin1_name},
    {"iso8859-1", latin1_name},
    {"iso_8859-1", latin1_name},
    {"latin1", latin1_name},
    {"latin-1", latin1_name},
    {"windows-1252", latin1_name},
    {"cp1252", latin1_name},
    {"iso-8859-2", "ISO-8859-2"},
    {"latin2", "ISO-8859-2"},
    {"iso-8859-3", "ISO-8859-3"},
    {"iso-8859-4", "ISO-8859-4"},
    {"iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "ISO-8859-6"},
    {"iso-8859-7", "ISO-8859-7"},
    {"iso-8859-8", "ISO-8859-8"},
    {"iso-8859-9", "CP1254"},
    {"iso-8859-10", "ISO-8859-10"},
    {"iso-8859-11", "CP874"},
    {"tis-620", "CP874"},
    {"windows-874", "CP874"},
    {"iso-8859-13", "ISO-8859-13"},
    {"iso-8859-14", "ISO-8859-14"},
    {"iso-8859-15", "ISO-8859-15"},
    {"latin9", "ISO-8859-15"},
    {"iso-8859-16", "ISO-8859-16"},
    {"windows-1250", "CP1250"},
    {"cp1250", "CP1250"},
    {"windows-1251", "CP1251"},
    {"cp1251", "CP1251"},
    {"windows-1253", "CP1253"},
    {"windows-1254", "CP1254"},
    {"windows-1255", "CP1255"},
    {"windows-1256", "CP1256"},
    {"windows-1257", "CP1257"},
    {"windows-1258", "CP1258"},
    {"koi8-r", "KOI8-R"},
    {"koi8-u", "KOI8-U"},
    {"ibm866", "CP866"},
    {"cp866", "CP866"},
    {"macintosh", "MACINTOSH"},
    {"shift_jis", "CP932"},
    {"shift-jis", "CP932"},
    {"sjis", "CP932"},
    {"windows-31j", "CP932"},
    {"euc-jp", "EUC-JP"},
    {"iso-2022-jp", "ISO-2022-JP"},
    {"gb2312", "GB18030"},
    {"gbk", "GB18030"},
    {"gb18030", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"big5-hkscs", "BIG5-HKSCS"},
    {"euc-kr", "CP949"},
    {"ks_c_5601-1987", "CP949"},
    {"windows-949", "CP949"},
};

const char* find_encoding(std::string_view label) {
    const std::string lower = ascii_lower(label);
    const auto* found = std::find_if(std::begin(labels), std::end(labels),
                                     [&](const EncodingLabel& known) { return known.label == lower; });
    return found == std::end(labels) ? nullptr : found->iconv_name;
}

struct ByteOrderMark {
    std::string_view bytes;
    const char* iconv_name;
};

constexpr ByteOrderMark marks[] = {
    {"\xEF\xBB\xBF", utf8_name},
    {std::string_view("\xFF\xFE\0\0", 4), "UTF-32LE"},
    {std::string_view("\0\0\xFE\xFF", 4), "UTF-32BE"},
    {"\xFF\xFE", "UTF-16LE"},
    {"\xFE\xFF", "UTF-16BE"},
};

// What the first bytes of XML without a byte order mark look like (XML 1.0, appendix F); null: like ASCII.
const char* guess_from_zeros(std::string_view bytes) {
    if (bytes.starts_with(std::string_view("<\0\0\0", 4))) return "UTF-32LE";
    if (bytes.starts_with(std::string_view("\0\0\0<", 4))) return "UTF-32BE";
    if (bytes.starts_with(std::string_view("<\0", 2))) return "UTF-16LE";
    if (bytes.starts_with(std::string_view("\0<", 2))) return "UTF-16BE";
    return nullptr;
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

result<std::string, FeedError> convert(std::string_view bytes, const char* from, std::size_t bytes_max) {
    const auto close = [](iconv_t handle) { iconv_close(handle); };
    std::unique_ptr<std::remove_pointer_t<iconv_t>, decltype(close)> handle(iconv_open(utf8_name, from), close);
    if (handle.get() == reinterpret_cast<iconv_t>(-1)) {  // NOLINT(performance-no-int-to-ptr): iconv's way
        handle.release();
        return FeedError{FeedError::Kind::encoding, std::string("this system can't convert from ") + from};
    }
    std::string text;
    std::array<char, 16 << 10> buffer;
    char* in = const_cast<char*>(bytes.data());  // iconv does not write there
    std::size_t in_left = bytes.size();
    while (true) {
        char* out = buffer.data();
        std::size_t out_left = buffer.size();
        const bool is_done = iconv(handle.get(), &in, &in_left, &out, &out_left) != static_cast<std::size_t>(-1);
        const int error = errno;
        text.append(buffer.data(), buffer.size() - out_left);
        if (text.size() > bytes_max) return too_large(bytes_max);
        if (is_done) return text;
        if (error == E2BIG) continue;
        FeedError fault = error_at(FeedError::Kind::encoding, text, text.size(),
                                   std::string("the bytes here are not text in ") + from);
        fault.offset = bytes.size() - in_left;
        return fault;
    }
}

result<std::string, FeedError> checked(std::string text) {
    const std::optional<std::size_t> bad = find_bad_text(text);
    if (!bad) return text;
    const Utf8Char c = utf8_at(text, *bad);
    if (c.length == 0) return error_at(FeedError::Kind::encoding, text, *bad, "the bytes here are not UTF-8");
    return error_at(FeedError::Kind::not_well_formed, text, *bad,
                    "the control character " + code_point_name(c.code) + " is not allowed");
}

}  // namespace

result<std::string, FeedError> to_utf8(std::string bytes, std::string_view charset, std::size_t bytes_max) {
    const auto* mark = std::find_if(std::begin(marks), std::end(marks),
                                    [&](const ByteOrderMark& m) { return bytes.starts_with(m.bytes); });
    const char* from = utf8_name;
    std::size_t skipped = 0;
    if (mark != std::end(marks)) {
        from = mark->iconv_name;
        skipped = from == utf8_name ? 0 : mark->bytes.size();
    } else {
        const char* guess = guess_from_zeros(bytes);
        const std::string_view label = !charset.empty() ? charset : guess ? "" : declared_encoding(bytes);
        if (!label.empty()) from = find_encoding(label);
        if (!from) {
            return FeedError{FeedError::Kind::encoding, "the encoding \"" + std::string(label) + "\" is not known"};
        }
        const bool is_wide = std::string_view(from).find("BE") != std::string_view::npos || label.empty();
        if (guess && is_wide) from = guess;
    }
    if (from == utf8_name) return checked(std::move(bytes));
    const std::string_view input = std::string_view(bytes).substr(skipped);
    if (from == latin1_name) return checked(from_windows_1252(input));
    auto text = convert(input, from, bytes_max);
    if (text) return checked(std::move(*text));
    FeedError fault = std::move(text).error();
    fault.offset += fault.kind == FeedError::Kind::encoding ? skipped : 0;
    return fault;
}

}  // namespace sluice
