#include "gpu/operators/choosing_family.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "gpu/cpu/worker.hpp"
#include "gpu/operators/make_family.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/gpu/operators/plain_family.hpp"
#include "tests/unit/gpu/operators/random_families.hpp"

using namespace sluice;
using namespace sluice::operators;
using namespace sluice::test;
using namespace std::chrono_literals;
using Kind = engine::Measure::Kind;

namespace {

// Fake devices: their copies answer as the family does, and fail on request.
class FakeDevices final : public OperatorDevices {
public:
    struct Device {
        std::atomic<int> made = 0, evaluated = 0, succeeded = 0, failed = 0, there = 0;
        std::atomic<int> fail_making = 0, fail_evaluating = 0;  // the number of times to fail
        std::atomic<bool> usable = true;
        std::atomic<bool> hangs = false;  // whether evaluations do not end
        std::atomic<std::size_t> under_way = 0;
    };

    FakeDevices(std::size_t count, double cells_min, bool measured, bool in_background = false)
        : OperatorDevices(cells_min, measured), devices(count), in_background_(in_background) {}

    std::size_t size() const override { return devices.size(); }
    std::size_t under_way(std::size_t device) const override { return devices[device].under_way; }
    bool can_attempt(std::size_t device) override { return devices[device].usable; }
    std::unique_ptr<DeviceFamily> make(std::size_t device, OperatorFamilyKind, const OperatorFamily& family) override {
        ++devices[device].made;
        for (int i = 0; i < yields_while_making; ++i) std::this_thread::yield();
        clock_us = clock_us + making_us;
        if (devices[device].fail_making > 0) {
            --devices[device].fail_making;
            throw std::runtime_error("no memory");
        }
        return std::make_unique<Copy>(*this, devices[device], family);
    }
    void succeeded(std::size_t device) override { ++devices[device].succeeded; }
    void failed(std::size_t device, const std::exception& error) override {
        ++devices[device].failed;
        const std::lock_guard lock(mutex_);
        failures.emplace_back(error.what());
    }
    void post(std::function<void()> task) override {
        if (fail_posting > 0 && fail_posting-- > 0) throw std::runtime_error("no thread");
        if (in_background_) return worker_.post(std::move(task));
        tasks_.push_back(std::move(task));
    }
    void run_tasks() {
        while (!tasks_.empty()) {
            const auto task = std::move(tasks_.front());
            tasks_.pop_front();
            task();
        }
    }
    double now_us() const override { return clock_us; }
    std::size_t tasks() const { return tasks_.size(); }

    std::vector<Device> devices;
    std::vector<std::string> failures;
    std::atomic<double> clock_us = 0;
    double making_us = 0, evaluating_us = 0;  // the time that these take by that clock
    int yields_while_making = 0;              // the number of times that it lets others go first
    int fail_posting = 0;                     // the number of times to fail

private:
    class Copy final : public DeviceFamily {
    public:
        Copy(FakeDevices& devices, Device& device, const OperatorFamily& family)
            : devices_(devices), device_(device), family_(family) {
            ++device_.there;
        }
        ~Copy() override { --device_.there; }
        void evaluate(std::span<const std::string_view> texts, std::span<const OperatorFamily::Pair> pairs,
                      std::span<std::uint8_t> holds, OperatorWork& work) override {
            if (in_use_.exchange(true)) throw std::logic_error("two threads have one copy");
            ++device_.evaluated;
            while (device_.hangs) std::this_thread::yield();
            family_.evaluate(texts, pairs, holds, work);
            devices_.clock_us = devices_.clock_us + devices_.evaluating_us;
            in_use_ = false;
            if (device_.fail_evaluating == 0) return;
            --device_.fail_evaluating;
            for (std::uint8_t& h : holds) h ^= 1;  // wrong answers: none of them may be used
            throw std::runtime_error("illegal address");
        }

    private:
        FakeDevices& devices_;
        Device& device_;
        const OperatorFamily& family_;
        std::atomic<bool> in_use_ = false;
    };

    const bool in_background_;
    std::deque<std::function<void()>> tasks_;
    std::mutex mutex_;
    cpu::Worker worker_;
};

constexpr auto edits = OperatorFamilyKind::edits;

// A family of two patterns, and a batch for it.
struct Trial {
    std::shared_ptr<FakeDevices> devices;
    std::vector<MeasuredPredicate> predicates{{{Kind::approx_distance, "kernel", "unit", 0, 0}, {0, 1}},
                                              {{Kind::approx_distance, "colonel", "unit", 0, 0}, {0, 1}}};
    std::unique_ptr<const OperatorFamily> family;
    OperatorWork work;

    explicit Trial(std::shared_ptr<FakeDevices> d)
        : devices(std::move(d)), family(make_family(edits, predicates, devices)) {}

    std::vector<std::uint8_t> run() {
        const std::vector<std::string_view> texts{"the karnel", "a colonel of a kernel"};
        const std::vector<OperatorFamily::Pair> pairs{{0, 0}, {1, 0}, {0, 1}, {1, 1}};
        std::vector<std::uint8_t> holds(pairs.size(), 9);
        work = {};
        family->evaluate(texts, pairs, holds, work);
        CHECK(work.of(Kind::approx_distance).pairs == 4);
        CHECK(work.of(Kind::approx_distance).texts == 2);
        CHECK(work.of(Kind::approx_distance).holds == 3);
        return holds;
    }
};

const std::vector<std::uint8_t> right{1, 0, 1, 1};

// A family whose batches have as many cells as the trial's.
class FamilyWithCells final : public OperatorFamily {
public:
    explicit FamilyWithCells(const std::vector<MeasuredPredicate>& predicates) : plain_(predicates) {}
    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override {
        plain_.evaluate(texts, pairs, holds, work);
    }
    double device_cells(std::span<const std::string_view>, std::span<const Pair>) const override { return 400; }

private:
    PlainFamily plain_;
};

}  // namespace

TEST_CASE("a family's copy is made in the background, and the CPU answers until it is there") {
    Trial trial(std::make_shared<FakeDevices>(1, 0.0, false));
    FakeDevices::Device& device = trial.devices->devices[0];
    CHECK(trial.run() == right);
    CHECK(trial.run() == right);
    CHECK(device.made == 0);
    CHECK(trial.devices->tasks() == 1);
    trial.devices->run_tasks();
    CHECK(trial.run() == right);
    CHECK(device.made == 1);
    CHECK(device.evaluated == 1);
    CHECK(device.succeeded == 2);  // the copy, and the batch
    const auto& record = trial.devices->record(edits);
    CHECK(record.cpu_batches == 2);
    CHECK(record.device_batches == 1);
    CHECK(record.repeated == 0);
    trial.family.reset();
    CHECK(device.there == 0);
}

TEST_CASE("what is small stays with the CPU") {
    Trial small(std::make_shared<FakeDevices>(1, 1e6, false));
    CHECK(small.run() == right);
    CHECK(small.devices->tasks() == 0);
}

TEST_CASE("after a failure the CPU answers, nothing of the device's answer is kept, and the copy is made anew") {
    Trial trial(std::make_shared<FakeDevices>(1, 0.0, false));
    FakeDevices::Device& device = trial.devices->devices[0];
    trial.run();
    trial.devices->run_tasks();
    device.fail_evaluating = 1;
    CHECK(trial.run() == right);
    CHECK(trial.work.of(Kind::approx_distance).on_device.pairs == 0);
    CHECK(device.failed == 1);
    CHECK(device.there == 0);
    CHECK(trial.devices->failures == std::vector<std::string>{"illegal address"});
    CHECK(trial.devices->record(edits).repeated == 1);
    device.usable = false;
    CHECK(trial.run() == right);
    CHECK(trial.devices->tasks() == 0);
    device.usable = true;
    CHECK(trial.run() == right);
    trial.devices->run_tasks();
    CHECK(trial.run() == right);
    CHECK(device.made == 2);
    CHECK(device.evaluated == 2);
    CHECK(trial.devices->record(edits).device_batches == 1);
}

TEST_CASE("ChoosingFamily: a device's evaluations, failed ones too, count as its time, and none of the CPU's") {
    Trial trial(std::make_shared<FakeDevices>(1, 0.0, false));
    trial.devices->evaluating_us = 250;
    trial.run();
    const OperatorWork::Time& time = trial.work.time_of(edits);
    CHECK(time.device_ns == 0);  // no copy yet
    trial.devices->run_tasks();
    trial.run();
    CHECK(time.device_ns == 250'000);
    trial.devices->devices[0].fail_evaluating = 1;
    trial.run();
    CHECK(time.device_ns == 250'000);
    for (const OperatorWork::Time& of_family : trial.work.times) {
        CHECK(of_family.cpu_ns == 0);  // the caller measures that
        CHECK((&of_family == &time || of_family.device_ns == 0));
    }
}

TEST_CASE("a copy that can't be made is a failure, and is tried again") {
    Trial trial(std::make_shared<FakeDevices>(1, 0.0, false));
    FakeDevices::Device& device = trial.devices->devices[0];
    device.fail_making = 2;
    for (int i = 0; i < 3; ++i) {
        CHECK(trial.run() == right);
        trial.devices->run_tasks();
    }
    CHECK(device.made == 3);
    CHECK(device.failed == 2);
    CHECK(trial.run() == right);
    CHECK(device.evaluated == 1);
}

TEST_CASE("a task that can't be posted is a failure, and the CPU answers, waiting for nobody") {
    for (const bool patient : {false, true}) {
        Trial trial(std::make_shared<FakeDevices>(1, 0.0, patient));
        for (int i = 0; i < 3; ++i) trial.devices->record(edits).choice.record(400, ProcessorChoice::cpu, 1e6);
        trial.devices->fail_posting = 2;
        for (int i = 0; i < 2; ++i) CHECK(trial.run() == right);
        CHECK(trial.devices->failures == std::vector<std::string>(2, "no thread"));
        CHECK(trial.devices->tasks() == 0);
        CHECK(trial.devices->record(edits).repeated == 0);
    }
}

TEST_CASE("of several devices the least busy one is taken, and others where one fails") {
    Trial trial(std::make_shared<FakeDevices>(3, 0.0, false));
    auto& devices = trial.devices->devices;
    trial.run();
    trial.devices->run_tasks();
    devices[0].under_way = 2;
    devices[2].under_way = 1;
    trial.run();
    CHECK(devices[1].evaluated == 1);
    devices[1].under_way = 3;
    trial.run();
    CHECK(devices[2].evaluated == 1);
    devices[2].usable = false;
    CHECK(trial.run() == right);
    CHECK(devices[0].evaluated == 1);
}

TEST_CASE("a task that comes too late finds nothing to do") {
    Trial trial(std::make_shared<FakeDevices>(1, 0.0, false));
    trial.run();
    trial.family.reset();
    trial.devices->run_tasks();
    CHECK(trial.devices->devices[0].made == 0);
}

TEST_CASE("threads share a device, with a copy each, while it fails now and then") {
    Trial trial(std::make_shared<FakeDevices>(2, 0.0, false, true));
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const std::vector<std::string_view> texts{"the karnel", "a colonel of a kernel"};
            const std::vector<OperatorFamily::Pair> pairs{{0, 0}, {1, 0}, {0, 1}, {1, 1}};
            for (int i = 0; i < 200; ++i) {
                std::vector<std::uint8_t> holds(pairs.size(), 9);
                OperatorWork work;
                if (i % 20 == t) ++trial.devices->devices[static_cast<std::size_t>(t) % 2].fail_evaluating;
                trial.family->evaluate(texts, pairs, holds, work);
                wrong += holds != right;
                wrong += work.of(Kind::approx_distance).pairs != 4;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    const auto& record = trial.devices->record(edits);
    CHECK(record.cpu_batches + record.device_batches == 800);
    for (const std::string& failure : trial.devices->failures) CHECK(failure == "illegal address");
    trial.family.reset();
    for (const auto& device : trial.devices->devices) CHECK(device.there <= int{ChoosingFamily::copies_max});
}

TEST_CASE("what would take the CPU long waits for the copy") {
    Trial trial(std::make_shared<FakeDevices>(1, 0.0, true, true));
    // The trial's number of cells has taken the CPU a second.
    ProcessorChoice& choice = trial.devices->record(edits).choice;
    for (int i = 0; i < 3; ++i) choice.record(400, ProcessorChoice::cpu, 1e6);
    trial.devices->making_us = 300e3;
    trial.devices->yields_while_making = 10'000;
    CHECK(trial.run() == right);
    CHECK(trial.devices->devices[0].evaluated == 1);
    CHECK(trial.devices->record(edits).cpu_batches == 0);
    CHECK(choice.predict(400, ProcessorChoice::device) == 0);  // excludes the copy
    CHECK(trial.work.time_of(edits).device_ns == 300'000'000);
}

TEST_CASE("ChoosingFamily: a copy that is never made → the CPU answers") {
    Trial trial(std::make_shared<FakeDevices>(1, 0.0, true));
    ProcessorChoice& choice = trial.devices->record(edits).choice;
    for (int i = 0; i < 3; ++i) choice.record(400, ProcessorChoice::cpu, 1e6);
    trial.family = std::make_unique<ChoosingFamily>(edits, std::make_unique<FamilyWithCells>(trial.predicates),
                                                    trial.devices, 10ms);
    CHECK(trial.run() == right);
    CHECK(trial.devices->tasks() == 1);  // the copy, which the call has waited for
    CHECK(trial.devices->devices[0].evaluated == 0);
    CHECK(trial.devices->record(edits).cpu_batches == 1);
}

TEST_CASE("ChoosingFamily: all copies in use by calls that hang → the CPU answers") {
    Trial trial(std::make_shared<FakeDevices>(1, 0.0, false));
    FakeDevices::Device& device = trial.devices->devices[0];
    trial.family = std::make_unique<ChoosingFamily>(edits, std::make_unique<FamilyWithCells>(trial.predicates),
                                                    trial.devices, 10ms);
    CHECK(trial.run() == right);
    trial.devices->run_tasks();
    device.hangs = true;
    std::thread hanging([family = trial.family.get()] {
        const std::vector<std::string_view> texts{"the karnel"};
        const std::vector<OperatorFamily::Pair> pairs{{0, 0}};
        std::vector<std::uint8_t> holds(1);
        OperatorWork work;
        family->evaluate(texts, pairs, holds, work);
    });
    EVENTUALLY(device.evaluated == 1);
    CHECK(trial.run() == right);
    CHECK(trial.devices->record(edits).cpu_batches == 2);
    CHECK(device.evaluated == 1);
    device.hangs = false;
    hanging.join();
    CHECK(trial.run() == right);
    CHECK(trial.devices->record(edits).device_batches == 2);
}

TEST_CASE("where a device costs less, the CPU is tried with some of a batch's texts") {
    Trial trial(std::make_shared<FakeDevices>(1, 0.0, true));
    auto& record = trial.devices->record(edits);
    for (int i = 0; i < 10; ++i) {
        record.choice.record(400, ProcessorChoice::cpu, 1'000);
        record.choice.record(400, ProcessorChoice::device, 1);
    }
    CHECK(trial.run() == right);
    trial.devices->run_tasks();
    FakeDevices::Device& device = trial.devices->devices[0];
    REQUIRE(record.cpu_batches == 1);
    for (int i = 0; i < 100; ++i) record.choice.record(400, ProcessorChoice::cpu, 1'000);  // outweighs that one
    for (int i = 0; i < 100; ++i) record.choice.record(400, ProcessorChoice::device, 1'000);
    for (int i = 0; i < 100; ++i) record.choice.record(400, ProcessorChoice::device, 1);
    CHECK(trial.run() == right);
    CHECK(record.cpu_batches == 2);  // the first text
    CHECK(device.evaluated == 1);    // the second
    CHECK(trial.run() == right);
    CHECK(record.cpu_batches == 2);
    CHECK(device.evaluated == 2);
    CHECK(record.repeated == 0);
}
