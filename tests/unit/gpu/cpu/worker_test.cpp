#include "gpu/cpu/worker.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

using sluice::Worker;

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
