#include "protocol/feed/encoding/encoding_decoder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <vector>

#include "protocol/feed/encoding/encoding_label.hpp"

using namespace sluice::feed;
using namespace std::string_literals;

namespace {

Decoded replaced(std::string_view bytes, std::string_view encoding) {
    return decode(bytes, encoding, std::string::npos, OnFault::replace);
}

struct Digest {
    const char* encoding;
    std::uint64_t digest;
};

// Printed by encoding_standard.py from the standard's tables, with decoders of its own. The first ones have one byte a
// character.
constexpr std::size_t single_byte_encodings = 28;
constexpr Digest digests[] = {
    {"IBM866", 0x28977788B6777E1Au},         {"ISO-8859-2", 0xDC9AC95114A4CF7Cu},
    {"ISO-8859-3", 0x8B1A3060030D5AB5u},     {"ISO-8859-4", 0x4F479FEB52CDB4F5u},
    {"ISO-8859-5", 0x46F37B1242999F0Du},     {"ISO-8859-6", 0x24F4813AA9DD50DCu},
    {"ISO-8859-7", 0xFBC05879CA1158D1u},     {"ISO-8859-8", 0x417FD257EF4812BDu},
    {"ISO-8859-10", 0x6DFFE86219F1923Fu},    {"ISO-8859-13", 0xEA6EB40BD1B1D43Du},
    {"ISO-8859-14", 0x908272E7660FF393u},    {"ISO-8859-15", 0xAA01513E1F5BE432u},
    {"ISO-8859-16", 0x48FC2CB4B9EDD164u},    {"KOI8-R", 0x276D85B3BC181131u},
    {"KOI8-U", 0xFF7CC155C6829F9Du},         {"macintosh", 0x7D42323E70B1A809u},
    {"windows-874", 0x31FEDE6FBB780959u},    {"windows-1250", 0x87BEBF87D92B1B11u},
    {"windows-1251", 0x60A97BA24B80F1E1u},   {"windows-1252", 0xC91D9BD7F1018B48u},
    {"windows-1253", 0x4407374E83C62D2Cu},   {"windows-1254", 0x1EBF31FBE2CA9524u},
    {"windows-1255", 0xEEB2185A8C7E7E65u},   {"windows-1256", 0x48748D65473E54EBu},
    {"windows-1257", 0xA2A194788638289Au},   {"windows-1258", 0x9850D0D7FBBEC09Fu},
    {"x-mac-cyrillic", 0x1A5778545A74646Fu}, {"x-user-defined", 0x10BD6F4FA578CA65u},
    {"Big5", 0x8F5C2D9935027147u},           {"EUC-JP", 0x8E9740905D79723Fu},
    {"EUC-KR", 0x4FFCFA7690909EDFu},         {"GBK", 0xDD4088E33649E56Cu},
    {"ISO-2022-JP", 0xF076B2C6E588A902u},    {"Shift_JIS", 0xA32688F12450E3A7u},
    {"UTF-16BE", 0xE869095FE7548066u},       {"UTF-16LE", 0x613940D7FF641B59u},
    {"UTF-8", 0x2D88443955D885A2u},          {"gb18030", 0x65DF2A11A1545715u},
};

template <typename... Numbers>
std::string bytes_of(Numbers... numbers) {
    return {static_cast<char>(numbers)...};
}

using Use = std::function<void(std::string_view bytes)>;

void use_characters(std::string_view encoding, const Use& use) {
    if (encoding == "EUC-JP") {
        for (unsigned p = 0; p < 128 * 128; ++p) use(bytes_of(0x8F, 0x80 + p / 128, 0x80 + p % 128));
    }
    if (encoding == "gb18030") {
        for (unsigned p = 0; p < 1'237'580; ++p) {
            if (p == 39'500) p = 188'990;
            if (p == 189'010) p = 1'237'570;
            use(bytes_of(0x81 + p / 12'600, 0x30 + p / 1260 % 10, 0x81 + p / 10 % 126, 0x30 + p % 10));
        }
    }
    if (encoding != "ISO-2022-JP") return;
    for (unsigned p = 0; p < 94 * 94; ++p) use(bytes_of(0x1B, 0x24, 0x42, 0x21 + p / 94, 0x21 + p % 94));
    for (unsigned byte = 0; byte < 256; ++byte) {
        use(bytes_of(0x1B, 0x28, 0x49, byte));
        use(bytes_of(0x1B, 0x28, 0x4A, byte));
    }
}

void use_random_sequences(std::string_view encoding, const Use& use) {
    constexpr unsigned char leads[] = {0x00, 0x1B, 0x24, 0x28, 0x30, 0x39, 0x3C, 0x40, 0x41, 0x42, 0x49, 0x4A,
                                       0x5C, 0x7E, 0x7F, 0x80, 0x81, 0x84, 0x8E, 0x8F, 0x9F, 0xA0, 0xA1, 0xB0,
                                       0xC2, 0xD8, 0xDC, 0xDF, 0xE0, 0xE3, 0xED, 0xF0, 0xF4, 0xFC, 0xFE, 0xFF};
    std::uint64_t state = 1;
    const auto next = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<unsigned>(state >> 48);
    };
    for (int i = 0; i < 20'000; ++i) {
        std::string bytes;
        while (bytes.size() < 12) {
            const unsigned kind = next(), value = next();
            if (encoding == "ISO-2022-JP" && kind % 4 == 0)
                bytes += bytes_of(0x1B, "\x24\x28"[value % 2], "\x40\x42\x49\x4A"[value / 2 % 4]);
            else if (kind % 4 == 1)
                bytes += bytes_of(value);
            else
                bytes += bytes_of(leads[value % sizeof leads]);
        }
        use(bytes);
    }
}

// inputs_of() of encoding_standard.py, in its order.
void use_inputs(std::string_view encoding, bool is_single_byte, const Use& use) {
    for (unsigned first = 0; first < 256; ++first) use(bytes_of(first));
    if (is_single_byte) return;
    for (unsigned pair = 0; pair < 256 * 256; ++pair) use(bytes_of(pair / 256, pair % 256));
    use_characters(encoding, use);
    use_random_sequences(encoding, use);
}

struct Row {
    const char* label;
    std::string bytes;
    std::string text;  // "?": U+FFFD
};

std::string with_replacements(std::string text) {
    for (std::size_t at = text.find('?'); at != std::string::npos; at = text.find('?', at))
        text.replace(at, 1, "\uFFFD");
    return text;
}

void check_rows(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.label, row.bytes, row.text);
        const Decoded decoded = replaced(row.bytes, encoding_by_label(row.label));
        CHECK(decoded.text == with_replacements(row.text));
        CHECK(decoded.faults == static_cast<std::size_t>(std::count(row.text.begin(), row.text.end(), '?')));
    }
}

}  // namespace

TEST_CASE("Decoder: every byte, pair and character → what the Encoding Standard says") {
    for (const Digest& row : digests) {
        const bool is_single_byte = &row < digests + single_byte_encodings;
        std::uint64_t digest = 0xCBF29CE484222325u;
        use_inputs(row.encoding, is_single_byte, [&](std::string_view bytes) {
            for (const char c : replaced(bytes, row.encoding).text + '\n')
                digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
        });
        INFO(row.encoding);
        CHECK(digest == row.digest);
    }
}

TEST_CASE("Decoder: characters that iconv reads otherwise → those of the standard") {
    check_rows({
        {"iso-2022-jp", "\x1B$B-!\x1B(B", "\u2460"},
        {"iso-2022-jp", "\x1B$B-j-b|q\x1B(B", "\u3231\u2116\u2170"},
        {"iso-2022-jp", "\x1B$By!|q|~\x1B(B", "\u7E8A\u2170\uFF02"},
        {"iso-2022-jp", "\x1B(I1\x1B(B1\x1B(J\\~\x1B(B\\~",
         "\uFF71"
         "1\u00A5\u203E\\~"},
        {"euc-jp", "\xF9\xA1\xFC\xF1", "\u7E8A\u2170"},
        {"euc-jp", "\x8F\xA2\xC3", "\u00A6"},
        {"shift_jis", "\xED\x40\xFA\x40\xF0\x40\x80", "\u7E8A\u2170\uE000\u0080"},
        {"windows-1255", "\xE9\xC4\xE0\xC7", "\u05D9\u05B4\u05D0\u05B7"},
        {"windows-1255", "\xCA", "\u05BA"},
        {"windows-1258", "e\xCC o\xD2\xFD", "e\u0300 o\u0309\u01B0"},
        {"macintosh", "\xDB\xC6\xF0", "\u20AC\u2206\uF8FF"},
        {"x-mac-roman", "\xDB", "\u20AC"},
        {"x-mac-cyrillic", "\xFF", "\u20AC"},
        {"x-mac-ukrainian", "\xFF\xA2", "\u20AC\u0490"},
        {"koi8-u", "\xAE\xBE\xA4", "\u045E\u040E\u0454"},
        {"big5", "\xA3\xE1\xA1\x45\xC7\xE9\xF9\xD6", "\u20AC\u2027\u30ED\u7881"},
        {"big5", "\x88\x62\x88\x64\x88\xA3\x88\xA5", "\u00CA\u0304\u00CA\u030C\u00EA\u0304\u00EA\u030C"},
        {"windows-874", "\x80\x81\xA1", "\u20AC\u0081\u0E01"},
        {"windows-1253", "\x81\xC1\xD2", "\u0081\u0391?"},
        {"windows-1257", "\x81\xA1", "\u0081?"},
        {"gbk", "\x80\xA2\xE3\xA3\xA0", "\u20AC\u20AC\u3000"},
        {"gb18030", "\xFE\x51\xFE\x6C\xA6\xD9", "\uE816\uE831\uFE10"},
        {"gb18030", "\x82\x35\x90\x37\x84\x31\x82\x36", "\u9FB4\uFE10"},
        {"gb18030", "\x81\x35\xF4\x37\xE3\x32\x9A\x35", "\uE7C7\U0010FFFF"},
        {"x-user-defined", "a\x80\xFF", "a\uF780\uF7FF"},
        {"\f iso-8859-1\n", "\x80", "\u20AC"},
    });
}

TEST_CASE("Decoder: a sequence that is not text → one U+FFFD, and ASCII behind it stays") {
    check_rows({
        {"shift_jis", "\x81<a>", "?<a>"},
        {"shift_jis", "\x81\xFF<", "?<"},
        {"shift_jis", "\xA0\xFD\x85\x80", "???"},
        {"euc-jp", "\xA4<", "?<"},
        {"euc-jp", "\x8E<\x8E\xE0<", "?<?<"},
        {"euc-jp", "\x8F\xA1<\x8F<", "?<?<"},
        {"euc-jp",
         "\xA9\xA1"
         "a",
         "?a"},
        {"big5",
         "\x81<\x81\x40"
         "a\xFF",
         "?<?@a?"},
        {"euc-kr", "\xC9\xA1<\xC9<\x80", "?<?<?"},
        {"gbk", "\x81\x7F\x81<\xFF", "?\x7F?<?"},
        {"gb18030", "\x81\x30<\x81\x30\x81<", "?0<?0?<"},
        {"gb18030", "\x84\x31\xA4\x39\xFE\x39\xFE\x39<", "\uFFFF?<"},
        {"gb18030", "a\x81\x30\x81", "a?"},
        {"iso-2022-jp", "\x1B$B\x22\x0A\x21\x1B(Bx", "??x"},
        {"iso-2022-jp", "\x1B$B\x1B(Bx\x1B(B\x1B(By", "?x?y"},
        {"iso-2022-jp", "\x1B(Ax\x80\x0E", "?(Ax??"},
        {"iso-2022-jp", "x\x1B$", "x?$"},
        {"iso-2022-jp", "\x1B$B\x29\x21\x1B(Bx", "?x"},
        {"utf-16le", "\x3D\xD8<\0\0\xDE>\0"s, "?<?>"},
        {"utf-16be", "\xD8\x3D\0"s, "?"},
        {"utf-8", "\xE2\x82<\xF0\x9F\x98<\xC3", "?<?<?"},
        {"utf-8", "\xE0\x80\xED\xA0\x80\xF4\x90\x80\x80\xC0\xAF", "???????????"},
    });
}

TEST_CASE("Decoder: the first fault has its offset, and says whether the end caused it") {
    struct Case {
        const char* encoding;
        std::string bytes;
        std::size_t offset;
        std::string text;
        std::size_t cut_off;
    };
    const Case cases[] = {
        {"Shift_JIS", "a\x93\xFA\x93", 3, "a\u65E5", 1}, {"Shift_JIS", "a\x93\xFA\xFDz", 3, "a\u65E5", 0},
        {"EUC-JP", "\xC6\xFC\x8F\xA1", 2, "\u65E5", 1},  {"gb18030", "\xD6\xD0\x81\x30\x81", 2, "\u4E2D", 1},
        {"ISO-2022-JP", "\x1B$BF|K", 5, "\u65E5", 1},    {"ISO-2022-JP", "ab\x1B$", 2, "ab", 1},
        {"UTF-16LE", "a\0\x3D\xD8\0"s, 2, "a", 1},       {"UTF-8", "\u00E9\xE2\x82", 2, "\u00E9", 1},
        {"UTF-8", "\u00E9\xE2\x82<", 2, "\u00E9", 0},    {"Big5", "\xA4\xA4\xFF", 2, "\u4E2D", 0},
        {"UTF-32LE", "a\0\0\0\0\xD8\0\0"s, 4, "a", 0},   {"windows-1253", "a\xD2", 1, "a", 0},
    };
    for (const Case& c : cases) {
        CAPTURE(c.encoding, c.bytes);
        const Decoded decoded = decode(c.bytes, c.encoding, std::string::npos, OnFault::stop);
        REQUIRE(decoded.first_fault);
        CHECK(decoded.first_fault->offset == c.offset);
        CHECK(decoded.text == c.text);
        CHECK(decoded.faults == 1);
        CHECK(decoded.cut_off_faults == c.cut_off);
    }
}

TEST_CASE("Decoder: reading ends at the limit in every encoding") {
    for (const Digest& row : digests) {
        INFO(row.encoding);
        const std::string bytes(1000, 'a');
        CHECK(decode(bytes, row.encoding, 2000, OnFault::replace).is_too_large == false);
        CHECK(decode(bytes, row.encoding, 100, OnFault::replace).is_too_large);
    }
}
