// What the engine reports of the devices that it uses: which batches they match, the bytes moved for these, their
// memory, and the time of operators.
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "gpu/cuda/batch_slot.hpp"
#include "gpu/cuda/event_records.hpp"
#include "gpu/device/transfers.hpp"
#include "gpu/operators/work.hpp"
#include "tests/cuda/fault_plan.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/written_filter.hpp"

namespace sluice::test {

using testing::FaultPlan;
using testing::has_device;

namespace {

engine::EngineOptions on_device() {
    engine::EngineOptions options(engine::Backend::cuda);
    options.device_rows_min = 1;
    return options;
}

// A set whose subscription i is for events whose text of "x" is i.
std::unique_ptr<engine::SubscriptionSet> set_of_texts(const engine::EngineOptions& options, int count = 500) {
    auto set = engine::make_subscription_set(options);
    for (int i = 0; i < count; ++i)
        set->add(testing::disjunction_of({{{{"x", engine::Operator::equal, std::to_string(i), 0}, false}}}));
    return set;
}

std::uint64_t device_batches(const engine::SubscriptionSet& set) {
    std::uint64_t batches = 0;
    for (const engine::DeviceStatus& device : set.status().devices) batches += device.batches;
    return batches;
}

constexpr std::size_t records_of_event = 2;  // no operand is as long as the other texts

// Matches events with a text of "x" that is 7. Returns whether a device has matched any part.
bool match(const engine::SubscriptionSet& set, const engine::Program& program, std::size_t events,
           bool is_unknown = false) {
    engine::EventBatch batch;
    for (std::size_t e = 0; e < events; ++e) {
        for (const char* text : {"7", "none", "of", "these"}) batch.values.push_back({0, text, 0});
        batch.end_event();
    }
    if (is_unknown) batch.unknown.push_back({0, 0});
    bool on_device = false;
    batch.on_device = &on_device;
    const std::uint64_t before = device_batches(set);
    std::vector<engine::Match> matches;
    program.match(batch, matches);
    CHECK(matches.size() == (events + 31) / 32);
    CHECK((device_batches(set) > before) == on_device);
    return on_device;
}

}  // namespace

TEST_CASE("EventBatch::on_device: set for a batch that a device matches, and for no other", "[cuda]") {
    if (!has_device()) return;
    const auto set = set_of_texts(on_device());
    const auto program = set->compile();
    CHECK(match(*set, *program, 40));
    CHECK_FALSE(match(*set, *program, 40, true));  // the CPU matches batches with unknown attributes
    const auto on_cpu = set_of_texts(engine::Backend::cpu);
    CHECK_FALSE(match(*on_cpu, *on_cpu->compile(), 40));
    engine::EngineOptions large_only = on_device();
    large_only.device_rows_min = 1'000'000;
    const auto small = set_of_texts(large_only);
    CHECK_FALSE(match(*small, *small->compile(), 40));
}

TEST_CASE("EventBatch::on_device: not set if the device fails and the CPU matches the batch again", "[cuda]") {
    if (!has_device()) return;
    const auto set = set_of_texts(on_device());
    const auto program = set->compile();
    REQUIRE(match(*set, *program, 40));
    {
        const FaultPlan failing("cudaStreamQuery", cudaErrorUnknown, 1);
        CHECK_FALSE(match(*set, *program, 40));
        CHECK(failing.done());
    }
    CHECK(set->status().rematched_batches == 1);
}

TEST_CASE("DeviceStatus: a batch moves at least its records to the device, and what it finds back", "[cuda]") {
    if (!has_device()) return;
    const auto set = set_of_texts(on_device());
    const cuda::Transfers before_copy = cuda::transfers(0);
    const auto program = set->compile();
    CHECK(set->status().devices[0].bytes_to_device > before_copy.to_device);
    for (const std::size_t events : {1u, 40u, 1024u}) {
        INFO(events << " events");
        const engine::DeviceStatus before = set->status().devices[0];
        REQUIRE(match(*set, *program, events));
        const engine::DeviceStatus after = set->status().devices[0];
        const std::uint64_t moved = after.bytes_to_device - before.bytes_to_device;
        CHECK(moved >= events * records_of_event * sizeof(cuda::EventRecord));
        // The device reads the small batches in the host's memory; the large one is copied.
        CHECK((moved > cuda::BatchSlot::in_place_bytes_max) == (events == 1024));
        CHECK(after.bytes_to_host - before.bytes_to_host >= events * sizeof(cpu::FoundRow));
    }
    const engine::DeviceStatus before = set->status().devices[0];
    REQUIRE_FALSE(match(*set, *program, 40, true));
    const engine::DeviceStatus after = set->status().devices[0];
    CHECK(after.bytes_to_device == before.bytes_to_device);
    CHECK(after.bytes_to_host == before.bytes_to_host);
}

TEST_CASE("DeviceStatus: the memory of a device is known from its first use on", "[cuda]") {
    if (!has_device()) return;
    const auto set = set_of_texts(on_device());
    engine::DeviceStatus device = set->status().devices[0];
    CHECK(device.state == "not used yet");
    CHECK(device.memory_total == 0);
    CHECK(device.memory_used == 0);
    const auto program = set->compile();
    for (int i = 0; i < 3; ++i) {
        device = set->status().devices[0];
        CHECK(device.memory_total > 0);
        CHECK(device.memory_used >= device.bytes);
        CHECK(device.memory_used <= device.memory_total);
        CHECK(match(*set, *program, 40));
    }
}

TEST_CASE("DeviceStatus: a device that can't be opened has no memory", "[cuda]") {
    if (!has_device()) return;
    const FaultPlan failing("cudaGetDeviceCount", cudaErrorInsufficientDriver, FaultPlan::always);
    const auto set = set_of_texts(on_device());
    CHECK_FALSE(match(*set, *set->compile(), 40));
    CHECK(set->status().devices[0].memory_total == 0);
    CHECK(set->status().devices[0].memory_used == 0);
}

TEST_CASE("OperatorWork: the time of operators on a device is the device's, and the batch is still the CPU's",
          "[cuda]") {
    if (!has_device()) return;
    engine::EngineOptions options(engine::Backend::cuda);
    options.device_rows_min = 1'000'000;
    options.device_cells_min = 0;
    const auto set = engine::make_subscription_set(options);
    engine::Predicate near_kernel{"x", engine::Operator::less_equal, {}, 1};
    near_kernel.measure = engine::Measure{engine::Measure::Kind::approx_distance, "kernel", "unit", 0, 0};
    set->add(testing::disjunction_of({{{near_kernel, false}}}));
    const auto program = set->compile();
    engine::EventBatch batch;
    batch.values.push_back({0, "a karnel", 0});
    batch.end_event();
    bool on_device = false;
    batch.on_device = &on_device;
    operators::OperatorWork work;
    batch.work = &work;
    const auto is_evaluated_on_device = [&] {  // the CPU evaluates until the family's copy is made
        work = {};
        std::vector<engine::Match> matches;
        program->match(batch, matches);
        REQUIRE(matches.size() == 1);
        for (std::size_t f = 0; f < operators::operator_families; ++f) {
            const auto family = static_cast<operators::OperatorFamilyKind>(f);
            const operators::OperatorWork::Time& time = work.time_of(family);
            CHECK((time.cpu_ns + time.device_ns > 0) == (family == operators::OperatorFamilyKind::edits));
        }
        return set->status().operators[0].device_batches > 0;
    };
    EVENTUALLY(is_evaluated_on_device());
    CHECK(work.time_of(operators::OperatorFamilyKind::edits).device_ns > 0);
    CHECK_FALSE(on_device);
    const engine::EngineStatus status = set->status();
    CHECK(status.devices[0].memory_total > 0);
    REQUIRE(status.operators.size() == 1);
    CHECK(status.operators[0].family == operators::name_of(operators::OperatorFamilyKind::edits));
}

}  // namespace sluice::test
