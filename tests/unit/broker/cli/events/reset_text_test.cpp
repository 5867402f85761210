#include "broker/cli/events/reset_text.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <string>
#include <utility>

using sluice::cli::reset_text;

TEST_CASE("reset_text: reset → what is missing, why, and where the broker goes on") {
    const std::pair<std::string, std::string> cases[] = {
        {R"({"stream":"s","oldest_id":230,"reason":"retention"})",
         "events of stream \"s\" after k-9 are missing, because the broker no longer keeps all of them; those that it "
         "keeps "
         "from event 230 on follow"},
        {R"({"stream":"s","oldest_id":1,"reason":"damaged"})",
         "events of stream \"s\" after k-9 are missing, because the broker can't read all of them from its disk; those "
         "that it keeps from event 1 on follow"},
        {R"({"stream":"*","oldest_id":1,"reason":"epoch"})",
         "events of all streams after k-9 may be missing or come again, because the broker's log began anew, as after "
         "a "
         "restart; those that it keeps from event 1 on follow"},
        {R"({"stream":"s","oldest_id":1,"reason":"unknown"})",
         "events of stream \"s\" after k-9 may be missing or come again, because the broker does not know this place; "
         "those "
         "that it keeps from event 1 on follow"},
        {R"({"stream":"s","oldest_id":"x","reason":"later","detail":"why"})",
         "events of stream \"s\" after k-9 may be missing: why; those that it keeps follow"},
        {"null", "events after k-9 may be missing; those that it keeps follow"},
    };
    for (const auto& [reset, expected] : cases) CHECK(reset_text(boost::json::parse(reset), "after k-9") == expected);
    CHECK(reset_text(nullptr, "") == "events may be missing; those that it keeps follow");
}
