#include "broker/cli/common/lines.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "broker/cli/common/columns.hpp"

using namespace sluice::cli;
using Lines = std::vector<std::string>;

namespace {

Lines lines(const char* json, Values values) { return as_lines(boost::json::parse(json).get_object(), values); }

}  // namespace

TEST_CASE("columns are as wide as their widest cell in characters") {
    CHECK(in_columns({{"name", "n", "x"}, {"é", "1000", ""}, {"longest"}}, {Side::left, Side::right}) ==
          Lines{"name        n  x", "é        1000", "longest"});
    CHECK(in_columns({}, {}).empty());
}

TEST_CASE("JSON becomes a line for each value, with the values in one column") {
    CHECK(lines(R"({"a":{"b":{"long":1,"c":"x y"}},"list":["u","v"],"n":-2.5})", Values::all) ==
          Lines{"a.b.long  1", "a.b.c     x y", "list      [\"u\",\"v\"]", "n         -2.5"});
    CHECK(lines(R"({"gpus":[{"name":"H100","faults":0},{"name":"H200"}]})", Values::all) ==
          Lines{"gpus.0.name    H100", "gpus.0.faults  0", "gpus.1.name    H200"});
}

TEST_CASE("what is zero, empty or false is left out if so wanted") {
    const char* json = R"({"a":0,"b":0.0,"c":"","d":null,"e":false,"f":[],"g":{},"h":{"i":0,"j":7},"k":[0],"l":true})";
    CHECK(lines(json, Values::telling) == Lines{"h.j  7", "k    [0]", "l    true"});
    CHECK(lines(json, Values::all).size() == 11);
}

TEST_CASE("names and values are safe for a terminal") {
    CHECK(lines("{\"a\\u001b\":\"b\\nc\\u009b\"}", Values::all) == Lines{"a�  b c�"});
}
