#include "broker/core/stages.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "broker/core/matching/queued_batch.hpp"

namespace sluice::broker {

namespace {

using namespace std::chrono_literals;

std::uint64_t nanoseconds(const base::MetricRegistry& metrics, const std::string& stage) {
    for (const base::MetricReading& reading : metrics.read())
        for (const base::MetricSample& sample : reading.samples)
            if (sample.label_values == std::vector<std::string>{stage}) return std::get<std::uint64_t>(sample.value);
    return 0;
}

}  // namespace

TEST_CASE("StageTimes: a run that is due counts for 16", "[metrics]") {
    base::MetricRegistry metrics;
    const StageTimes times(metrics);
    times.add(Stage::parse, 3us);
    times.add(Stage::write, -1us);
    CHECK(nanoseconds(metrics, "parse") == 16 * 3'000);
    CHECK(nanoseconds(metrics, "write") == 0);
}

TEST_CASE("StageTimes: one run in 16 of each stage is due, and a thread's first", "[metrics]") {
    std::thread([] {
        constexpr int runs = 100'000;
        for (const Stage stage : {Stage::read, Stage::write}) {
            CHECK(StageTimes::is_due(stage));
            int due = 0;
            for (int i = 0; i < runs; ++i) due += StageTimes::is_due(stage);
            CHECK(due > runs / 16 * 9 / 10);
            CHECK(due < runs / 16 * 11 / 10);
        }
    }).join();
}

TEST_CASE("StageTimer: only a run that is due is timed, once", "[metrics]") {
    std::thread([] {
        base::MetricRegistry metrics;
        const StageTimes times(metrics);
        StageTimer timer(times, Stage::extract);
        for (const auto begun = StageTimes::Clock::now(); StageTimes::Clock::now() == begun;) {
        }
        timer.end();
        const std::uint64_t timed = nanoseconds(metrics, "extract");
        CHECK(timed > 0);
        timer.end();
        CHECK(nanoseconds(metrics, "extract") == timed);
    }).join();
}

TEST_CASE("QueuedBatch: events queued at different times → the sum of their waits", "[metrics]") {
    QueuedBatch batch;
    const std::chrono::steady_clock::time_point start{10s};
    CHECK(batch.waited(start) == 0s);
    for (const auto later : {0s, 1s, 3s}) {
        QueuedEvent event;
        event.queued_at = start + later;
        batch.add(event, 0);
    }
    CHECK(batch.waited(start + 5s) == 5s + 4s + 2s);
    batch.clear();
    QueuedEvent event;
    event.queued_at = start;
    batch.add(event, 0);
    CHECK(batch.waited(start + 1s) == 1s);
}

}  // namespace sluice::broker
