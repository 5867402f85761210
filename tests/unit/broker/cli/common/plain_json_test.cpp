#include "broker/cli/common/plain_json.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <limits>
#include <utility>

using namespace sluice::cli;

TEST_CASE("plain_json: numbers → without an exponent, and with their value") {
    const std::pair<const char*, const char*> cases[] = {{"1E20", "100000000000000000000"},
                                                         {"1.5e-05", "0.000015"},
                                                         {"0.1", "0.1"},
                                                         {"-2.0", "-2"},
                                                         {"7", "7"},
                                                         {"18446744073709551615", "18446744073709551615"}};
    for (const auto& [given, expected] : cases) CHECK(plain_json(boost::json::parse(given)) == expected);
    const std::string smallest = plain_json(boost::json::parse("5e-324")), largest = plain_json(1.7976931348623157e308);
    CHECK(boost::json::parse(smallest) == boost::json::value(5e-324));
    CHECK(smallest.find_first_not_of("0.5") == std::string::npos);
    CHECK(largest.size() == 309);
    CHECK(plain_json(std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("plain_json: everything else → as it was") {
    for (const char* text : {"{}", "[]", R"({"a\n":[1,"x\"y",null,true,{"b":[]}],"c":{}})", R"("text")"})
        CHECK(plain_json(boost::json::parse(text)) == text);
}
