#include "broker/cli/single_lines.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <string>

using sluice::cli::SingleLines;
using sluice::cli::summary_of_one;

namespace json = boost::json;

namespace {

json::object parsed_object(const std::string& text) { return json::parse(text).as_object(); }

std::string corrected(const SingleLines& lines, const std::string& summary) {
    json::object object = parsed_object(summary);
    lines.add_to(object);
    return json::serialize(object);
}

}  // namespace

TEST_CASE("a summary counts lines that were taken in the end as accepted") {
    const std::string summary =
        R"({"stream":"s","documents":4,"accepted":1,"refused":3,"next_number":5,"received":1,"new":1,"updated":0,)"
        R"("unchanged":0,"first_id":7,"last_id":7,"stored":"memory","faults":[{"number":2,"status":503},)"
        R"({"number":3,"status":400},{"number":4,"status":429}]})";
    SingleLines lines;
    CHECK(corrected(lines, summary) == summary);
    lines.accept(2, parsed_object(R"({"received":2,"new":1,"updated":1,"unchanged":0,"first_id":8,"last_id":9})"));
    lines.accept(4, parsed_object(R"({"received":1,"new":0,"updated":0,"unchanged":1,"first_id":null,"refused":2})"));
    CHECK(corrected(lines, summary) ==
          R"({"stream":"s","documents":4,"accepted":3,"refused":1,"next_number":5,"received":4,"new":2,"updated":1,)"
          R"("unchanged":1,"first_id":7,"last_id":9,"stored":"memory","faults":[{"number":3,"status":400}],)"
          R"("items_refused":2})");
}

TEST_CASE("a summary without faults names none") {
    SingleLines lines;
    lines.accept(1, parsed_object(R"({"first_id":5,"last_id":6})"));
    CHECK(corrected(lines, R"({"refused":1,"first_id":null,"last_id":null,"faults":[{"number":1}],"accepted":0})") ==
          R"({"refused":0,"first_id":5,"last_id":6,"accepted":1})");
}

TEST_CASE("a line that was sent alone has a summary as a stream of one") {
    const std::string reply = R"({"stream":"s","received":3,"new":2,"updated":0,"unchanged":1,"first_id":4,)"
                              R"("last_id":5,"stored":"synced","refused":1,"refusals":[]})";
    SingleLines lines;
    lines.accept(1, parsed_object(reply));
    CHECK(corrected(lines, json::serialize(summary_of_one(parsed_object(reply)))) ==
          R"({"stream":"s","documents":1,"accepted":1,"refused":0,"next_number":2,"received":3,"new":2,"updated":0,)"
          R"("unchanged":1,"first_id":4,"last_id":5,"stored":"synced","items_refused":1})");
    CHECK(json::serialize(summary_of_one({})) ==
          R"({"documents":1,"accepted":0,"refused":1,"next_number":2,"received":0,"new":0,"updated":0,)"
          R"("unchanged":0,"first_id":null,"last_id":null})");
}
