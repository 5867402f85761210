#include "broker/cli/client/problem.hpp"

#include <catch2/catch.hpp>

using sluice::cli::describe_problem;
using sluice::cli::HttpReply;

namespace {

HttpReply refusal(unsigned status, const std::string& body) {
    return {.status = status, .content_type = "application/problem+json", .body = body};
}

}  // namespace

TEST_CASE("a problem with a place and an excerpt") {
    const auto reply = refusal(400, R"({"title":"Invalid filter","detail":"expected ]","line":1,"column":8,
                                        "excerpt":"//item[a\n        ^"})");
    CHECK(describe_problem(reply, "filter") == "filter:1:8: expected ]\n//item[a\n        ^");
}

TEST_CASE("Problem: a position in the body that the program wrote is not told") {
    CHECK(describe_problem(refusal(400, R"({"detail":"body:1:26: retention.age: 5 has no unit"})"), "streams") ==
          "streams: retention.age: 5 has no unit");
    CHECK(describe_problem(refusal(400, R"({"detail":"body:1:2"})"), "streams") == "streams: body:1:2");
    CHECK(describe_problem(refusal(400, R"({"detail":"body: too large"})"), "streams") == "streams: body: too large");
}

TEST_CASE("a problem that says less") {
    CHECK(describe_problem(refusal(413, R"({"title":"Too large"})"), "a.xml") == "a.xml: Too large");
    const std::string rest = ", without the broker's reason; is this a Sluice broker?";
    CHECK(describe_problem(refusal(500, R"({"line":"x"})"), "a.xml") ==
          "a.xml: the answer is 500 Internal Server Error" + rest);
    CHECK(describe_problem(refusal(599, "<html>"), "a.xml") == "a.xml: the answer is 599" + rest);
    CHECK(describe_problem(refusal(0, "bye"), "end") == "end: bye");
    CHECK(describe_problem(refusal(404, "[]"), "a.xml") == "a.xml: the answer is 404 Not Found" + rest);
}
