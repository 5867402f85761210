#include <sstream>

#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;

namespace {

std::string written(const DocumentPtr& document) {
    std::ostringstream out;
    document->tree().document_element().print(out, "", pugi::format_raw);
    return out.str();
}

// The tree of an item, as XML.
std::string item_tree(const std::string& item) {
    const DocumentPtr document = parsed("{\"items\":[" + item + "]}");
    REQUIRE(document->items().size() == 1);
    CHECK(document->items()[0].source == item);
    std::ostringstream out;
    document->items()[0].element.print(out, "", pugi::format_raw);
    return out.str();
}

}  // namespace

TEST_CASE("a JSON Feed is seen as elements") {
    CHECK(written(parsed(R"({"version":"v","title":"T","authors":[{"name":"A"},{"name":"B"}],
        "items":[{"id":"1","tags":["x","y"]},{"id":"2"}],"language":"en"})")) ==
          "<feed><version>v</version><title>T</title><authors><name>A</name></authors><authors><name>B</name></authors>"
          "<item><id>1</id><tags>x</tags><tags>y</tags></item><item><id>2</id></item><language>en</language></feed>");
}

TEST_CASE("values of every kind") {
    CHECK(item_tree(R"({"a":null,"b":true,"c":false,"d":"","e":[],"f":{},"g":" "})") ==
          "<item><b>true</b><c>false</c><d/><f/><g> </g></item>");
    CHECK(item_tree(R"({"a":[1,[2,[3,null]],{"b":[4,5]}]})") ==
          "<item><a>1</a><a>2</a><a>3</a><a><b>4</b><b>5</b></a></item>");
    CHECK(item_tree(R"({"a":"x\n\u00e9\ud83d\ude00<&\u0000z"})") ==
          "<item><a>x\n\xC3\xA9\xF0\x9F\x98\x80&lt;&amp;\xEF\xBF\xBDz</a></item>");
    CHECK(item_tree("{}") == "<item/>");
}

TEST_CASE("numbers are written as XPath writes them") {
    const auto number = [](const std::string& json) {
        const std::string tree = item_tree("{\"n\":" + json + "}");
        return tree.substr(9, tree.size() - 9 - 11);
    };
    CHECK(number("0") == "0");
    CHECK(number("-0") == "0");
    CHECK(number("-0.0") == "0");
    CHECK(number("17") == "17");
    CHECK(number("-17") == "-17");
    CHECK(number("9007199254740993") == "9007199254740993");
    CHECK(number("18446744073709551615") == "18446744073709551615");
    CHECK(number("1.50") == "1.5");
    CHECK(number("1e3") == "1000");
    CHECK(number("1.5E-7") == "0.00000015");
    CHECK(number("1e21") == "1000000000000000000000");
    CHECK(number("0.1") == "0.1");
    CHECK(number("87.25") == "87.25");
}

TEST_CASE("keys become names that a filter can write") {
    CHECK(
        item_tree(
            R"({"@id":1,"my key":2,"2x":3,"":4,"_ok-1.a":5,"dc:date":6,":b":7,"a:b:c":8,"d:":9,"\u00e9":10,"a:1":11})") ==
        "<item><_id>1</_id><my_key>2</my_key><_2x>3</_2x><_>4</_><_ok-1.a>5</_ok-1.a><dc:date>6</dc:date><_b>7</_b>"
        "<a:b_c>8</a:b_c><d_>9</d_><\xC3\xA9>10</\xC3\xA9><a_1>11</a_1></item>");
}

TEST_CASE("JSON that is refused") {
    const char* const not_json[] = {"{",
                                    "[",
                                    "{]",
                                    "{\"items\":[",
                                    "{\"items\":[{}]",
                                    "{\"items\":[{}]}x",
                                    "{items:[]}",
                                    "{\"items\":[{}],}",
                                    "{\"items\":[{\"a\":01}]}",
                                    "{\"items\":[{\"a\":\"\\ud800\"}]}",
                                    "{\"items\":[{\"a\":\"\n\"}]}",
                                    "{'items':[]}",
                                    "{\"items\":[]/**/}"};
    for (const char* text : not_json) {
        INFO(text);
        const FeedError error = refused(text);
        CHECK(error.kind == FeedError::Kind::not_well_formed);
        CHECK(error.message.starts_with("not JSON: "));
    }
    for (const char* text : {"{}", "[]", "[{\"items\":[]}]", "{\"items\":null}", "{\"items\":{}}", "{\"Items\":[]}"}) {
        INFO(text);
        CHECK(refused(text).message == "a JSON Feed is an object with an array \"items\"");
    }
    const FeedError error = refused("{\n\"items\": [{}, \"x\"]}");
    CHECK(error.message == "an item of a JSON Feed is an object");
    CHECK(error.line == 2);
    CHECK(error.column == 15);
    CHECK(refused("{\"items\":[\n{},\n  {\"a\":x}]}").line == 3);
}

TEST_CASE("JSON is UTF-8, with or without a byte order mark, whatever the charset") {
    DocumentOptions options;
    options.content_type = "application/feed+json; charset=iso-8859-1";
    const DocumentPtr document = parsed("\xEF\xBB\xBF {\"items\":[{\"a\":\"\xC3\xA9\"}]}", options);
    CHECK(text_at(document, "//a") == "\xC3\xA9");
    CHECK(refused("{\"items\":[{\"a\":\"\xE9\"}]}", options).kind == FeedError::Kind::encoding);
    const std::string utf16 = std::string("\xFF\xFE{\0\"\0i\0t\0e\0m\0s\0\"\0:\0[\0]\0}\0", 26);
    CHECK(parsed(utf16)->items().empty());
}
