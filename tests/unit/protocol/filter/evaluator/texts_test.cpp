#include "protocol/filter/evaluator/texts.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

using namespace sluice::xpath;

namespace {

struct Fixture {
    Meter meter;
    MeteredMemory memory;
    TextFunctions texts{meter, &memory};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "strings are counted in characters") {
    CHECK(texts.length("café") == 4);
    CHECK(texts.length("日本😀") == 3);
    CHECK(texts.length("") == 0);
    CHECK(texts.substring(std::string_view("naïve café"), 3, 6).view() == "ïve");
    CHECK(texts.substring(std::string_view("日本"), 2, HUGE_VAL).view() == "本");
    CHECK(texts.substring(std::string_view("abc"), -2, 3).view() == "ab");
    CHECK(texts.substring(std::string_view("abc"), NAN, 3).view().empty());
    const TranslateTable table("éaz", "e日", meter);
    CHECK(texts.translate("zéazé", table).view() == "e日e");
    const std::string run(100, 'b');
    CHECK(texts.translate(run + "za" + run + "é" + run + "\xff", table).view() ==
          run + "日" + run + "e" + run + "\xff");
    std::string large;
    for (int i = 0; i < 50'000; ++i) large += "aé日😀";
    CHECK(texts.length(large) == 200'000);
}

TEST_CASE_METHOD(Fixture, "a string is found wherever it is, across the pieces that are searched") {
    std::string text(1'000'000, 'a');
    for (const std::size_t at : {0u, 262'143u, 262'140u, 262'144u, 524'287u, 999'995u}) {
        std::string with = text;
        with.replace(at, 5, "abcab");
        CHECK(texts.find(with, "bca") == at + 1);
    }
    CHECK(texts.find(text, "b") == std::string_view::npos);
    CHECK(texts.find(text, std::string(400'000, 'a') + "b") == std::string_view::npos);
    CHECK(texts.find(text + "b", std::string(400'000, 'a') + "b") == 600'000);
    CHECK(texts.find("", "") == 0);
    CHECK(texts.find("a", "ab") == std::string_view::npos);
}

TEST_CASE_METHOD(Fixture, "white space is normalized without a copy where nothing changes") {
    const std::string normal = "a b";
    CHECK(texts.normalize_space(std::string_view(normal)).view().data() == normal.data());
    CHECK(texts.normalize_space(std::string_view(" a \n\t b ")).view() == "a b");
    CHECK(texts.normalize_space(std::string_view("  ")).view().empty());
}

TEST_CASE_METHOD(Fixture, "a text that was made stays where it is when it is moved") {
    Text made = texts.made("abc");
    const char* const data = made.view().data();
    Text moved = std::move(made);
    CHECK(moved.view().data() == data);
    Text assigned;
    assigned = std::move(moved);
    CHECK(assigned.view() == "abc");
    CHECK(assigned.view().data() == data);
}
