#include "broker/server/api/metrics_json.hpp"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

using sluice::base::MetricRegistry;
using sluice::server::add_metrics;

TEST_CASE("metrics stand in the status where they say, in the order of registration", "[metrics]") {
    MetricRegistry metrics;
    metrics.counter({"eggs", "Eggs"}).add(18'446'744'073'709'551'615u);
    metrics.gauge({.name = "hens", .help = "Hens", .status = "hens"}).set(-2);
    const sluice::base::MetricInfo of_hen{.name = "weight", .help = "Weight", .status = "each.{hen}.weight"};
    metrics.observed_gauge(of_hen, {{"hen", "b"}}, [] { return 5; });
    metrics.counter({"shells", "Shells"});
    metrics.observed_gauge(of_hen, {{"hen", "a"}}, [] { return 4; });
    boost::json::object status{{"hens", nullptr}, {"version", 1}};
    add_metrics(metrics.read(), status);
    CHECK(boost::json::serialize(status) ==
          R"({"hens":-2,"version":1,"counters":{"eggs":18446744073709551615,"shells":0},)"
          R"("each":{"b":{"weight":5},"a":{"weight":4}}})");
}

TEST_CASE("a histogram in the status says how many values were at most as large as each bound", "[metrics]") {
    MetricRegistry metrics;
    auto& size = metrics.histogram({"size", "Size"}, std::array<std::uint64_t, 2>{1, 10});
    for (const std::uint64_t value : {1u, 7u, 11u}) size.add(value);
    boost::json::object status;
    add_metrics(metrics.read(), status);
    CHECK(boost::json::serialize(status) == R"({"histograms":{"size":{"count":3,"sum":19,"buckets":{"1":1,"10":2}}}})");
}

TEST_CASE("numbers that are kept in parts of a unit stand in the status in that unit", "[metrics]") {
    MetricRegistry metrics;
    const sluice::base::MetricInfo info{
        .name = "laying_seconds", .help = "Times", .unit = "seconds", .per_unit = 1'000};
    metrics.histogram(info, std::array<std::uint64_t, 1>{250}).add(500);
    metrics.info({.name = "farm", .help = "The farm", .status = "farms.{farm}"}, {{"farm", "x"}, {"owner", "y"}});
    boost::json::object status;
    add_metrics(metrics.read(), status);
    CHECK(
        boost::json::serialize(status) ==
        R"({"histograms":{"laying_seconds":{"count":1,"sum":5E-1,"buckets":{"0.25":0}}},"farms":{"x":{"owner":"y"}}})");
}
