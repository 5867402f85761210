#include "gpu/operators/processor_choice.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace sluice;
using namespace sluice::operators;
using Choice = ProcessorChoice;

namespace {

// A core does 1,000 cells per microsecond; a device 100,000, after 100 us.
constexpr Choice::Settings usual{{Choice::Cost{1, 1e3}, Choice::Cost{100, 1e5}}, 1000, true};

double cost(double cells, Choice::Processor processor, const Choice::Settings& settings = usual) {
    return settings.expected[processor].fixed + cells / settings.expected[processor].per_microsecond;
}

}  // namespace

TEST_CASE("before anything is measured, the expected cost decides") {
    Choice choice(usual);
    CHECK(choice.choose(2'000) == Choice::cpu);
    CHECK(choice.choose(90'000) == Choice::cpu);
    CHECK(choice.choose(110'000) == Choice::device);
    CHECK(choice.choose(1e12) == Choice::device);
    CHECK(choice.reason() == "no batch yet");
}

TEST_CASE("work below the minimum is the CPU's, whatever was measured") {
    Choice::Settings settings = usual;
    Choice choice(settings);
    for (int i = 0; i < 10; ++i) choice.record(999, Choice::cpu, 1e9);
    CHECK(choice.choose(999) == Choice::cpu);
    CHECK(choice.reason() == "no batch yet");
    settings.cells_min = 0;
    Choice all(settings);
    CHECK(all.choose(0) == Choice::cpu);
    CHECK(all.predict(1, Choice::cpu) == Approx(1.001));
}

TEST_CASE("without measuring, a device takes all work that is not too small") {
    Choice::Settings settings = usual;
    settings.measured = false;
    Choice choice(settings);
    for (int i = 0; i < 100; ++i) choice.record(2'000, Choice::device, 1e6);
    CHECK(choice.choose(2'000) == Choice::device);
    CHECK(choice.choose(999) == Choice::cpu);
}

TEST_CASE("measured costs decide, also for nearby sizes that were not measured") {
    Choice choice(usual);
    // This CPU is eight times as fast as expected.
    for (int i = 0; i < 10; ++i) choice.record(200'000, Choice::cpu, cost(200'000, Choice::cpu) / 8);
    CHECK(choice.choose(200'000) == Choice::cpu);
    CHECK(choice.choose(400'000) == Choice::cpu);
    CHECK(choice.choose(2e6) == Choice::device);
    CHECK(choice.predict(400'000, Choice::cpu) == Approx(cost(400'000, Choice::cpu) / 8));
    CHECK(choice.predict(1e9, Choice::cpu) == Approx(cost(1e9, Choice::cpu)));  // too far away to be known
    CHECK(choice.reason().starts_with("2^17 cells: not tried on a device, "));
}

TEST_CASE("the first batch may have made room: where it was slow there is a second") {
    Choice choice(usual);
    choice.record(1e6, Choice::device, 5e4);
    CHECK(choice.choose(1e6) == Choice::device);
    choice.record(1e6, Choice::device, cost(1e6, Choice::device));
    CHECK(choice.choose(1e6) == Choice::device);
    Choice slow(usual);
    for (int i = 0; i < 2; ++i) slow.record(1e6, Choice::device, 5e4);
    CHECK(slow.choose(1e6) == Choice::cpu);
}

TEST_CASE("the choice says what it counts") {
    Choice choice({usual.expected, 0, true, "events"});
    choice.record(48, Choice::device, 41);
    choice.record(48, Choice::cpu, 105);
    CHECK(choice.reason() == "2^5 events: 41 us on a device, 105 us on the CPU");
}

TEST_CASE("changing costs change the choice") {
    Choice choice(usual);
    for (int i = 0; i < 100; ++i) choice.record(1e6, Choice::device, cost(1e6, Choice::device));
    CHECK(choice.choose(1e6) == Choice::device);
    int until = 0;
    while (choice.choose(1e6) == Choice::device && until < 100) {
        choice.record(1e6, Choice::device, 1e5);  // busy with something else
        ++until;
    }
    CHECK(until < 10);
}

TEST_CASE("the other processor is tried for a small share of the time") {
    Choice choice(usual);
    double on_cpu = 0, on_device = 0;
    for (int i = 0; i < 100'000; ++i) {
        const auto processor = choice.choose(1e6);
        const double us = cost(1e6, processor);
        (processor == Choice::cpu ? on_cpu : on_device) += us;
        choice.record(1e6, processor, us);
    }
    CHECK(on_cpu > 0);
    CHECK(on_cpu < on_device / 50);
}

TEST_CASE("an exploration finds that the expectation was wrong") {
    Choice choice(usual);
    int devices = 0;
    for (int i = 0; i < 20'000; ++i) {
        const auto processor = choice.choose(50'000);
        // The device takes a tenth of the expected time.
        choice.record(50'000, processor, processor == Choice::cpu ? cost(50'000, processor) : 10);
        devices += i >= 10'000 && processor == Choice::device;
    }
    CHECK(devices > 9'500);
}
