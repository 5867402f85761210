#include "protocol/feed/json_ranges.hpp"

#include <catch2/catch.hpp>

using namespace sluice;
using Texts = std::vector<std::string_view>;

TEST_CASE("the elements of an array, as they are written") {
    CHECK(json_array_elements(R"({"items":[1,"a",[2,3],{"b":[4]}]})", "items") ==
          Texts{"1", R"("a")", "[2,3]", R"({"b":[4]})"});
    CHECK(json_array_elements("\n{ \"items\" : [ 1.5e3 ,\n true , null ] } ", "items") ==
          Texts{"1.5e3", "true", "null"});
    CHECK(json_array_elements(R"({"a":{"items":[1]},"b":["items"],"items":[2]})", "items") == Texts{"2"});
    CHECK(json_array_elements(R"({"items":["]","\"]\\","}"]})", "items") == Texts{R"("]")", R"("\"]\\")", R"("}")"});
    CHECK(json_array_elements(R"({"items":[{"a":"\\"},{"a":"[{\""}]})", "items") ==
          Texts{R"({"a":"\\"})", R"({"a":"[{\""})"});
    CHECK(json_array_elements(R"({"it\u0065ms":[1]})", "items") == Texts{"1"});
    CHECK(json_array_elements(R"({"items":[1],"x":0,"items":[2,3]})", "items") == Texts{"2", "3"});
    CHECK(json_array_elements("\xEF\xBB\xBF{\"items\":[1]}", "items") == Texts{"1"});
}

TEST_CASE("no such array, no elements") {
    for (const char* text : {"{}", "[]", "[[1]]", "1", "\"items\"", R"({"items":[]})", R"({"items":1})",
                             R"({"items":{}})", R"({"items":[1],"items":{"a":[2]}})"}) {
        INFO(text);
        CHECK(json_array_elements(text, "items").empty());
    }
}
