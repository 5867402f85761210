#include "broker/cli/top_exposition.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "broker/base/exposition.hpp"

using namespace sluice::cli;
using namespace sluice;

TEST_CASE("read_exposition reads what a broker writes") {
    base::MetricRegistry registry;
    registry.counter({"documents", "Documents accepted"}).add(3);
    registry.counter({"refused", "Refused"}, {{"reason", "a \"b\" \\ c\nd"}}).add(4);
    registry.gauge({.name = "lag_seconds", .help = "Lag", .unit = "seconds", .per_unit = 1'000}).add(-1'500);
    registry.info({"build", "The program"}, {{"version", "1"}, {"store", ""}});
    constexpr std::array<std::uint64_t, 2> bounds{10, 1'000'000};
    registry.histogram({.name = "took_seconds", .help = "Took", .unit = "seconds", .per_unit = 1'000'000}, bounds)
        .add(20);
    const Exposition read = read_exposition(base::expose(registry.read(), base::ExpositionFormat::open_metrics));
    CHECK(read.error == "");
    REQUIRE(read.samples.size() == 9);
    CHECK(read.samples[0].name == "sluice_documents_total");
    CHECK(read.samples[0].value == 3);
    CHECK(read.samples[1].label("reason") == "a \"b\" \\ c\nd");
    CHECK(read.samples[2].value == -1.5);
    CHECK(read.samples[3].name == "sluice_build_info");
    CHECK(read.samples[3].label("version") == "1");
    CHECK(read.samples[3].label("other") == "");
    CHECK(read.samples[4].label("le") == "1e-05");
    CHECK(read.samples[4].value == 0);
    CHECK(read.samples[6].label("le") == "+Inf");
    CHECK(read.samples[6].value == 1);
    CHECK(read.samples[8].value == 0.00002);
}

TEST_CASE("read_exposition reads numbers that are not finite, in gauges only") {
    const Exposition read =
        read_exposition("# TYPE a gauge\na{b=\"1\"} NaN\na{b=\"2\"} +Inf\na{b=\"3\"} -Inf\na 1e3\n# EOF\n");
    CHECK(read.error == "");
    REQUIRE(read.samples.size() == 4);
    CHECK(std::isnan(read.samples[0].value));
    CHECK(read.samples[1].value == INFINITY);
    CHECK(read.samples[2].value == -INFINITY);
    CHECK(read.samples[3].value == 1'000);
    CHECK(read_exposition("# EOF\n").error == "");
}

TEST_CASE("read_exposition says what is wrong, and in which line") {
    struct Case {
        std::string text, error;
        std::size_t line;
    };
    const std::string head = "# TYPE a counter\n";
    for (const auto& [text, error, line] : {
             Case{"", "expected # EOF", 1},
             {head, "expected # EOF", 2},
             {head + "a_total 1", "expected a line feed", 2},
             {head + "# EOF\n\n", "expected nothing after # EOF", 3},
             {"\n# EOF\n", "expected a sample of the family that # TYPE has begun", 1},
             {"a_total 1\n# EOF\n", "expected a sample of the family that # TYPE has begun", 1},
             {head + "a 1\n", "expected a sample of the family that # TYPE has begun", 2},
             {head + "# HELP b x\n", "expected the name of the family that # TYPE has begun", 2},
             {"# UNIT  x\n", "expected the name of the family that # TYPE has begun", 1},
             {"# comment\n", "expected # TYPE, # UNIT, # HELP or # EOF", 1},
             {"# TYPE 1a counter\n", "expected the name of a family", 1},
             {"# TYPE a summary\n", "expected the type counter, gauge, histogram or info", 1},
             {head + head, "the family is there twice", 2},
             {head + "a_total 1\na_total 1\n", "the sample is there twice", 3},
             {head + "a_total\n", "expected a space and a number", 2},
             {head + "a_total x\n", "expected a number", 2},
             {head + "a_total 1 1700000000\n", "expected a number", 2},
             {head + "a_total inf\n", "expected a number", 2},
             {head + "a_total -1\n", "expected a number of at least 0", 2},
             {head + "a_total NaN\n", "expected a number of at least 0", 2},
             {head + "a_total{} 1\n", "expected a label, such as reason=\"busy\"", 2},
             {head + "a_total{b=c} 1\n", "expected a label, such as reason=\"busy\"", 2},
             {head + "a_total{b=\"c} 1\n", "expected the end of the label's text", 2},
             {head + "a_total{b=\"\\t\"} 1\n", "expected the end of the label's text", 2},
             {head + "a_total{b=\"c\";} 1\n", "expected , or }", 2},
             {head + "a_total{b=\"\",b=\"\"} 1\n", "the label is there twice", 2},
         }) {
        CAPTURE(text);
        const Exposition read = read_exposition(text);
        CHECK(read.error == error);
        CHECK(read.error_line == line);
    }
}

TEST_CASE("read_exposition has limits") {
    CHECK(read_exposition(std::string(Exposition::bytes_max + 1, ' ')).error == "more than 16 MiB");
    CHECK(read_exposition("# HELP " + std::string(Exposition::line_bytes_max, 'x') + "\n").error ==
          "a line with more than 64 KiB");
    std::string text = "# TYPE a gauge\n";
    for (std::size_t i = 0; i <= Exposition::samples_max; ++i) text += "a{b=\"" + std::to_string(i) + "\"} 1\n";
    const Exposition read = read_exposition(text);
    CHECK(read.error == "more than 100,000 samples");
    CHECK(read.error_line == Exposition::samples_max + 2);
    text = "# TYPE a gauge\na{";
    for (std::size_t i = 0; i <= Exposition::labels_max; ++i)
        text += std::string(i ? "," : "") + "b" + std::to_string(i) + "=\"\"";
    CHECK(read_exposition(text + "} 1\n").error == "more than 16 labels");
}
