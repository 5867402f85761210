#include "broker/server/api/explanation_json.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <limits>
#include <string>

using namespace sluice;
using broker::LeafFinding;
namespace json = boost::json;

TEST_CASE("an explanation as JSON") {
    const auto filter = filter::compile_filter("a < 1 and not(edit-distance(b, 'x') = 0) or count(//c) = 1");
    REQUIRE(filter.has_value());
    REQUIRE(filter->leaves.size() == 3);
    LeafFinding number{false, {}, {"2", "ä\""}, 20, {}}, computed{true, {}, {"x", "y", "z", "w"}, 4, {}}, scanned;
    computed.computed = {0, 1.5, std::numeric_limits<double>::quiet_NaN(), -3e20};
    scanned.reason = broker::Unknown::over_budget;
    json::object reply;
    server::add_explanation(reply, *filter, {{}, "over-budget", {number, computed, scanned}});
    CHECK(reply["filter"].as_string() == filter->canonical);
    CHECK(reply["hints"].as_array().empty());
    CHECK(reply["matched"].is_null());
    CHECK(reply["reason"] == "over-budget");
    CHECK(reply["because"] == "undecided: count(//c) = 1 would exceed its budget");
    CHECK(
        json::serialize(reply["leaves"].at(0)) ==
        R"({"leaf":"a < 1","how":"indexed on a","evaluated":true,"holds":false,"values":["2","ä\""],"value_count":20})");
    CHECK(json::serialize(reply["leaves"].at(1)).find(R"("value_count":4,"computed":[0,1.5E0,null,-3E20]})") !=
          std::string::npos);
    const json::object third = reply["leaves"].at(2).as_object();
    CHECK(third.at("evaluated") == false);
    CHECK(third.at("reason") == "over-budget");
    CHECK(third.at("holds").is_null());
    CHECK_FALSE(third.contains("values"));

    const json::array alternatives = reply["alternatives"].as_array();
    REQUIRE(alternatives.size() == 2);
    for (const json::value& alternative : alternatives) {
        const bool is_of_scanned = alternative.at("literals").as_array().size() == 1;
        if (is_of_scanned) {
            CHECK(json::serialize(alternative) ==
                  R"({"literals":[{"leaf":2,"negated":false}],"holds":null,"failed":[]})");
            continue;
        }
        CHECK(alternative.at("holds") == false);
        CHECK(alternative.at("failed").as_array().size() == 2);
        for (const json::value& literal : alternative.at("literals").as_array())
            CHECK(literal.at("negated") == (literal.at("leaf") == 1));
    }
    CHECK(server::explanation_memory(*filter, {{}, {}, {number, computed, scanned}}) > json::serialize(reply).size());
}

TEST_CASE("values that were not read have no number") {
    const auto filter = filter::compile_filter("a");
    LeafFinding finding;
    finding.reason = broker::Unknown::undelivered;
    json::object reply;
    server::add_explanation(reply, *filter, {{}, finding.reason, {finding}});
    CHECK(reply["leaves"].at(0).at("value_count").is_null());
    CHECK(reply["leaves"].at(0).at("values").as_array().empty());
}
