#include "protocol/feed/encoding/encoding.hpp"

#include <catch2/catch.hpp>
#include <cctype>
#include <sstream>

#include "protocol/feed/encoding/encoding_label.hpp"

using namespace sluice;
using namespace sluice::feed;
using namespace std::string_literals;

namespace {

constexpr std::size_t no_limit = 1u << 20;

std::string converted(std::string bytes, std::string_view charset = {}) {
    auto text = to_utf8(std::move(bytes), charset, no_limit);
    if (!text) FAIL(text.error().message);
    return *text;
}

FeedError refused(std::string bytes, std::string_view charset = {}, std::size_t bytes_max = no_limit) {
    const auto text = to_utf8(std::move(bytes), charset, bytes_max);
    REQUIRE(text.has_error());
    return text.error();
}

std::string utf16(std::string_view ascii, bool is_little) {
    std::string bytes;
    for (const char c : ascii) {
        if (!is_little) bytes += '\0';
        bytes += c;
        if (is_little) bytes += '\0';
    }
    return bytes;
}

std::string declared(const std::string& encoding, const std::string& rest) {
    return "<?xml version='1.0' encoding='" + encoding + "'?><a>" + rest + "</a>";
}

}  // namespace

TEST_CASE("UTF-8 is passed on") {
    CHECK(converted("<a>\xC3\xA9</a>") == "<a>\xC3\xA9</a>");
    CHECK(converted("\xEF\xBB\xBF<a/>") == "\xEF\xBB\xBF<a/>");
    CHECK(converted("<a>\xC3\xA9</a>", "us-ascii") == "<a>\xC3\xA9</a>");
    CHECK(converted("").empty());
}

TEST_CASE("the byte order mark comes first, then the charset, then the declaration") {
    const std::string latin = declared("iso-8859-1", "\xE9"), utf8 = declared("iso-8859-1", "\xC3\xA9");
    CHECK(converted(latin) == utf8);
    CHECK(converted(declared("utf-8", "\xE9"), "iso-8859-1") == declared("utf-8", "\xC3\xA9"));
    CHECK(converted(utf8, "utf-8") == utf8);
    CHECK(converted("\xEF\xBB\xBF" + utf8, "iso-8859-1") == "\xEF\xBB\xBF" + utf8);
    CHECK(converted("\n " + latin) == "\n " + utf8);
    CHECK(converted("<a encoding='iso-8859-1'>\xC3\xA9</a>") == "<a encoding='iso-8859-1'>\xC3\xA9</a>");
}

TEST_CASE("a declaration is read however it is written, and up to its end") {
    for (const std::string begin : {R"(<?xml version="1.0" encoding=")", R"(<?xml version="1.1" encoding=")",
                                    R"(<?xml version="1.0"  encoding = ")", R"(<?xml encoding=")"}) {
        CAPTURE(begin);
        for (const std::string end : {R"("?><a>)", R"(" standalone="yes"?><a>)"}) {
            const std::string text = begin + "iso-8859-1" + end;
            CHECK(converted(text + "\xE9</a>") == text + "\xC3\xA9</a>");
        }
        for (const std::string label : {"x", "x'"})
            CHECK(refused(begin + label + "?><a b=\"\"/>").message == "the encoding \"" + label + "\" is not known");
    }
}

TEST_CASE("UTF-16 and UTF-32, with and without a byte order mark") {
    const std::string text = "<?xml version='1.0' encoding='utf-16'?><a/>";
    CHECK(converted("\xFF\xFE" + utf16(text, true)) == text);
    CHECK(converted("\xFE\xFF" + utf16(text, false)) == text);
    CHECK(converted(utf16(text, true)) == text);
    CHECK(converted(utf16(text, false)) == text);
    CHECK(converted(utf16(text, true), "utf-16") == text);
    CHECK(converted(utf16(text, false), "UTF-16") == text);
    CHECK(converted(utf16(text, true), "utf-16le") == text);
    CHECK(converted(std::string("\xFF\xFE\x3D\xD8\x00\xDE", 6)) == "\xF0\x9F\x98\x80");
    CHECK(converted(std::string("\xFF\xFE\0\0<\0\0\0", 8)) == "<");
    CHECK(converted(std::string("\0\0\xFE\xFF\0\0\0<", 8)) == "<");
    CHECK(converted(declared("utf-16", "\xC3\xA9")) == declared("utf-16", "\xC3\xA9"));
    CHECK(refused(std::string("\xFF\xFE\x3D\xD8", 4)).kind == FeedError::Kind::encoding);
    CHECK(refused(std::string("\xFF\xFE<\0a", 5)).offset == 4);
    CHECK(refused(utf16("<a/>", true), "iso-8859-1").kind == FeedError::Kind::not_well_formed);
}

TEST_CASE("other encodings, by the names that browsers know") {
    CHECK(converted("\x93smart\x94 \x80 \x81", "ISO-8859-1") == "\xE2\x80\x9Csmart\xE2\x80\x9D \xE2\x82\xAC \xC2\x81");
    CHECK(converted("\xA4", "iso-8859-15") == "\xE2\x82\xAC");
    CHECK(converted("\xCF\xF0\xE8\xE2\xE5\xF2", "windows-1251") == "\xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82");
    CHECK(converted("\xF0\xD2\xC9", "KOI8-R") == "\xD0\x9F\xD1\x80\xD0\xB8");
    CHECK(converted("\x93\xFA\x96\x7B", "Shift_JIS") == "\xE6\x97\xA5\xE6\x9C\xAC");
    CHECK(converted("\xC6\xFC\xCB\xDC", "euc-jp") == "\xE6\x97\xA5\xE6\x9C\xAC");
    CHECK(converted("\x1B$BF|K\\\x1B(B", "iso-2022-jp") == "\xE6\x97\xA5\xE6\x9C\xAC");
    CHECK(converted("\xD6\xD0", "gb2312") == "\xE4\xB8\xAD");
    CHECK(converted("\xA4\xA4", "big5") == "\xE4\xB8\xAD");
    CHECK(converted("\xC7\xD1", "euc-kr") == "\xED\x95\x9C");
    CHECK(converted("e", "windows-1258") == "e");  // an accent could have followed
    const std::string long_text(100'000, '\xE4');
    CHECK(converted(long_text, "iso-8859-2").size() == 2 * long_text.size());
}

TEST_CASE("every encoding that is offered can be converted") {
    for (const char* charset :
         {"utf-16be",     "utf-32",       "l2",           "latin3",       "csisolatin4",  "cyrillic",
          "asmo-708",     "sun_eu_greek", "visual",       "logical",      "latin5",       "l6",
          "iso885911",    "iso-8859-13",  "iso-8859-14",  "csisolatin9",  "iso-8859-16",  "x-cp1250",
          "x-cp1251",     "x-cp1252",     "windows-1253", "windows-1254", "windows-1255", "windows-1256",
          "windows-1257", "windows-1258", "dos-874",      "koi",          "koi8-ru",      "866",
          "x-mac-roman",  "ms_kanji",     "x-euc-jp",     "csiso2022jp",  "chinese",      "x-gbk",
          "gb18030",      "cn-big5",      "korean",       "iso-2022-kr",  "iso-2022-cn",  "x-mac-ukrainian",
          "unicode",      "utf-16le",     "utf-32le",     "utf-32be",     " UTF8\n",      "ANSI_X3.4-1968"}) {
        INFO(charset);
        const std::string name = encoding_by_label(charset).data();
        const bool is_wide = name.starts_with("UTF-16") || name.starts_with("UTF-32");
        CHECK(converted(is_wide ? "" : "<a/>", charset) == (is_wide ? "" : "<a/>"));
    }
}

TEST_CASE("labels mean what browsers take them for") {
    CHECK(converted("\xAD\xA1", "euc-jp") == "\xE2\x91\xA0");  // row 13, which JIS X 0208 leaves open
    CHECK(converted("\xA2\xE3", "gb2312") == "\xE2\x82\xAC");  // GB 18030's
    CHECK(converted("\xA4", "iso-8859-11") == converted("\xA4", "windows-874"));
    CHECK(converted("\xFD", "iso-8859-9") == "\xC4\xB1");
    CHECK(converted("a\0b\0"s, "utf-16") == "ab");
    CHECK(converted("\xE9", "latin1") == converted("\xE9", "windows-1252"));
}

TEST_CASE("to_utf8: every label of the Encoding Standard, in any case and between white space → its encoding") {
    struct Case {
        const char* encoding;
        const char* labels;
    };
    const Case cases[] = {
        {"UTF-8", "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8 us-ascii"},
        {"IBM866", "866 cp866 csibm866 ibm866"},
        {"ISO-8859-8", "iso-8859-8 visual csiso88598i iso-8859-8-i logical"},
        {"KOI8-U", "koi8-ru koi8-u"},
        {"macintosh", "csmacintosh mac macintosh x-mac-roman"},
        {"windows-874", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"},
        {"windows-1255", "cp1255 windows-1255 x-cp1255"},
        {"x-mac-cyrillic", "x-mac-cyrillic x-mac-ukrainian"},
        {"GBK", "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"},
        {"gb18030", "gb18030"},
        {"Big5", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"},
        {"EUC-JP", "cseucpkdfmtjapanese euc-jp x-euc-jp"},
        {"ISO-2022-JP", "csiso2022jp iso-2022-jp"},
        {"Shift_JIS", "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"},
        {"EUC-KR", "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ksc5601 windows-949"},
        {"UTF-16BE", "unicodefffe utf-16be"},
        {"UTF-16LE", "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"},
        {"x-user-defined", "x-user-defined"},
    };
    for (const Case& c : cases) {
        std::istringstream labels(c.labels);
        for (std::string label; labels >> label;) {
            INFO(label);
            CHECK(encoding_by_label(label) == c.encoding);
            label[0] = static_cast<char>(std::toupper(label[0]));
            CHECK(encoding_by_label("\t\n\f\r " + label + " \f") == c.encoding);
        }
    }
    for (const char* label : {"", "hz-gb-2312", "replacement", "utf-7", "utf-8\v", "\xC2\xA0utf-8", "u tf-8"})
        CHECK(encoding_by_label(label).empty());
}

TEST_CASE("to_utf8: characters that iconv reads otherwise → those of the standard") {
    CHECK(converted("\x1B$B-!|q\x1B(B", "iso-2022-jp") == "\u2460\u2170");
    CHECK(converted("\xF9\xA1", "euc-jp") == "\u7E8A");
    CHECK(converted("\xE9\xC4", "windows-1255") == "\u05D9\u05B4");
    CHECK(converted("e\xCC", "windows-1258") == "e\u0300");
    CHECK(converted("\xDB\xC6", "macintosh") == "\u20AC\u2206");
    CHECK(converted("\xFF", "x-mac-cyrillic") == "\u20AC");
    CHECK(converted("\xAE", "koi8-u") == "\u045E");
    CHECK(converted("\xA3\xE1", "big5") == "\u20AC");
    CHECK(converted("\x80", "gbk") == "\u20AC");
    CHECK(converted("\x81", "windows-1254") == "\u0081");
}

TEST_CASE("to_utf8: a fault in any encoding is at its first byte") {
    struct Case {
        const char* charset;
        std::string bytes;
    };
    const Case cases[] = {
        {"euc-jp", "\x8F\xA1<"},  {"euc-kr", "\xC9<"},      {"big5", "\x81<"},
        {"gb18030", "\x81\x30<"}, {"gbk", "\xFF"},          {"shift_jis", "\xA0"},
        {"windows-1253", "\xD2"}, {"windows-1257", "\xA1"}, {"iso-2022-jp", "\x1B(Ax"},
        {"iso-2022-jp", "\x0E"},  {"iso-8859-8", "\xA1"},   {"windows-874", "\xDB"},
        {"iso-8859-6", "\xA1"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.charset, c.bytes);
        const FeedError error = refused("ab\ncd" + c.bytes, c.charset);
        CHECK(error.kind == FeedError::Kind::encoding);
        CHECK(error.offset == 5);
        CHECK(error.line == 2);
        CHECK(error.column == 3);
    }
    CHECK(refused("\xA0", "shift_jis").message == "the bytes here are not text in Shift_JIS");
}

TEST_CASE("bytes that are not text are refused with their place") {
    FeedError error = refused("<a>\n\xC3\xA9\xFF</a>");
    CHECK(error.kind == FeedError::Kind::encoding);
    CHECK(error.message == "the bytes here are not UTF-8");
    CHECK(error.offset == 6);
    CHECK(error.line == 2);
    CHECK(error.column == 2);
    error = refused("ab\n\x93\xFA\x93", "shift_jis");
    CHECK(error.kind == FeedError::Kind::encoding);
    CHECK(error.offset == 5);
    CHECK(error.line == 2);
    CHECK(error.column == 2);
    error = refused("ab\x0C", "windows-1252");
    CHECK(error.kind == FeedError::Kind::not_well_formed);
    CHECK(error.message == "the character U+000C is not allowed");
    CHECK(refused("a\xEF\xBF\xBF").message == "the character U+FFFF is not allowed");
}

TEST_CASE("unknown encodings are refused") {
    CHECK(refused("<a/>", "klingon").message == "the encoding \"klingon\" is not known");
    CHECK(refused("<a/>", "UTF-16//IGNORE").kind == FeedError::Kind::encoding);
    CHECK(refused(declared("ebcdic-x", "")).kind == FeedError::Kind::encoding);
}

TEST_CASE("the limit counts the bytes of the result") {
    CHECK(refused(std::string(60, '\xE9'), "iso-8859-2", 100).kind == FeedError::Kind::limit);
    CHECK(refused(std::string(60, '\xE9'), "iso-8859-1", 100).kind == FeedError::Kind::limit);
    CHECK(to_utf8(std::string(50, '\xE9'), "iso-8859-1", 100).has_value());
}
