#include "broker/cli/top_figures.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace sluice::cli;

namespace {

Exposition exposition(std::vector<ExposedSample> samples) {
    Exposition made;
    made.samples = std::move(samples);
    return made;
}

ExposedSample sample(const std::string& name, double value, const std::string& label = "", const std::string& of = "") {
    ExposedSample made{"sluice_" + name, {}, value};
    if (!label.empty()) made.labels.emplace_back(label, of);
    return made;
}

}  // namespace

TEST_CASE("top_figures divides what counters have risen by by the seconds between") {
    const Exposition before = exposition({sample("events_total", 100), sample("deliveries_total", 50),
                                          sample("documents_refused_total", 1, "reason", "busy"),
                                          sample("documents_refused_total", 5, "reason", "invalid")});
    const Exposition now = exposition({sample("events_total", 120), sample("deliveries_total", 20),
                                       sample("documents_refused_total", 3, "reason", "busy"),
                                       sample("documents_refused_total", 7, "reason", "invalid"),
                                       sample("documents_refused_total", 2, "reason", "memory"),
                                       sample("queue_events", 7), sample("memory_used_bytes", 1'024)});
    const TopFigures figures = top_figures(&before, now, 2);
    CHECK(figures.events == 10);
    CHECK(figures.deliveries == 10);  // the broker was restarted
    CHECK(figures.refusals == 3);
    CHECK(figures.queued_events == 7);
    CHECK(figures.memory_used == 1'024);
    CHECK(!figures.delivery_p50);
    CHECK(!top_figures(nullptr, now, 0).events);
    CHECK(!top_figures(nullptr, now, 0).refusals);
    CHECK(top_figures(nullptr, now, 0).queued_events == 7);
}

TEST_CASE("top_figures sorts streams by their rates") {
    const auto of = [](const std::string& name, double events, double deliveries, double subscribers) {
        return std::vector{sample("stream_events_total", events, "stream", name),
                           sample("stream_deliveries_total", deliveries, "stream", name),
                           sample("stream_subscribers", subscribers, "stream", name),
                           sample("stream_retained_events", 3 * events, "stream", name)};
    };
    std::vector<ExposedSample> before = of("quiet", 1'000, 0, 0), now = before;
    for (const auto& each : of("busy", 10, 0, 1)) before.push_back(each);
    for (const auto& each : of("busy", 20, 40, 2)) now.push_back(each);
    for (const auto& each : of("new", 4, 0, 0)) now.push_back(each);
    const Exposition first = exposition(before), second = exposition(now);
    const TopFigures figures = top_figures(&first, second, 2);
    REQUIRE(figures.streams.size() == 3);
    CHECK(figures.streams[0].name == "busy");
    CHECK(figures.streams[0].events == 5);
    CHECK(figures.streams[0].deliveries == 20);
    CHECK(figures.streams[0].subscribers == 2);
    CHECK(figures.streams[0].retained_events == 60);
    CHECK(figures.streams[1].name == "new");
    CHECK(figures.streams[1].events == 2);
    CHECK(figures.streams[2].events == 0);
    const TopFigures alone = top_figures(nullptr, second, 0);
    CHECK(alone.streams[0].name == "quiet");  // it has the most retained events
    CHECK(!alone.streams[0].events);
}

TEST_CASE("top_figures divides the time of stages by events") {
    const Exposition before =
        exposition({sample("events_total", 0), sample("stage_seconds_total", 1, "stage", "parse")});
    const Exposition now = exposition({sample("events_total", 10), sample("stage_seconds_total", 1.5, "stage", "parse"),
                                       sample("stage_seconds_total", 0.001, "stage", "match")});
    const TopFigures figures = top_figures(&before, now, 5);
    REQUIRE(figures.stages.size() == 2);
    CHECK(figures.stages[0].name == "parse");
    CHECK(*figures.stages[0].microseconds == Approx(50'000));
    CHECK(*figures.stages[1].microseconds == Approx(100));
    CHECK(!top_figures(&now, now, 5).stages[0].microseconds);  // no events
}

TEST_CASE("top_figures estimates quantiles as Prometheus does") {
    const auto buckets = [](double first, double second, double all) {
        return exposition({sample("delivery_latency_seconds_bucket", first, "le", "0.001"),
                           sample("delivery_latency_seconds_bucket", second, "le", "0.1"),
                           sample("delivery_latency_seconds_bucket", all, "le", "+Inf")});
    };
    const Exposition none = buckets(7, 8, 9);
    const auto quantiles = [&](const Exposition& now) {
        const TopFigures figures = top_figures(&none, now, 1);
        return std::pair(figures.delivery_p50, figures.delivery_p99);
    };
    CHECK(quantiles(none) == std::pair(std::optional<double>(), std::optional<double>()));
    const auto [p50, p99] = quantiles(buckets(107, 208, 209));  // 100 at most 1 ms, 100 more at most 100 ms
    CHECK(*p50 == Approx(0.001));
    CHECK(*p99 == Approx(0.001 + 0.099 * 0.98));
    CHECK(*quantiles(buckets(7, 8, 19)).first == Approx(0.1));  // beyond the last bound
    CHECK(*quantiles(buckets(17, 18, 19)).first == Approx(0.0005));
}

TEST_CASE("costly_conditions takes what is as it should be") {
    const auto status = boost::json::parse(R"({"costly_conditions":[
        {"condition":"test a","evaluations":3,"undecided":1,"milliseconds":2.5,"slowest_milliseconds":1},
        {"condition":"path b","evaluations":-1,"milliseconds":"x"}, {"evaluations":3}, 4]})");
    const auto conditions = costly_conditions(status.get_object());
    REQUIRE(conditions.size() == 2);
    CHECK(conditions[0].text == "test a");
    CHECK(conditions[0].evaluations == 3);
    CHECK(conditions[0].undecided == 1);
    CHECK(conditions[0].milliseconds == 2.5);
    CHECK(conditions[0].slowest_milliseconds == 1);
    CHECK(conditions[1].evaluations == 0);
    CHECK(conditions[1].milliseconds == 0);
    CHECK(costly_conditions({}).empty());
    CHECK(costly_conditions({{"costly_conditions", 3}}).empty());
}
