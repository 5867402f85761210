#include "broker/cli/workbench/json_line.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <limits>

using namespace sluice::cli;

TEST_CASE("json_line: numbers have no exponent and stay what they are") {
    CHECK(json_line({}) == "{}");
    CHECK(json_line({{"a\"", "b\n"}, {"n", 3}, {"z", nullptr}, {"half", 0.5}, {"ten", 10.0}, {"small", 1.5e-5}}) ==
          "{\"a\\\"\":\"b\\n\",\"n\":3,\"z\":null,\"half\":0.5,\"ten\":10.0,\"small\":0.000015}");
    for (const double number : {1e20, -1e20, 0.1, std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::denorm_min(), 123456.789e-9}) {
        const std::string line = json_line({{"n", number}});
        CHECK(line.find_first_of("eE") == std::string::npos);
        CHECK(std::strtod(line.c_str() + 5, nullptr) == number);
    }
    CHECK(json_line({{"n", std::numeric_limits<double>::infinity()}}) == "{\"n\":null}");
}
