#include "broker/cli/events/event_text.hpp"

#include <catch2/catch.hpp>
#include <utility>

using sluice::cli::event_text;

TEST_CASE("event_text: event → what tells best what it is") {
    const std::string deep = std::string(200, '[') + "1" + std::string(200, ']');
    const std::string long_text(300, 'x');
    const std::pair<std::string, std::string> cases[] = {
        {R"({"id":1,"item":{"title":"T","link":"l"},"data":{"n":1}})", "T"},
        {R"({"item":{"link":"http://x/","id":"i"},"data":{"n":1}})", "http://x/"},
        {R"({"item":{"id":"i"},"data":{"n":1}})", "i"},
        {R"({"item":{},"data":{"n":1,"t":"x"}})", "n=1, t=x"},
        {R"({"item":{},"data":{"sensor":{"id":7,"temp":1.10},"tags":["a",["b"]]}})",
         "sensor/id=7, sensor/temp=1.10, tags=a, tags=b"},
        {R"({"item":{},"data":{"n":null,"t":"null","u":"","b":false}})", "t=null, b=false"},
        {R"({"item":{},"data":{"big":1e4000000000,"long":12345678901234567890123}})",
         "big=1e4000000000, long=12345678901234567890123"},
        {R"({"item":{"title":"T"},"data":{"big":1e4000000000}})", "T"},
        {"{\"item\":{},\"data\":{\"deep\":" + deep + ",\"n\":2}}", "n=2"},
        {"{\"item\":{\"title\":\"T\"},\"data\":{\"deep\":" + deep + "}}", "T"},
        {R"({"item":{},"values":{"b":["1","2"],"c/@d":["3"],".":["own"]}})", "b=1, b=2, c/@d=3, own"},
        {R"({"item":{},"data":{},"values":{"a":["1"]}})", "a=1"},
        {R"({"item":{"summary":"S","content":"C"}})", "S"},
        {R"({"item":{"content":"C"}})", "C"},
        {R"({"item":{"summary":")" + long_text + "\"}}", long_text.substr(0, 200) + "…"},
        {R"({"item":{}})", "(untitled)"},
        {R"({"item":{},"data":{"t":"a\u001b[2J\nb"}})", "t=a\xEF\xBF\xBD[2J b"},
        {R"( { "item" : { "title" : "T" } } )", "T"},
        {R"({"item":{"title":"T"},"estimated":["laminarity(s, 1) > 0"]})", "T\n  laminarity(s, 1) > 0: estimated"},
    };
    for (const auto& [data, expected] : cases) {
        INFO(data);
        CHECK(event_text(data) == expected);
    }
}

TEST_CASE("event_text: no event → the text itself, on one line") {
    for (const std::string text :
         {"", "{", "{}}", "[]", "7", "no JSON", "{\"item\":{\"title\":\"T\"}", "{\"item\":{\"title\":\"T\"}} x",
          "{\"item\":{\"title\":T}}", "{\"item\":7}", "{\"id\":1}"}) {
        INFO(text);
        CHECK(event_text(text) == text);
    }
}
