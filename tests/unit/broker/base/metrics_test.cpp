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
    for (const MetricReading& reading : metrics.read())
        for (const MetricSample& sample : reading.samples) paths.push_back(status_path(*reading.family, sample));
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

    const auto readings = metrics.read();
    REQUIRE(readings.size() == 2);
    CHECK(readings[0].family->name == "eggs");
    CHECK(readings[0].family->help == "Eggs laid");
    CHECK(name_of(readings[0].family->type) == "counter");
    CHECK(readings[1].family->unit == "bytes");
    CHECK(name_of(readings[1].family->type) == "gauge");
    REQUIRE(readings[0].samples.size() == 1);
    CHECK(std::get<std::uint64_t>(readings[0].samples[0].value) == 3);
    CHECK(std::get<std::int64_t>(readings[1].samples[0].value) == -2);
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
    const auto readings = metrics.read();
    REQUIRE(readings.size() == 3);
    CHECK(readings[0].family->name == "letters");
    CHECK(readings[0].samples.size() == 2);
    CHECK(status_paths(metrics) == std::vector<Path>{{"post", "at", "all"},
                                                     {"post", "d.e", "all"},
                                                     {"counters", "parcels"},
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
    CHECK_THROWS_AS(metrics.gauge({"eggs", "\"Eggs\""}), std::logic_error);
    CHECK_THROWS_AS(metrics.gauge({.name = "eggs", .help = "Eggs", .per_unit = 12}), std::logic_error);
    CHECK(metrics.read().empty());
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

TEST_CASE("MetricRegistry: collected families → what their owner adds at each reading", "[metrics]") {
    MetricRegistry metrics;
    const std::array<CollectedFamily, 2> families{
        {{{.name = "hen_eggs", .help = "Eggs", .status = "hens.{hen}.eggs"}, MetricType::counter, {"hen"}},
         {{.name = "hen", .help = "A hen", .status = "hens.{hen}"}, MetricType::info, {"hen", "colour"}}}};
    metrics.counter({"cocks", "Cocks"});
    std::vector<std::string> hens;
    metrics.collect(families, [&](MetricRegistry::Sink& sink) {
        for (const std::string& hen : hens) {
            sink.add(0, {hen}, 7);
            sink.add_info(1, {hen, "red"});
        }
    });
    metrics.gauge({"foxes", "Foxes"});
    CHECK(status_paths(metrics) == std::vector<Path>{{"counters", "cocks"}, {"gauges", "foxes"}});
    hens = {"a", "b"};
    const auto readings = metrics.read();
    REQUIRE(readings.size() == 4);
    REQUIRE(readings[1].samples.size() == 2);
    CHECK(readings[1].samples[1].label_values == Path{"b"});
    CHECK(std::get<std::uint64_t>(readings[1].samples[1].value) == 7);
    CHECK(status_path(*readings[2].family, readings[2].samples[0]) == Path{"hens", "a"});
    CHECK_THROWS_AS(metrics.collect(families, {}), std::logic_error);
    CHECK_THROWS_AS(metrics.counter({.name = "hen_eggs", .help = "Eggs", .status = "hens.{hen}.eggs"}, {{"hen", "c"}}),
                    std::logic_error);
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
