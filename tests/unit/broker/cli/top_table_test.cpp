#include "broker/cli/top_table.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <cstdint>

using namespace sluice::cli;

namespace {

TopFigures some_figures(std::size_t streams, std::size_t conditions) {
    TopFigures figures;
    figures.version = "0.1.0";
    figures.backend = "cpu";
    figures.store = "rocksdb";
    figures.store_state = "open";
    figures.uptime_seconds = 3'725;
    figures.connections = 12'345;
    figures.subscribers = 3;
    figures.events = 1'234'567;
    figures.deliveries = 0.25;
    figures.delivery_p99 = 0.0123;
    figures.memory_used = 1'536;
    figures.memory_limit = 12e9;
    figures.stages = {{"parse", 12.3}, {"match", {}}};
    for (std::size_t i = 0; i < streams; ++i) figures.streams.push_back({"s" + std::to_string(i), 3, {}, 1, 1'000});
    for (std::size_t i = 0; i < conditions; ++i)
        figures.conditions.push_back({"test c" + std::to_string(i), 9, 0, 2.5, 1});
    return figures;
}

}  // namespace

TEST_CASE("top_table shows figures, streams, stages and conditions") {
    CHECK(top_table(some_figures(1, 1), "localhost:8080", SIZE_MAX) ==
          std::vector<std::string>{
              "sluice 0.1.0 at localhost:8080  up 1 h 2 min  backend cpu  store rocksdb (open)  connections 12,345  "
              "subscribers 3",
              "events/s 1,234,567  deliveries/s 0.2  refusals/s -  queue 0  lag 0",
              "delivery p50 -, p99 12.3 ms  memory 1.5 KiB of 11.2 GiB",
              "",
              "STAGE     parse  match",
              "us/event     12      -",
              "",
              "STREAM  EVENTS/S  DELIVERIES/S  SUBSCRIBERS  RETAINED",
              "s0             3             -            1     1,000",
              "",
              "EVALUATIONS  UNDECIDED   MS  SLOWEST MS  COSTLY CONDITION",
              "          9          0  2.5           1  test c0",
          });
    CHECK(top_table(some_figures(0, 0), "h", SIZE_MAX).back() ==
          "STREAM  EVENTS/S  DELIVERIES/S  SUBSCRIBERS  RETAINED");
}

TEST_CASE("top_table leaves out what has no room, conditions before the first streams") {
    const TopFigures figures = some_figures(30, 9);
    const auto count = [&](std::size_t lines_max, const std::string& begin) {
        const auto lines = top_table(figures, "h", lines_max);
        CHECK(lines.size() <= lines_max);
        return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
            return line.find(begin) == 0 || (begin == "test" && line.find("test c") != line.npos);
        });
    };
    CHECK(count(SIZE_MAX, "s") == 21);  // 20 streams, and the first line
    CHECK(count(SIZE_MAX, "test") == 5);
    for (std::size_t lines_max = 0; lines_max < 40; ++lines_max) {
        const auto streams = std::max<long>(count(lines_max, "s") - 1, 0), conditions = count(lines_max, "test");
        CAPTURE(lines_max);
        CHECK((conditions == 0 || streams >= 3));
        CHECK((lines_max < 11 || streams >= 1));
        CHECK(top_table(figures, "h", lines_max).size() == std::min<std::size_t>(lines_max, 35));
    }
}

TEST_CASE("top_table commands no terminal") {
    TopFigures figures = some_figures(1, 1);
    figures.version = figures.backend = figures.store = figures.store_state = figures.streams[0].name =
        figures.conditions[0].text = figures.stages[0].name = "\033[2J\xC2\x9B\n";
    for (const std::string& line : top_table(figures, "h", SIZE_MAX))
        CHECK(std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }));
}

TEST_CASE("top_json has null for rates that there are none of") {
    const auto json = top_json(some_figures(1, 1));
    CHECK(json.at("events_per_second") == 1'234'567.0);
    CHECK(json.at("refusals_per_second").is_null());
    CHECK(json.at("memory_limit") == 12'000'000'000);
    CHECK(json.at("microseconds_per_event") == boost::json::parse(R"({"parse":12.3,"match":null})"));
    CHECK(json.at("streams").at(0).at("name") == "s0");
    CHECK(json.at("costly_conditions").at(0).at("evaluations") == 9u);
}

TEST_CASE("first_columns counts characters") {
    CHECK(first_columns("abc", 2) == "ab");
    CHECK(first_columns("abc", 9) == "abc");
    CHECK(first_columns("äöü", 2) == "äö");
    CHECK(first_columns("\xFF\xFE!", 2) == "\xFF\xFE");
    CHECK(first_columns("", 0) == "");
}
