#include "broker/server/subscriptions/precondition.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string_view>
#include <utility>

using sluice::server::HeadFields;
using sluice::server::HttpRequest;
using sluice::server::Precondition;

namespace {

using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

Precondition precondition_of(Fields fields) {
    HeadFields headers;
    for (const auto& [name, value] : fields) headers.insert(name, value);
    HttpRequest request;
    request.headers = &headers;
    return sluice::server::read_precondition(request);
}

}  // namespace

TEST_CASE("without a precondition, a subscription may or may not exist") {
    const Precondition any = precondition_of({{"If-Range", "\"1\""}});
    CHECK(any.holds(0));
    CHECK(any.holds(7));
}

TEST_CASE("If-Match names versions, or any") {
    for (const Fields& fields : {Fields{{"If-Match", "\"7\""}}, Fields{{"If-Match", "\"6\" , \t\"7\",\"x\""}},
                                 Fields{{"If-Match", "\"6\""}, {"If-Match", "W/\"8\",\"7\""}}}) {
        CHECK(precondition_of(fields).holds(7));
        CHECK_FALSE(precondition_of(fields).holds(8));
        CHECK_FALSE(precondition_of(fields).holds(0));
    }
    CHECK(precondition_of({{"If-Match", "*"}}).holds(7));
    CHECK_FALSE(precondition_of({{"If-Match", "*"}}).holds(0));
    for (const char* other : {"W/\"7\"", "7", "\"\"", "\"", "\"7", "\"0\"", "\"-7\"", "\"7 \""})
        CHECK_FALSE(precondition_of({{"If-Match", other}}).holds(7));
}

TEST_CASE("If-None-Match: * lets nothing be replaced, and other values are refused") {
    CHECK(precondition_of({{"If-None-Match", "*"}}).holds(0));
    CHECK_FALSE(precondition_of({{"If-None-Match", "*"}}).holds(1));
    CHECK_FALSE(precondition_of({{"If-None-Match", "*"}, {"If-Match", "*"}}).holds(1));
    CHECK_FALSE(precondition_of({{"If-None-Match", "*"}}).refusal);
    const Precondition other = precondition_of({{"If-None-Match", "\"1\""}});
    REQUIRE(other.refusal);
    CHECK(other.refusal->status == 400);
}
