#include "gpu/tools/distance/cost_file.hpp"

#include <catch2/catch.hpp>

using namespace sluice::edits;

namespace {

const std::string settings = "delete 2\ninsert 1\nother 3\n";

// "LINE: ERROR" or "LINE:COLUMN: ERROR".
std::string error_of(const std::string& text) {
    const CostFile file = parse_costs(text);
    if (file.error.empty()) return "";
    return std::to_string(file.line) + (file.column > 0 ? ":" + std::to_string(file.column) : "") + ": " + file.error;
}

}  // namespace

TEST_CASE("a file of costs", "[approximate]") {
    const CostFile file = parse_costs(
        "# Costs.\r\ndelete 2 # a character of the pattern\n\n\tinsert 1\nother 255\n"
        "  a ' ' '#' '''\na 0 1 2 3\n'#' 4 5 0 6\n' ' 7 0 8 9\n''' 10 11 12 0");
    REQUIRE(error_of("") != "");
    REQUIRE(file.error.empty());
    const Costs costs(file.matrix);
    CHECK(costs.deletion() == 2);
    CHECK(costs.insertion() == 1);
    CHECK(costs.substitution('a', ' ') == 1);
    CHECK(costs.substitution('a', '\'') == 3);
    CHECK(costs.substitution('#', 'a') == 4);
    CHECK(costs.substitution(' ', '#') == 8);
    CHECK(costs.substitution('\'', ' ') == 11);
    CHECK(costs.substitution('a', 'a') == 0);
    CHECK(costs.substitution('a', 'b') == 255);
    CHECK(costs.substitution(U'é', U'漢') == 255);
    CHECK(costs.longest_substring(10) == 30);
    CHECK(!costs.unit());
}

TEST_CASE("a file of costs may have no matrix, and may be that of unit costs", "[approximate]") {
    CHECK(Costs(parse_costs("delete 1\ninsert 1\nother 1\n").matrix).unit());
    CHECK(Costs(parse_costs("delete 1\ninsert 1\nother 1\na b\na 0 1\nb 1 0\n").matrix).unit());
    CHECK(!Costs(parse_costs("delete 1\ninsert 1\nother 1\na b\na 0 1\nb 2 0\n").matrix).unit());
    CHECK(!Costs(parse_costs("delete 1\ninsert 1\nother 0\n").matrix).unit());
    CHECK(!Costs(CostTable::typing).unit());
    CHECK(Costs(CostTable::unit).unit());
}

TEST_CASE("errors in a file of costs say where", "[approximate]") {
    CHECK(error_of(settings + "a b c\na 0 1 2\nb 1 0\nc 2 1 0\n") ==
          "6: row 'b' has 2 costs; the header has 3 characters");
    CHECK(error_of(settings + "a b\na 0 1 1\n") == "5: row 'a' has 3 costs; the header has 2 characters");
    CHECK(error_of(settings + "a\na\n") == "5: row 'a' has 0 costs; the header has 1 character");
    CHECK(error_of(settings + "a b\na 0 1\nb 1 0\nc 1 1\n") == "7:1: row 'c' is not in the header");
    CHECK(error_of(settings + "a b\na 0 1\na 0 1\n") == "6:1: row 'a' is there twice");
    CHECK(error_of(settings + "a b\na 0 1\n") == "5: there is no row 'b'");
    CHECK(error_of(settings + "a b a\n") == "4:5: the header has 'a' twice");
    CHECK(error_of(settings + "a bc\n") == "4:3: expected one ASCII character, not 'bc'");
    CHECK(error_of(settings + "a \xC3\xA9\n") == "4:3: expected one ASCII character, not '\?\?'");
    CHECK(error_of(settings + "' a\n") == "4:1: expected one ASCII character, not '''");
    CHECK(error_of(settings + "'' a\n") == "4:1: expected one ASCII character, not ''''");
    CHECK(error_of(settings + "a b\na 0 1\nb 1 2\n") == "6:5: row 'b': a character in place of itself costs 0, not 2");
    CHECK(error_of(settings + "a b\na 0 -1\n") == "5:5: expected a whole number from 0 to 255, not '-1'");
    CHECK(error_of(settings + "a b\na 0 256\n") == "5:5: expected a whole number from 0 to 255, not '256'");
    CHECK(error_of("delete 0\n") == "1:8: expected a whole number from 1 to 255, not '0'");
    CHECK(error_of("delete 1.5\n") == "1:8: expected a whole number from 1 to 255, not '1.5'");
    CHECK(error_of("delete\n") == "1: expected one number after 'delete'");
    CHECK(error_of("delete 1\ndelete 1\n") == "2:1: 'delete' is set twice");
    CHECK(error_of("delte 1\n") ==
          "1:1: unknown setting 'delte'; expected delete, insert, other, or a line of characters");
    CHECK(error_of("") == "1: there is no line 'delete NUMBER'");
    CHECK(error_of("delete 1\ninsert 1\n") == "2: there is no line 'other NUMBER'");
    std::string many = settings;
    for (char c = '0'; c <= 'z'; ++c) many += c, many += ' ';
    CHECK(error_of(many) == "4:127: the header has more than 63 characters");
}
