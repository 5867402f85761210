#include "gpu/cuda/backend_choice.hpp"

#include <catch2/catch.hpp>

using sluice::cuda::BackendChoice;
using sluice::cuda::Processor;

namespace {

// Matches batches as if they cost this much, and says how many the device had.
int run(BackendChoice& choice, std::size_t events, int batches, double cpu, double device) {
    int on_device = 0;
    for (int i = 0; i < batches; ++i) {
        const Processor p = choice.choose(events);
        on_device += p == Processor::device ? 1 : 0;
        choice.record(events, p, p == Processor::device ? device : cpu);
    }
    return on_device;
}

}  // namespace

TEST_CASE("batches go where batches of their size cost less, and now and then elsewhere") {
    BackendChoice choice;
    CHECK(run(choice, 1, 20, 2, 30) < 5);
    CHECK(run(choice, 1000, 20, 5000, 80) > 15);
    // The other one is tried: rarely where it was far slower.
    const int explored = run(choice, 1, 4 * BackendChoice::explore_rarely, 2, 30);
    CHECK(explored >= 3);
    CHECK(explored <= 5);
    CHECK(run(choice, 64, 3 + 3 + 10 * BackendChoice::explore_every, 50, 30) <
          6 + 10 * static_cast<int>(BackendChoice::explore_every) - 8);
}

TEST_CASE("the choice follows costs that change") {
    BackendChoice choice;
    run(choice, 32, 300, 100, 40);
    CHECK(choice.choose(32) == Processor::device);
    CHECK(run(choice, 32, 300, 100, 400) < 60);  // a few until the average has noticed
    CHECK(run(choice, 32, 10'000, 100, 40) > 2000);
}

TEST_CASE("the choice says why") {
    BackendChoice choice;
    CHECK(choice.reason() == "no batch yet");
    choice.record(1, Processor::cpu, 2.5);
    choice.record(40, Processor::device, 41);
    choice.record(1024, Processor::device, 300);
    CHECK(choice.reason() ==
          "batches of 1 events: not yet known on the device, 2.5 us on the CPU; of 32 to 63 events: 41 us on the "
          "device, not yet known on the CPU; of 1024 to 2047 events: 300 us on the device, not yet known on the CPU");
}
