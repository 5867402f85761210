#include "protocol/feed/data/json_text.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <random>

using namespace sluice;
using namespace sluice::feed;

namespace {

std::string json_string(std::string_view text) {
    std::string json;
    append_json_string(json, text);
    return json;
}

}  // namespace

TEST_CASE("strings are escaped where JSON asks for it") {
    CHECK(json_string("") == R"("")");
    CHECK(json_string("plain") == R"("plain")");
    CHECK(json_string("a\"b\\c\n\r\td\x01\x1f") == R"("a\"b\\c\n\r\td\u0001\u001f")");
    CHECK(json_string("é€😀") == "\"é€😀\"");
    CHECK(json_string(std::string("\0", 1)) == R"("\u0000")");
}

TEST_CASE("bytes that are no UTF-8 become U+FFFD") {
    CHECK(json_string("a\xff z") == "\"a\xEF\xBF\xBD z\"");
    CHECK(json_string("\xED\xA0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // a surrogate
    CHECK(json_string("\xC3") == "\"\xEF\xBF\xBD\"");
}

TEST_CASE("every text gives valid JSON, and every valid text comes back") {
    std::mt19937 random(7);
    const std::string_view pieces[] = {"a", "\"", "\\", "\n", "é", "😀", "\xE2\x80\xA8", "\x7f", "\x1b", "</"};
    for (int i = 0; i < 2000; ++i) {
        std::string valid, any;
        for (std::size_t n = random() % 20; n > 0; --n) {
            valid += pieces[random() % std::size(pieces)];
            any += static_cast<char>(random());
        }
        CHECK(boost::json::parse(json_string(valid)).as_string() == valid);
        boost::json::error_code error;
        boost::json::parse(json_string(any), error);
        CHECK_FALSE(error);
    }
}
