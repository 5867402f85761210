#include "broker/base/exposition.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <limits>

namespace sluice::base {

namespace {

void fill(MetricRegistry& metrics) {
    metrics.counter({"eggs", "Eggs laid"}, {{"hen", "a\"b\\c\nd"}, {"nest", ""}}).add(3);
    metrics.gauge({.name = "weight_seconds", .help = "Weight", .unit = "seconds", .per_unit = 1'000}).set(-1'500);
    const std::array<std::uint64_t, 3> bounds{10, 1'000'000, 20'000'000};
    Histogram& times = metrics.histogram(
        {.name = "laying_seconds", .help = "Times", .unit = "seconds", .per_unit = 1'000'000}, bounds, {{"hen", "a"}});
    times.add(10);
    times.add(1'000'001);
    metrics.info({.name = "farm", .help = "The farm"}, {{"owner", "x"}});
    metrics.gauge({"process_open_fds", "Descriptors"}).set(4);
    metrics.collect(std::array{CollectedFamily{{"cocks", "Cocks"}, MetricType::gauge, {"cock"}}},
                    [](MetricRegistry::Sink&) {});
}

}  // namespace

TEST_CASE("expose: OpenMetrics → type, unit, help and samples of each family with samples", "[metrics]") {
    MetricRegistry metrics;
    fill(metrics);
    CHECK(expose(metrics.read(), ExpositionFormat::open_metrics) == R"(# TYPE sluice_eggs counter
# HELP sluice_eggs Eggs laid
sluice_eggs_total{hen="a\"b\\c\nd",nest=""} 3
# TYPE sluice_weight_seconds gauge
# UNIT sluice_weight_seconds seconds
# HELP sluice_weight_seconds Weight
sluice_weight_seconds -1.5
# TYPE sluice_laying_seconds histogram
# UNIT sluice_laying_seconds seconds
# HELP sluice_laying_seconds Times
sluice_laying_seconds_bucket{hen="a",le="1e-05"} 1
sluice_laying_seconds_bucket{hen="a",le="1.0"} 1
sluice_laying_seconds_bucket{hen="a",le="20.0"} 2
sluice_laying_seconds_bucket{hen="a",le="+Inf"} 2
sluice_laying_seconds_count{hen="a"} 2
sluice_laying_seconds_sum{hen="a"} 1.000011
# TYPE sluice_farm info
# HELP sluice_farm The farm
sluice_farm_info{owner="x"} 1
# TYPE process_open_fds gauge
# HELP process_open_fds Descriptors
process_open_fds 4
# EOF
)");
}

TEST_CASE("expose: Prometheus's text → families are named as their samples", "[metrics]") {
    MetricRegistry metrics;
    metrics.counter({"eggs", "Eggs laid"}).add(3);
    metrics.info({.name = "farm", .help = "The farm"}, {{"owner", "x"}});
    metrics.gauge({.name = "nest_bytes", .help = "Size", .unit = "bytes"});
    CHECK(expose(metrics.read(), ExpositionFormat::prometheus_text) == R"(# TYPE sluice_eggs_total counter
# HELP sluice_eggs_total Eggs laid
sluice_eggs_total 3
# TYPE sluice_farm_info gauge
# HELP sluice_farm_info The farm
sluice_farm_info{owner="x"} 1
# TYPE sluice_nest_bytes gauge
# HELP sluice_nest_bytes Size
sluice_nest_bytes 0
)");
    CHECK(exposed_name(*metrics.read()[0].family) == "sluice_eggs_total");
}

TEST_CASE("in_units: any number of parts → exact decimals", "[metrics]") {
    CHECK(in_units(0, 1'000) == "0");
    CHECK(in_units(7, 1) == "7");
    CHECK(in_units(1'500, 1'000'000) == "0.0015");
    CHECK(in_units(1'000'000'001, 1'000'000'000) == "1.000000001");
    CHECK(in_units(std::numeric_limits<std::uint64_t>::max(), 10) == "1844674407370955161.5");
}

}  // namespace sluice::base
