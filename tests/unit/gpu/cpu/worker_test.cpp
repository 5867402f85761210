#include "gpu/cpu/worker.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "tests/support/eventually.hpp"

using sluice::cpu::Worker;

TEST_CASE("worker: tasks run one after the other, on one thread that is not the caller's") {
    Worker worker;
    std::vector<int> order;
    std::vector<std::future<std::thread::id>> done;
    for (int i = 0; i < 100; ++i) {
        done.push_back(worker.run([&order, i] {
            order.push_back(i);
            return std::this_thread::get_id();
        }));
    }
    const std::thread::id id = done.front().get();
    CHECK(id != std::this_thread::get_id());
    for (std::size_t i = 1; i < done.size(); ++i) CHECK(done[i].get() == id);
    for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("worker: what a task throws is the future's, and the next task runs") {
    Worker worker;
    auto failed = worker.run([]() -> int { throw std::runtime_error("no"); });
    auto next = worker.run([] { return 2; });
    CHECK_THROWS_WITH(failed.get(), "no");
    CHECK(next.get() == 2);
}

TEST_CASE("worker: a task is destroyed on the worker's thread") {
    std::promise<std::thread::id> destroyed;
    struct Holder {
        std::promise<std::thread::id>& destroyed;
        explicit Holder(std::promise<std::thread::id>& promise) : destroyed(promise) {}
        ~Holder() { destroyed.set_value(std::this_thread::get_id()); }
    };
    Worker worker;
    worker.post([holder = std::make_shared<Holder>(destroyed)] {});
    CHECK(destroyed.get_future().get() == worker.run([] { return std::this_thread::get_id(); }).get());
}

TEST_CASE("worker: ends with the task that it has begun, and without one") {
    { const Worker none; }
    std::promise<void> begun;
    std::future<int> first;
    {
        Worker worker;
        first = worker.run([&] {
            begun.set_value();
            return 1;
        });
        begun.get_future().wait();
    }
    CHECK(first.get() == 1);
}

TEST_CASE("worker: a task with a delay runs after those that are due before") {
    using namespace std::chrono_literals;
    // Returns whether it was quick enough: then the first task was due last.
    const auto is_tried = [] {
        std::vector<int> order;
        std::promise<void> last;
        Worker worker;
        const auto start = std::chrono::steady_clock::now();
        worker.post(
            [&] {
                order.push_back(3);
                last.set_value();
            },
            60ms);
        worker.post([&] { order.push_back(2); }, 30ms);
        worker.post([&] { order.push_back(1); });
        const bool is_quick = std::chrono::steady_clock::now() - start < 30ms;
        last.get_future().wait();
        if (is_quick) CHECK(order == std::vector{1, 2, 3});
        return is_quick;
    };
    EVENTUALLY(is_tried());
}

TEST_CASE("worker: a task that is not due is dropped at the end, which does not wait for it") {
    using namespace std::chrono_literals;
    bool has_run = false;
    const auto held = std::make_shared<int>();
    {
        Worker worker;
        worker.post([&has_run, held] { has_run = true; }, 24h);
        CHECK(worker.run([] { return 1; }).get() == 1);
    }
    CHECK_FALSE(has_run);
    CHECK(held.use_count() == 1);
}
