#include "broker/base/metrics.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace sluice::base;

namespace {

using Path = std::vector<std::string>;

std::vector<Path> status_paths(const MetricRegistry& metrics) {
    std::vector<Path> paths;
    metrics.for_each_series([&](const MetricSeries& series) { paths.push_back(series.status_path()); });
    return paths;
}

}  // namespace

TEST_CASE("counters and gauges are registered with their descriptions", "[metrics]") {
    MetricRegistry metrics;
    Counter& eggs = metrics.counter({"eggs", "Eggs laid"});
    Gauge& nest = metrics.gauge({.name = "nest_bytes", .help = "Size", .unit = "bytes", .status = "nest.size"});
    eggs.add();
    eggs.add(2);
    nest.set(5);
    nest.add(-7);
    CHECK(eggs == 3);
    CHECK(nest == -2);

    std::vector<const MetricFamily*> families;
    metrics.for_each_family([&](const MetricFamily& family) { families.push_back(&family); });
    REQUIRE(families.size() == 2);
    CHECK(families[0]->name == "eggs");
    CHECK(families[0]->help == "Eggs laid");
    CHECK(name_of(families[0]->type) == "counter");
    CHECK(families[1]->unit == "bytes");
    CHECK(name_of(families[1]->type) == "gauge");
    REQUIRE(families[0]->series.size() == 1);
    CHECK(std::get<const Counter*>(families[0]->series[0]->number) == &eggs);
    CHECK(status_paths(metrics) == std::vector<Path>{{"counters", "eggs"}, {"nest", "size"}});
}

TEST_CASE("series of a family differ in the values of its labels", "[metrics]") {
    MetricRegistry metrics;
    const MetricInfo info{.name = "letters", .help = "Letters", .status = "post.{country}.all"};
    Counter& home = metrics.counter(info, {{"country", "at"}});
    metrics.counter({"parcels", "Parcels"});
    Counter& away = metrics.counter(info, {{"country", "d.e"}});
    metrics.counter({"stamps", "Stamps"}, {{"colour", "red"}, {"price", "1"}});
    away.add(3);
    CHECK(home == 0);
    CHECK(away == 3);
    std::size_t families = 0;
    metrics.for_each_family([&](const MetricFamily& family) {
        ++families;
        if (family.name == "letters") CHECK(family.series.size() == 2);
    });
    CHECK(families == 3);
    CHECK(status_paths(metrics) == std::vector<Path>{{"post", "at", "all"},
                                                     {"counters", "parcels"},
                                                     {"post", "d.e", "all"},
                                                     {"counters", "stamps", "red", "1"}});
}

TEST_CASE("what others keep is read where it is", "[metrics]") {
    MetricRegistry metrics;
    std::int64_t length = 4;
    ObservedGauge& queue = metrics.observed_gauge({"queue", "Length"}, {}, [&] { return length; });
    ObservedCounter& lost = metrics.observed_counter({"lost", "Lost"});
    CHECK(queue.load() == 4);
    length = -1;
    CHECK(queue.load() == -1);
    queue.read_from({});
    CHECK(queue.load() == 0);
    CHECK(lost.load() == 0);
    lost.read_from([] { return std::uint64_t{9}; });
    CHECK(lost.load() == 9);
}

TEST_CASE("a metric that could not be exposed is not registered", "[metrics]") {
    MetricRegistry metrics;
    for (const char* name : {"", "Eggs", "9eggs", "eggs-laid", "eggs laid", "eggs_total", "eggs_bucket", "eggs_sum",
                             "eggs_count", "eggs_created", "eggs_info"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(metrics.counter({name, "Eggs"}), std::logic_error);
    }
    CHECK_THROWS_AS(metrics.gauge({"eggs", ""}), std::logic_error);
    CHECK_THROWS_AS(metrics.gauge({"eggs", "Eggs", "bytes"}), std::logic_error);
    CHECK_THROWS_AS(metrics.gauge({"eggs", "Eggs"}, {{"le", "1"}}), std::logic_error);
    CHECK_THROWS_AS(metrics.gauge({"eggs", "Eggs"}, {{"a:b", "1"}}), std::logic_error);
    CHECK_THROWS_AS(metrics.gauge({"eggs", "Eggs"}, {{"__a", "1"}}), std::logic_error);
    CHECK_THROWS_AS(metrics.gauge({"eggs", "Eggs"}, {{"a", "1"}, {"a", "2"}}), std::logic_error);
    CHECK_THROWS_AS(metrics.gauge({.name = "eggs", .help = "Eggs", .status = "eggs"}, {{"a", "1"}}), std::logic_error);
    CHECK(status_paths(metrics).empty());
    CHECK_NOTHROW(metrics.counter({"a:eggs_9", "Eggs"}));
}

TEST_CASE("series of one name agree, and none is registered twice", "[metrics]") {
    MetricRegistry metrics;
    const std::array<std::uint64_t, 2> bounds{1, 2}, others{1, 3};
    metrics.counter({"eggs", "Eggs"}, {{"hen", "a"}});
    metrics.histogram({"size", "Size"}, bounds, {{"hen", "a"}});
    CHECK_THROWS_AS(metrics.counter({"eggs", "Eggs"}, {{"hen", "a"}}), std::logic_error);
    CHECK_THROWS_AS(metrics.counter({"eggs", "Eggs"}), std::logic_error);
    CHECK_THROWS_AS(metrics.counter({"eggs", "Eggs"}, {{"cock", "a"}}), std::logic_error);
    CHECK_THROWS_AS(metrics.counter({"eggs", "Eggs laid"}, {{"hen", "b"}}), std::logic_error);
    CHECK_THROWS_AS(metrics.gauge({"eggs", "Eggs"}, {{"hen", "b"}}), std::logic_error);
    CHECK_THROWS_AS(metrics.histogram({"size", "Size"}, others, {{"hen", "b"}}), std::logic_error);
    CHECK_NOTHROW(metrics.counter({"eggs", "Eggs"}, {{"hen", "b"}}));
    CHECK_NOTHROW(metrics.histogram({"size", "Size"}, bounds, {{"hen", "b"}}));
    CHECK(status_paths(metrics).size() == 4);
}

TEST_CASE("numbers stay where they are while others are registered, and threads add at once", "[metrics]") {
    constexpr std::uint64_t additions = 10'000;
    MetricRegistry metrics;
    Counter& eggs = metrics.counter({"eggs", "Eggs"});
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (std::uint64_t i = 0; i < additions; ++i) eggs.add();
        });
    for (int i = 0; i < 100; ++i) metrics.counter({"hens", "Hens"}, {{"number", std::to_string(i)}}).add();
    for (std::thread& thread : threads) thread.join();
    CHECK(eggs == 3 * additions);
    CHECK(status_paths(metrics).size() == 101);
}
