// Batches beyond the device's limits, which are set low: the CPU matches them, and no fault is counted.
#include <catch2/catch.hpp>
#include <string>

#include "gpu/cpu/cpu_set.hpp"
#include "gpu/cuda/cuda_accelerator.hpp"
#include "gpu/tables/literal_code.hpp"
#include "tests/cuda/event_set.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/differential/matcher_random.hpp"

namespace sluice::test {

using testing::has_device;

namespace {

std::unique_ptr<engine::SubscriptionSet> set_with(const cuda::BatchLimits& limits) {
    engine::EngineOptions options(engine::Backend::cuda);
    options.device_rows_min = 1;
    return cpu::make_cpu_set(cuda::make_cuda_accelerator(options, limits));
}

cuda::BatchLimits rows_max(std::size_t rows) {
    cuda::BatchLimits limits;
    limits.rows_max = rows;
    return limits;
}

// Subscription i is for events in which a number of n is i.
void add_numbers(BothSets& sets, int count) {
    for (int i = 0; i < count; ++i)
        sets.add({{{{"n", engine::Operator::number_equal, {}, static_cast<double>(i)}, false}}});
}
std::vector<RandomEvent> events_with_numbers(std::size_t events, int count) {
    RandomEvent event;
    for (int i = 0; i < count; ++i) event.push_back({"n", std::to_string(i), static_cast<double>(i)});
    return std::vector<RandomEvent>(events, event);
}

// Matches the events, with the right answers, on the device or the CPU.
void check_matched(BothSets& sets, const std::vector<RandomEvent>& events, bool on_device) {
    const engine::EngineStatus before = sets.status();
    REQUIRE(sets.differences(events) == 0);
    const engine::EngineStatus after = sets.status();
    const std::uint64_t device = on_device ? 1 : 0, cpu = on_device ? 0 : 1;
    CHECK(after.devices[0].batches - before.devices[0].batches == device);
    CHECK(after.cpu_batches - before.cpu_batches == cpu);
    CHECK(after.rematched_batches - before.rematched_batches == cpu);
    CHECK(after.faults.empty());
    CHECK(after.devices[0].faults == 0);
    CHECK(after.devices[0].state == "ready");
}

}  // namespace

TEST_CASE("a batch that finds more rows than the limit is matched on the CPU", "[cuda]") {
    if (!has_device()) return;
    BothSets sets(set_with(rows_max(16)));
    add_numbers(sets, 1000);
    check_matched(sets, events_with_numbers(1, 10), true);
    check_matched(sets, events_with_numbers(1, 16), true);
    check_matched(sets, events_with_numbers(1, 17), false);
    check_matched(sets, events_with_numbers(2, 9), false);
    check_matched(sets, events_with_numbers(50, 400), false);
    check_matched(sets, events_with_numbers(2, 8), true);
}

TEST_CASE("the room for the rows that are found grows up to the limit", "[cuda]") {
    if (!has_device()) return;
    BothSets sets(set_with(rows_max(60'000)));
    add_numbers(sets, 1000);
    check_matched(sets, events_with_numbers(10, 400), true);
    check_matched(sets, events_with_numbers(50, 400), true);
    check_matched(sets, events_with_numbers(100, 400), true);
    check_matched(sets, events_with_numbers(200, 400), false);
    check_matched(sets, events_with_numbers(100, 400), true);
}

TEST_CASE("a batch of more text or values than the limits is matched on the CPU", "[cuda]") {
    if (!has_device()) return;
    cuda::BatchLimits limits;
    limits.text_words_max = 100;
    limits.records_max = 50;
    BothSets sets(set_with(limits));
    add_numbers(sets, 100);
    sets.add({{{{"t", engine::Operator::contains, "needle", 0}, false}}});
    const auto text = [](std::size_t bytes) {
        return std::vector<RandomEvent>{{{"t", std::string(bytes - 6, '.') + "needle", 0}}};
    };
    check_matched(sets, text(800), true);
    check_matched(sets, text(801), false);
    check_matched(sets, events_with_numbers(1, 25), true);
    check_matched(sets, events_with_numbers(1, 26), false);
    check_matched(sets, text(800), true);
}

TEST_CASE("random filters with low limits", "[cuda]") {
    if (!has_device()) return;
    Random random(1);
    for (std::uint32_t round = 0; round < testing::rounds(20); ++round) {
        cuda::BatchLimits limits;
        limits.rows_max = random.of<std::size_t>({0, 1, 16, 300, 3000});
        limits.text_words_max = random.of<std::size_t>({10, 100, 100'000});
        BothSets sets(set_with(limits));
        for (int i = 0; i < 300; ++i) sets.add(random_filter({}, random));
        for (int i = 0; i < 10; ++i) {
            std::vector<RandomEvent> events(random.of<std::size_t>({1, 5, 40}));
            for (RandomEvent& event : events) event = random_event({}, random);
            REQUIRE(sets.differences(events) == 0);
        }
        CHECK(sets.status().faults.empty());
    }
}

TEST_CASE("an event with more true literals than its block takes is left to the host", "[cuda]") {
    if (!has_device()) return;
    std::vector<std::uint32_t> codes;
    for (std::uint32_t count = 0; count <= 600; ++count) {
        if (count % 100 == 0) {
            const testing::EventSet set = testing::set_in_block(count);
            CHECK(!set.left);
            CHECK(set.codes == codes);
        }
        codes.push_back(engine::LiteralCode(engine::Family::exists, count).bits());
    }
    for (const std::uint32_t count : {601u, 1023u, 1024u, 1025u, 1112u, 5000u, 1'000'000u})
        CHECK(testing::set_in_block(count).left);
    CHECK(testing::set_in_full_block(1).left);  // in which no look-up finds an empty place
    CHECK(testing::set_in_full_block(5000).left);
}

TEST_CASE("a text that contains thousands of operands", "[cuda]") {
    if (!has_device()) return;
    BothSets sets(set_with({}));
    std::string text;
    for (int i = 0; i < 3000; ++i) {
        const std::string operand = "[" + std::to_string(i) + "]";
        sets.add({{{{"t", engine::Operator::contains, operand, 0}, false}}});
        text += operand;
    }
    for (const std::size_t events : {std::size_t{1}, std::size_t{40}})
        check_matched(sets, std::vector<RandomEvent>(events, {{"t", text, 0}}), true);
}

}  // namespace sluice::test
