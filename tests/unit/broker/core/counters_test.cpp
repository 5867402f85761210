#include "broker/core/counters.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpu/api/predicate.hpp"

namespace sluice::broker {

TEST_CASE("counters are metrics of the registry that they are given", "[metrics]") {
    base::MetricRegistry registry;
    Counters counters(registry);
    count(counters.events, 3);
    std::size_t events = 0;
    for (const base::MetricReading& reading : registry.read())
        if (reading.family->name == "events") events += std::get<std::uint64_t>(reading.samples.at(0).value);
    CHECK(events == 3);
    CHECK(&counters.metrics == &registry);
    CHECK(Counters().events == 0);
}

TEST_CASE("what operators do is counted by operator", "[metrics]") {
    Counters counters;
    const auto align = static_cast<std::size_t>(engine::Measure::Kind::align);
    count(counters.operators.at(align).texts, 2);
    std::vector<std::string> operators;
    for (const base::MetricReading& reading : counters.metrics.read()) {
        if (reading.family->name != "operator_texts") continue;
        CHECK(reading.family->labels == std::vector<std::string>{"operator"});
        for (const base::MetricSample& sample : reading.samples) {
            operators.push_back(sample.label_values.at(0));
            CHECK(std::get<std::uint64_t>(sample.value) == (operators.back() == "align" ? 2u : 0u));
        }
    }
    CHECK(operators.size() == engine::measure_kinds + 1);
    CHECK(std::count(operators.begin(), operators.end(), "contains") == 1);
}

}  // namespace sluice::broker
