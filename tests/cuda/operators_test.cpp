// The families of operators on a device: their answers are those of the definitions, alone and through the engine.
// Failed work is computed on the CPU and counted, and the device is used again, even after its context was corrupted. A
// program of its own, since a context belongs to the process. SLUICE_TEST_ROUNDS sets the number of random families and
// states.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>

#include "gpu/cuda/operator_devices.hpp"
#include "gpu/device/device.hpp"
#include "gpu/operators/cuda_families.hpp"
#include "tests/cuda/fault_plan.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/cuda/spoil_context.hpp"
#include "tests/differential/matcher_random.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/written_filter.hpp"
#include "tests/unit/gpu/operators/plain_family.hpp"
#include "tests/unit/gpu/operators/random_families.hpp"

namespace sluice::test {

namespace {

using testing::FaultPlan;
using testing::has_device;
using testing::rounds;
using namespace std::chrono_literals;
using Kind = operators::OperatorFamilyKind;
using Pairs = std::vector<operators::OperatorFamily::Pair>;

const std::vector<Kind> kinds{Kind::edits, Kind::recurrence, Kind::alignment};

// The questions and answers of a call of a family.
struct Call {
    std::vector<std::string> texts;
    std::vector<std::string_view> views;
    Pairs pairs;

    Call(std::vector<std::string> all, std::size_t predicates, std::size_t left_out, FamilyRandom& random)
        : texts(std::move(all)), views(texts.begin(), texts.end()) {
        for (std::uint32_t t = 0; t < texts.size(); ++t) {
            for (std::uint32_t p = 0; p < predicates; ++p) {
                if (random.below(100) >= left_out) pairs.push_back({p, t});
            }
        }
    }
    template <class Family>
    std::vector<std::uint8_t> answer(Family& family, operators::OperatorWork& work) const {
        std::vector<std::uint8_t> holds(pairs.size(), 7);
        family.evaluate(views, pairs, holds, work);
        return holds;
    }
};

void check_work(const operators::OperatorWork& work, const operators::OperatorWork& expected) {
    for (std::size_t k = 0; k < engine::measure_kinds; ++k) {
        CHECK(work.kinds[k].texts == expected.kinds[k].texts);
        CHECK(work.kinds[k].pairs == expected.kinds[k].pairs);
        CHECK(work.kinds[k].holds == expected.kinds[k].holds);
        CHECK(work.kinds[k].unreadable == expected.kinds[k].unreadable);
        CHECK(work.kinds[k].on_device.pairs <= work.kinds[k].pairs);
    }
}

std::uint64_t device_pairs(const operators::OperatorWork& work) {
    return std::accumulate(work.kinds.begin(), work.kinds.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& kind) { return sum + kind.on_device.pairs; });
}

std::vector<operators::MeasuredPredicate> random_predicates(Kind kind, std::size_t count, std::size_t longer,
                                                            FamilyRandom& random) {
    std::vector<operators::MeasuredPredicate> predicates(count);
    for (operators::MeasuredPredicate& p : predicates) {
        p = predicate_for(kind, random);
        if (kind == Kind::recurrence) continue;
        if (longer > 0 && kind == Kind::edits) p.measure.scheme = "unit";  // others are slow, on the CPU
        for (std::size_t n = random.below(longer + 1); n > 0; --n) p.measure.operand += text_for(kind, random);
    }
    return predicates;
}

std::vector<std::string> random_texts(Kind kind, std::size_t count, std::size_t longer, FamilyRandom& random) {
    std::vector<std::string> texts(count);
    for (std::string& text : texts) {
        for (std::size_t n = random.below(longer + 1); n > 0; --n) text += text_for(kind, random);
    }
    return texts;
}

// Random families of up to this many predicates, against as many texts; `longer`: how many times longer than usual.
// Small ones are compared with the definitions, the others with the CPU.
template <class Family, class... More>
void compare(Kind kind, std::uint32_t times, std::size_t predicates_max, std::size_t longer, More... more) {
    FamilyRandom random(static_cast<unsigned>(predicates_max + longer));
    std::uint64_t on_device = 0;
    for (std::uint32_t i = 0; i < times; ++i) {
        auto predicates = random_predicates(kind, 1 + random.below(predicates_max), longer, random);
        auto texts = random_texts(kind, random.below(40), 1 + longer, random);
        for (operators::MeasuredPredicate& p : predicates) {
            if (longer == 0 && !texts.empty() && random.below(4) == 0) p = near(random.of(texts), p, random);
        }
        const Call call(std::move(texts), predicates.size(), 10 * random.below(11), random);
        const Family family(predicates);
        const operators::PlainFamily plain(predicates);
        const operators::OperatorFamily& expected =
            longer == 0 ? static_cast<const operators::OperatorFamily&>(plain) : family;
        const auto device = operators::make_cuda_family(family, more...);
        operators::OperatorWork work, expected_work;
        INFO("round " << i);
        const auto right = call.answer(expected, expected_work);
        for (int again = 0; again < 2; ++again) {  // the second call sees what the first left behind
            work = {};
            REQUIRE(call.answer(*device, work) == right);
            check_work(work, expected_work);
        }
        on_device += device_pairs(work);
    }
    CHECK((on_device > 0 || times < 5));  // one family alone may have nothing for a device
}

engine::Predicate measured(Kind kind, FamilyRandom& random) {
    static const std::vector<engine::Operator> operators{engine::Operator::number_equal, engine::Operator::less,
                                                         engine::Operator::less_equal, engine::Operator::greater,
                                                         engine::Operator::greater_equal};
    engine::Predicate p;
    p.attribute = "of family " + std::to_string(static_cast<int>(kind));
    p.op = operators[random.below(operators.size())];
    p.measure = predicate_for(kind, random).measure;
    const double at = operators::reference_of(*p.measure)(text_for(kind, random));
    p.number = std::isnan(at) ? 1 : at;
    return p;
}

engine::Predicate category(FamilyRandom& random) {
    return {"category", engine::Operator::equal, std::to_string(random.below(3))};
}

testing::WrittenFilter filter(const std::vector<Kind>& of, FamilyRandom& random) {
    testing::WrittenFilter written(1 + random.below(2));
    for (testing::WrittenConjunction& conjunction : written) {
        if (random.below(2) == 0) conjunction.push_back({category(random), false});
        for (std::size_t n = 1 + random.below(3); n > 0; --n)
            conjunction.push_back({measured(of[random.below(of.size())], random), random.below(4) == 0});
    }
    return written;
}

std::vector<RandomEvent> events(const std::vector<Kind>& of, std::size_t count, FamilyRandom& random) {
    std::vector<RandomEvent> all(count);
    for (RandomEvent& event : all) {
        event.push_back({"category", category(random).text, std::nan("")});
        for (std::size_t n = random.below(4); n > 0; --n) {
            const Kind kind = of[random.below(of.size())];
            event.push_back({"of family " + std::to_string(static_cast<int>(kind)), text_for(kind, random), 0});
        }
    }
    return all;
}

// All work that has cells goes to the device, and nothing else: segments stay on the CPU.
engine::EngineOptions operators_on_device() {
    engine::EngineOptions options(engine::Backend::cuda);
    options.device_rows_min = 1u << 30;
    options.device_cells_min = 0;
    return options;
}

std::uint64_t device_batches(const engine::EngineStatus& status) {
    return std::accumulate(status.operators.begin(), status.operators.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const engine::OperatorStatus& o) { return sum + o.device_batches; });
}
std::uint64_t repeated_batches(const engine::EngineStatus& status) {
    return std::accumulate(status.operators.begin(), status.operators.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const engine::OperatorStatus& o) { return sum + o.repeated_batches; });
}
std::uint64_t count(const engine::EngineStatus& status, const char* error) {
    const auto at = status.faults.find(error);
    return at == status.faults.end() ? 0 : at->second;
}

// Matches, always with the right answers, until the device has evaluated something or the time is up. Returns whether
// it has.
bool match_until_used(BothSets& sets, const std::vector<RandomEvent>& batch, std::chrono::milliseconds at_most = 60s) {
    const auto end = std::chrono::steady_clock::now() + at_most;
    const std::uint64_t before = device_batches(sets.status());
    do {
        REQUIRE(sets.differences(batch) == 0);
        if (device_batches(sets.status()) > before) return true;
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

}  // namespace

TEST_CASE("families on a device answer as the definitions do", "[cuda]") {
    if (!has_device()) return;
    const std::uint32_t times = rounds(20);
    SECTION("edits") {
        compare<operators::EditsFamily>(Kind::edits, times, 12, 0);
        compare<operators::EditsFamily>(Kind::edits, times, 400, 0);
    }
    SECTION("recurrence") { compare<operators::RecurrenceFamily>(Kind::recurrence, times, 40, 0, 0); }
    SECTION("alignment") { compare<operators::AlignmentFamily>(Kind::alignment, times, 40, 0); }
}

TEST_CASE("families on a device answer as on the CPU: long operands and texts, many predicates", "[cuda]") {
    if (!has_device()) return;
    const std::uint32_t times = std::max(1u, rounds(20) / 4);
    SECTION("edits") {
        compare<operators::EditsFamily>(Kind::edits, times, 6, 40);
        compare<operators::EditsFamily>(Kind::edits, times, 300, 8);
    }
    SECTION("recurrence") { compare<operators::RecurrenceFamily>(Kind::recurrence, times, 300, 40, 0); }
    SECTION("alignment") {
        compare<operators::AlignmentFamily>(Kind::alignment, times, 6, 60);
        compare<operators::AlignmentFamily>(Kind::alignment, times, 300, 8);
    }
}

TEST_CASE("families on a device: pairs of thousands of letters, with and without N", "[cuda]") {
    if (!has_device()) return;
    FamilyRandom random(2);
    const auto mutated = [&](std::string sequence, std::size_t every) {
        for (std::size_t i = random.below(every); i < sequence.size(); i += 1 + random.below(2 * every))
            sequence[i] = "ACGTN"[random.below(every > 50 ? 4 : 5)];
        return sequence;
    };
    const auto letters = [&](std::size_t length) {
        std::string sequence;
        while (sequence.size() < length) sequence += "ACGT"[random.below(4)];
        return sequence;
    };
    const std::string ancestor = letters(3'000);
    std::vector<operators::MeasuredPredicate> predicates;
    for (const char* scheme : {"dna:1,-3,-5,-2", "dna:20,-30,-50,-20", "dna:2,-3,-600,-500"}) {
        for (const std::size_t every : {10u, 60u, 500u}) {
            const engine::Measure measure{engine::Measure::Kind::align, mutated(ancestor, every), scheme, 0, 0};
            for (const double t : {12.0, 200.0, 1'500.0, 2'700.0, 40'000.0})
                predicates.push_back({measure, {t, infinity}});
            predicates.push_back({measure, {100, 2'000}});
        }
    }
    const operators::AlignmentFamily aligned(predicates);
    const Call pairs({mutated(ancestor, 100), mutated(ancestor, 20), letters(1'500) + ancestor, letters(5'000), "ACGT"},
                     static_cast<std::uint32_t>(predicates.size()), 0, random);
    operators::OperatorWork work, cpu_work;
    const auto on_device = operators::make_cuda_family(aligned);
    CHECK(pairs.answer(*on_device, work) == pairs.answer(aligned, cpu_work));
    check_work(work, cpu_work);
}

TEST_CASE("families on a device: a long pair by itself, a series that is sampled", "[cuda]") {
    if (!has_device()) return;
    FamilyRandom random(1);
    const std::string sequence = random.letters("ACGT", 1) + std::string(9'000, 'A') + random.letters("ACGT", 4'000);
    const operators::AlignmentFamily aligned(
        {{{engine::Measure::Kind::align, sequence, "dna:1,-3,-5,-2", 0, 0}, {9'000, infinity}},
         {{engine::Measure::Kind::align, sequence, "dna:1,-3,-5,-2", 0, 0}, {9'000, 9'000}},
         {{engine::Measure::Kind::align_global, sequence, "dna:1,-3,-5,-2", 0, 0}, {1, infinity}}});
    const Call pairs({std::string(9'000, 'A'), std::string(8'999, 'A') + 'C', sequence + sequence}, 3, 0, random);
    operators::OperatorWork work, cpu_work;
    const auto on_device = operators::make_cuda_family(aligned);
    CHECK(pairs.answer(*on_device, work) == pairs.answer(aligned, cpu_work));
    check_work(work, cpu_work);

    std::string series;
    for (int i = 0; i < 20'000; ++i) series += std::to_string(random.below(10)) + " ";
    std::vector<operators::MeasuredPredicate> predicates;
    for (const std::uint32_t line : {2u, 3u, 60u}) {
        for (const double least : {0.1, 0.3, 0.5, 0.7, 0.9})
            predicates.push_back({{engine::Measure::Kind::determinism, "", "", 1.5, line}, {least, infinity}});
    }
    const std::size_t sampled_predicates = predicates.size();
    for (const double least : {0.1, 0.3, 0.5, 0.7, 0.9})  // by sorting
        predicates.push_back({{engine::Measure::Kind::laminarity, "", "", 1.5, 2}, {least, infinity}});
    const operators::RecurrenceFamily recurring(predicates);
    const Call sampled({series}, predicates.size(), 0, random);
    operators::OperatorWork sampled_work, sampled_cpu_work;
    const auto solver = operators::make_cuda_family(recurring, 0);
    CHECK(sampled.answer(*solver, sampled_work) == sampled.answer(recurring, sampled_cpu_work));
    check_work(sampled_work, sampled_cpu_work);
    CHECK(device_pairs(sampled_work) == sampled_predicates);
}

TEST_CASE("families on a device: more distances than are kept at once", "[cuda]") {
    if (!has_device()) return;
    FamilyRandom random(61);
    std::vector<operators::MeasuredPredicate> predicates;
    for (int i = 0; i < 2'100; ++i) {
        const operators::Bounds bounds = i % 2 == 0
                                             ? operators::Bounds{2, 3}
                                             : operators::Bounds{0, 2};  // the distance itself; whether it is within 2
        predicates.push_back(
            {{engine::Measure::Kind::approx_distance, "x" + random.letters("abcd", 9), "unit", 0, 0}, bounds});
    }
    std::vector<std::string> texts(4'100);
    for (std::string& text : texts) text = std::string(60, 'b') + random.letters("abcdx", 80);
    const Call call(std::move(texts), predicates.size(), 0, random);
    const operators::EditsFamily family(predicates);
    operators::OperatorWork work, expected_work;
    const auto right = call.answer(family, expected_work);
    CHECK(call.answer(*operators::make_cuda_family(family), work) == right);
    check_work(work, expected_work);
}

// Also runs without a device: then the failure is that there is none.
TEST_CASE("a failure is reported to a callback that may use the devices, and none once they are closed", "[cuda]") {
    FamilyRandom random(71);
    const operators::EditsFamily family(random_predicates(Kind::edits, 3, 0, random));
    cuda::CudaOperatorDevices* used = nullptr;
    int told = 0;
    const auto device = std::make_shared<cuda::MatchingDevice>(0, 0);
    cuda::CudaOperatorDevices devices({device}, engine::Backend::cuda,
                                      [&](cuda::MatchingDevice& of, std::uint32_t, const cuda::CudaError& error) {
                                          if (++told == 1) used->failed(0, error);
                                          of.operating.failed(error.what(), cuda::DeviceHealth::Clock::now());
                                      });
    used = &devices;
    const auto fail = [&] {
        const FaultPlan failing("cudaSetDevice", cudaErrorDevicesUnavailable, 1);
        try {
            devices.make(0, Kind::edits, family);
            FAIL("a copy on a device that failed");
        } catch (const std::exception& error) {
            devices.failed(0, error);
        }
    };
    fail();
    CHECK(told == 2);
    CHECK(device->operating.failures() == 2);
    devices.close();
    fail();
    CHECK(told == 2);
    CHECK(device->operating.failures() == 3);
}

TEST_CASE("the engine with operators on a device answers as the naive backend: random states", "[cuda]") {
    if (!has_device()) return;
    const std::vector<std::size_t> sizes{1, 2, 31, 32, 33, 64, 65};
    std::uint64_t on_device = 0;
    for (std::uint32_t seed = 1; seed <= rounds(20); ++seed) {
        FamilyRandom random(seed);
        Random choices(seed);
        INFO("seed " << seed);
        BothSets sets(operators_on_device());
        for (int state = 0; state < 4; ++state) {
            for (std::size_t n = 1 + random.below(40); n > 0; --n) sets.add(filter(kinds, random));
            if (state > 1) {
                for (std::size_t n = random.below(sets.size()); n > 0; --n) sets.remove(random.below(sets.size()));
            }
            // Some states have no work for a device: so not for as long as it may take.
            match_until_used(sets, events(kinds, choices.of(sizes), random), 200ms);
        }
        CHECK(sets.status().faults.empty());
        on_device += device_batches(sets.status());
    }
    CHECK(on_device > 0);
}

TEST_CASE("threads with operators on a device", "[cuda]") {
    if (!has_device()) return;
    FamilyRandom random(11);
    BothSets sets(operators_on_device());
    for (int i = 0; i < 60; ++i) sets.add(filter(kinds, random));
    const auto batch = events(kinds, 40, random);
    REQUIRE(match_until_used(sets, batch));
    const auto program = sets.compile();
    const Answers expected = answers(*program, batch);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 30; ++i) wrong += answers(*program, batch) == expected ? 0 : 1;
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(sets.status().devices[0].operator_batches >= 180);
    CHECK(sets.status().faults.empty());
}

TEST_CASE("an operator that fails on a device is computed on the CPU, and on the device again", "[cuda]") {
    if (!has_device()) return;
    for (const Kind kind : kinds) {
        const std::vector<Kind> only{kind};
        FamilyRandom random(21);
        std::atomic<int> told = 0, recoveries = 0;
        engine::EngineOptions options = operators_on_device();
        options.on_fault = [&told](const std::string&) { ++told; };
        options.on_recovery = [&recoveries](const std::string&) { ++recoveries; };
        BothSets sets(options);
        for (int i = 0; i < 30; ++i) sets.add(filter(only, random));
        const auto batch = events(only, 33, random);
        REQUIRE(match_until_used(sets, batch));
        for (const cudaError_t error : {cudaErrorLaunchOutOfResources, cudaErrorIllegalAddress}) {
            INFO("family " << static_cast<int>(kind) << ", " << cudaGetErrorName(error));
            const engine::EngineStatus before = sets.status();
            recoveries = 0;
            {
                const FaultPlan failing("copy to host", error, 1);
                for (int i = 0; i < 1000 && !failing.done(); ++i) REQUIRE(sets.differences(batch) == 0);
                REQUIRE(failing.done());
            }
            const engine::EngineStatus after = sets.status();
            CHECK(count(after, cudaGetErrorName(error)) == 1);
            CHECK(repeated_batches(after) == repeated_batches(before) + 1);
            EVENTUALLY(after.devices[0].state != "ready" || recoveries > 0);
            CHECK(after.devices[0].last_fault.find(cudaGetErrorName(error)) != std::string::npos);
            CHECK(match_until_used(sets, batch));
            CHECK(sets.status().devices[0].state == "ready");
        }
        CHECK(told == 2);
    }
}

TEST_CASE("an operator that finds no memory on the device stays with the CPU", "[cuda]") {
    if (!has_device()) return;
    FamilyRandom random(31);
    const std::vector<Kind> only{Kind::edits};
    engine::EngineOptions options = operators_on_device();
    options.device_bytes_max = 1000;
    BothSets sets(options);
    for (int i = 0; i < 100; ++i) sets.add(filter(only, random));
    const auto batch = events(only, 33, random);
    // Opening some devices takes seconds.
    for (const testing::Deadline deadline(60s);
         count(sets.status(), "cudaErrorMemoryAllocation") == 0 && !deadline.passed();)
        match_until_used(sets, batch, 100ms);
    CHECK(count(sets.status(), "cudaErrorMemoryAllocation") >= 1);
    REQUIRE(sets.differences(batch) == 0);
    CHECK(sets.status().devices[0].bytes == 0);
    CHECK(sets.status().devices[0].operator_batches == 0);
    CHECK(device_batches(sets.status()) == 0);
}

TEST_CASE("auto takes the device for what takes the CPU long, and says why", "[cuda]") {
    if (!has_device()) return;
    FamilyRandom random(41);
    const auto sequence = [&] { return std::string(500, 'A') + random.letters("ACGT", 500); };
    engine::EngineOptions options(engine::Backend::automatic);
    const auto on_cpu = engine::make_subscription_set(engine::Backend::cpu),
               either = engine::make_subscription_set(options);
    for (int i = 0; i < 100; ++i) {
        engine::Predicate p{"sequence", engine::Operator::greater_equal, "", 510};
        p.measure = engine::Measure{engine::Measure::Kind::align, sequence(), "dna:1,-3,-5,-2", 0, 0};
        for (auto* set : {on_cpu.get(), either.get()}) set->add(testing::disjunction_of({{{p, false}}}));
    }
    std::vector<RandomEvent> batch(40);
    for (RandomEvent& event : batch) event.push_back({"sequence", sequence(), 0});
    const Answers expected = answers(*on_cpu->compile(), batch);
    const auto program = either->compile();
    for (int i = 0; i < 1000 && device_batches(either->status()) < 3; ++i)
        REQUIRE(answers(*program, batch) == expected);
    const engine::EngineStatus status = either->status();
    REQUIRE(status.operators.size() == 1);
    CHECK(status.operators[0].family == "alignment");
    CHECK(status.operators[0].reason.find(" us on a device, ") != std::string::npos);
    CHECK(status.faults.empty());
}

TEST_CASE("a context that is spoiled for good: operators leave it, and are made anew in a new one", "[cuda]") {
    if (!has_device()) return;
    FamilyRandom random(51);
    std::atomic<int> recoveries = 0;
    engine::EngineOptions options = operators_on_device();
    options.on_recovery = [&recoveries](const std::string&) { ++recoveries; };
    BothSets sets(options);
    for (int i = 0; i < 60; ++i) sets.add(filter(kinds, random));
    const auto batch = events(kinds, 40, random);
    REQUIRE(match_until_used(sets, batch));
    REQUIRE(testing::spoil_context() == cudaErrorIllegalAddress);
    REQUIRE(sets.differences(batch) == 0);
    CHECK(count(sets.status(), "cudaErrorIllegalAddress") >= 1);
    const bool is_used = match_until_used(sets, batch);
    const engine::DeviceStatus device = sets.status().devices[0];
    INFO(device.state << ", " << device.last_fault);
    if (is_used) {
        CHECK(recoveries == 1);
        CHECK(device.state == "ready");
        return;
    }
    CHECK(device.last_fault.starts_with("a new context after a corrupted one"));
    WARN("this driver gives a process that has spoiled its context no new one: operators in a new one are not tested");
}

}  // namespace sluice::test
