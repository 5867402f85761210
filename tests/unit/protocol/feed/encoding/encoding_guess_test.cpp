#include "protocol/feed/encoding/encoding_guess.hpp"

#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice::feed;
using Strings = std::vector<std::string>;
using namespace std::string_literals;

namespace {

struct Read {
    std::string text;
    std::vector<std::string> repairs;  // "bytes 2"
};

Read read(std::string bytes, const char* content_type = "") {
    DocumentOptions options;
    options.content_type = content_type;
    options.repair = RepairMode::lenient;
    const DocumentPtr document = parsed(std::move(bytes), options);
    Read read{std::string(document->tree().root().child_value()), {}};
    for (const Repair& repair : document->repairs().list())
        read.repairs.push_back(std::string(repair_name(repair.kind)) + " " + std::to_string(repair.count));
    return read;
}

std::string declared(const std::string& encoding, const std::string& text) {
    return "<?xml version='1.0' encoding='" + encoding + "'?><a>" + text + "</a>";
}

}  // namespace

TEST_CASE("the encoding is looked for where the document does not say it, or says it wrongly") {
    struct Case {
        const char* what;
        std::string bytes;
        const char* content_type;
        std::string text;
        Strings repairs;
    };
    const std::string e = "\xC3\xA9", lost = "\xEF\xBF\xBD";
    const Case cases[] = {
        {"unknown name, UTF-8", declared("bogus", e), "", e, {"encoding 1"}},
        {"unknown name, windows-1252", declared("bogus", "\xE9"), "", e, {"encoding 1"}},
        {"no name", declared("", e), "", e, {"xml-declaration 1"}},
        {"UTF-8 claimed, windows-1252", declared("utf-8", "caf\xE9"), "", "caf" + e, {"encoding 1"}},
        {"nothing claimed, windows-1252",
         "<a>caf\xE9 \x93x\x94</a>",
         "",
         "caf" + e + " \xE2\x80\x9Cx\xE2\x80\x9D",
         {"encoding 1"}},
        {"HTTP wrong, declaration right",
         declared("koi8-r", "\xF0\xD2\xC9"),
         "text/xml; charset=utf-8",
         "\xD0\x9F\xD1\x80\xD0\xB8",
         {"encoding 1"}},
        {"HTTP wrong, UTF-8", declared("utf-8", e), "text/xml; charset=us-ascii", e, {}},
        {"HTTP unknown, declaration right", declared("iso-8859-1", "\xE9"), "text/xml; charset=foo", e, {"encoding 1"}},
        {"HTTP says UTF-16 of ASCII", "<a>x</a>", "text/xml; charset=utf-16", "x", {"encoding 1"}},
        {"HTTP says windows-1252 of UTF-16",
         "\0<\0a\0>\0x\0<\0/\0a\0>"s,
         "text/xml; charset=windows-1252",
         "x",
         {"encoding 1"}},
        {"HTTP says UTF-32 of UTF-16", "<\0a\0>\0x\0<\0/\0a\0>\0"s, "text/xml; charset=utf-32", "x", {}},
        {"a claim that fits stays", declared("iso-8859-1", "\xE9"), "", e, {}},
        {"a claim that fits stays beside a control character",
         declared("iso-8859-1", "\xE9\x01"),
         "",
         e + lost,
         {"control-character 1"}},
        {"UTF-8 declared as ISO-8859-1", declared("iso-8859-1", e), "", e, {"encoding 1"}},
        {"UTF-8 declared as windows-1251", declared("windows-1251", "\xD0\x9F"), "", "\xD0\x9F", {"encoding 1"}},
        {"HTTP says ISO-8859-1 of UTF-8", declared("utf-8", e), "text/xml; charset=iso-8859-1", e, {"encoding 1"}},
        {"UTF-8 declared as GBK",
         declared("gbk", "\u4E2D\u6587\u4E2D\u6587\u4E2D\u6587\u4E2D\u6587"),
         "",
         "\u4E2D\u6587\u4E2D\u6587\u4E2D\u6587\u4E2D\u6587",
         {"encoding 1"}},
        {"a word of GBK that could be UTF-8", declared("gbk", "\xC2\xA4"), "", "\u9647", {}},
        {"a few bad bytes in UTF-8",
         "<a>" + e + e + e + "\xFF" + e + "\xE9</a>",
         "",
         e + e + e + lost + e + lost,
         {"bytes 2"}},
        {"more bad bytes than good ones in UTF-8", "<a>" + e + "\xFF\xFE</a>", "", e + lost + lost, {"bytes 2"}},
        {"a bad byte in Shift_JIS",
         declared("shift_jis", "\x93\xFA\x96\x7B\x93\xFA\x96\x7B\x93\xFA\x96\x7B\x93\xFA\x96\x7B\x93\xFA\x96\x7B\xFD"),
         "",
         "\xE6\x97\xA5\xE6\x9C\xAC\xE6\x97\xA5\xE6\x9C\xAC\xE6\x97\xA5\xE6\x9C\xAC\xE6\x97\xA5\xE6\x9C\xAC\xE6\x97\xA5"
         "\xE6\x9C\xAC" +
             lost,
         {"bytes 1"}},
        {"a byte order mark decides",
         "\xEF\xBB\xBF<a>x\xE9</a>",
         "text/xml; charset=iso-8859-1",
         "x" + lost,
         {"bytes 1"}},
        {"control characters", "<a>\x01x\x08\x1F</a>", "", lost + "x" + lost + lost, {"control-character 3"}},
        {"NUL", "<a>x\0y</a>"s, "", "x" + lost + "y", {"control-character 1"}},
        {"U+FFFF", "<a>\xEF\xBF\xBF</a>", "", lost, {"control-character 1"}},
    };
    for (const Case& c : cases) {
        INFO(c.what);
        const Read found = read(c.bytes, c.content_type);
        CHECK(found.text == c.text);
        CHECK(found.repairs == c.repairs);
    }
}

TEST_CASE("ISO-2022-JP with faults stays ISO-2022-JP, and each fault is one U+FFFD") {
    std::string kanji, expected;
    for (int i = 0; i < 12; ++i) {
        kanji += "F|K\\";
        expected += "\u65E5\u672C";
    }
    const std::string lost = "\uFFFD", to_kanji = "\x1B$B", to_ascii = "\x1B(B";
    struct Case {
        const char* what;
        std::string bytes;
        const char* content_type;
        std::string text;
        Strings repairs;
    };
    const Case cases[] = {
        {"no fault", to_kanji + kanji + to_ascii, "", expected, {}},
        {"row 13", to_kanji + kanji + "-!-@" + to_ascii, "", expected + "\u2460\u3349", {}},
        {"row 9", to_kanji + kanji + ")!" + to_ascii, "", expected + lost, {"bytes 1"}},
        {"two rows", to_kanji + ")!" + kanji + "/!" + to_ascii, "", lost + expected + lost, {"bytes 2"}},
        {"half a character", to_kanji + kanji + "F" + to_ascii, "", expected + lost, {"bytes 1"}},
        {"a line end", to_kanji + kanji + "\n" + to_ascii, "", expected + lost, {"bytes 1"}},
        {"an escape sequence of ISO-2022-JP-2",
         to_kanji + kanji + to_ascii + "\x1B.A",
         "",
         expected + lost + ".A",
         {"bytes 1"}},
        {"two escape sequences", to_kanji + kanji + to_ascii + to_ascii, "", expected + lost, {"bytes 1"}},
        {"a byte of eight bits", to_kanji + kanji + to_ascii + "\xFF", "", expected + lost, {"bytes 1"}},
        {"shift out", to_kanji + kanji + to_ascii + "\x0E", "", expected + lost, {"bytes 1"}},
        {"a short text", to_kanji + "F|)!" + to_ascii, "", "\u65E5" + lost, {"bytes 1"}},
        {"a short text and a byte of eight bits",
         to_kanji + "F|" + to_ascii + "\xFF",
         "",
         "\u65E5" + lost,
         {"bytes 1"}},
        {"HTTP says an unknown encoding",
         to_kanji + kanji + to_ascii,
         "text/xml; charset=foo",
         expected,
         {"encoding 1"}},
        {"HTTP says US-ASCII", to_kanji + kanji + to_ascii, "text/xml; charset=us-ascii", expected, {"encoding 1"}},
        {"HTTP says UTF-8", to_kanji + kanji + to_ascii, "text/xml; charset=utf-8", expected, {"encoding 1"}},
    };
    for (const Case& c : cases) {
        INFO(c.what);
        const Read found = read(declared("iso-2022-jp", c.bytes), c.content_type);
        CHECK(found.text == c.text);
        CHECK(found.repairs == c.repairs);
    }
}

TEST_CASE("ISO-2022-JP declared of text without its escape sequences is a wrong encoding") {
    for (const char* encoding : {"iso-2022-jp", "iso-2022-kr"}) {
        const Read found = read(declared(encoding, "caf\xE9"));
        CHECK(found.text == "caf\u00E9");
        CHECK(found.repairs == Strings{"encoding 1"});
    }
    const std::string kanji = "\u65E5\u672C\u65E5\u672C\u65E5\u672C\u65E5\u672C";
    CHECK(read(declared("iso-2022-jp", kanji)).text == kanji);
    CHECK(read(declared("windows-1251", "a\x1B")).text == "a\uFFFD");
}

TEST_CASE("markup behind a byte that begins a character stays markup") {
    const std::string lost = "\xEF\xBF\xBD";
    struct Case {
        const char* encoding;
        std::string good;
        std::string bad;
    };
    const Case cases[] = {
        {"shift_jis", "\x93\xFA", "\x93"}, {"euc-jp", "\xC6\xFC", "\xC6"},   {"euc-jp", "\xC6\xFC", "\x8F\xA1"},
        {"euc-kr", "\xC7\xD1", "\xC7"},    {"big5", "\xA4\xA4", "\xA4"},     {"gbk", "\xD6\xD0", "\xD6"},
        {"gb18030", "\xD6\xD0", "\xFF"},   {"windows-1253", "\xC1", "\xD2"}, {"windows-874", "\xA1", "\xDB"},
        {"iso-8859-6", "\xC1", "\xA1"},
    };
    for (const Case& c : cases) {
        std::string text;
        for (int i = 0; i < 20; ++i) text += c.good;
        CAPTURE(c.encoding, c.bad);
        const Read found = read(declared(c.encoding, text + c.bad));
        CHECK(found.text.ends_with(lost));
        CHECK(found.repairs == Strings{"bytes 1"});
    }
}

TEST_CASE("bytes of UTF-8 that begin a character are one U+FFFD together") {
    const std::string e = "\u00E9", lost = "\uFFFD";
    struct Case {
        std::string bad;
        std::size_t faults;
    };
    const Case cases[] = {{"\xE2\x82", 1},        {"\xF0\x9F\x98", 1}, {"\xF0\x9F", 1},         {"\xC3", 1},
                          {"\xE0\x80", 2},        {"\xED\xA0\x80", 3}, {"\xF4\x90\x80\x80", 4}, {"\xC0\xAF", 2},
                          {"\xF5\x80", 2},        {"\xFF", 1},         {"\x80\xBF", 2},         {"\xE2\x82\xE2\x82", 2},
                          {"\xF0\x80\x80\x80", 4}};
    for (const Case& c : cases) {
        const Read found = read("<a>" + e + e + e + c.bad + "x</a>");
        std::string expected = e + e + e;
        for (std::size_t i = 0; i < c.faults; ++i) expected += lost;
        CHECK(found.text == expected + "x");
        CHECK(found.repairs == Strings{"bytes " + std::to_string(c.faults)});
    }
}

TEST_CASE("a character that the end of the document cuts off changes no vote") {
    for (const char* tail : {"\xC3", "\xE2\x82", "\xF0\x9F\x98"}) {
        const Read found = read("<a><b>plain</b>" + std::string(tail));
        CHECK(found.repairs == Strings{"bytes 1", "cut-off 1"});
    }
    Repairs repairs;
    const auto text = repair_encoding("<a>caf\xE9", "", 1000, repairs);
    REQUIRE(text.has_value());
    CHECK(*text == "<a>caf\xEF\xBF\xBD");  // may be the beginning of one of three bytes
    const auto japanese = repair_encoding("<a>\x93\xFA\x96", "shift_jis", 1000, repairs);
    REQUIRE(japanese.has_value());
    CHECK(*japanese == "<a>\xE6\x97\xA5\xEF\xBF\xBD");
}

TEST_CASE("UTF-16 claimed of UTF-8 is a wrong encoding") {
    Repairs repairs;
    const auto text = repair_encoding("caf\xC3\xA9,x", "utf-16", 1000, repairs);
    REQUIRE(text.has_value());
    CHECK(*text == "caf\xC3\xA9,x");
    REQUIRE(repairs.list().size() == 1);
    CHECK(repairs.list().front().kind == RepairKind::encoding);
}

TEST_CASE("the repaired text is within the limit") {
    Repairs repairs;
    const auto text = repair_encoding(std::string(100, '\xE9'), "", 150, repairs);
    REQUIRE(text.has_error());
    CHECK(text.error().kind == FeedError::Kind::limit);
}

TEST_CASE("strict refuses what lenient reads") {
    CHECK(refused(declared("bogus", "x")).message == "the encoding \"bogus\" is not known");
    CHECK(refused("<a>\xE9</a>").kind == FeedError::Kind::encoding);
    CHECK(refused("<a>\x01</a>").kind == FeedError::Kind::not_well_formed);
}
