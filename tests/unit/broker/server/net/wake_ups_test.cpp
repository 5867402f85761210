#include "broker/server/net/wake_ups.hpp"

#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using sluice::server::WakeUps;

namespace {

class CallingSleeper final : public WakeUps::Sleeper {
public:
    explicit CallingSleeper(std::function<void()> on_wake) : on_wake_(std::move(on_wake)) {}

private:
    void wake_up() override { on_wake_(); }

    const std::function<void()> on_wake_;
};

std::shared_ptr<CallingSleeper> sleeper(std::function<void()> on_wake) {
    return std::make_shared<CallingSleeper>(std::move(on_wake));
}

}  // namespace

TEST_CASE("WakeUps: one post wakes all, in order and each once") {
    asio::io_context io{1};
    WakeUps& wake_ups = WakeUps::of(io.get_executor());
    std::string woken;
    std::vector<std::shared_ptr<CallingSleeper>> sleepers;
    for (const char letter : {'a', 'b', 'c'}) sleepers.push_back(sleeper([&woken, letter] { woken += letter; }));
    for (int i = 0; i < 2; ++i)
        for (const auto& each : sleepers) wake_ups.wake(each);
    CHECK(io.poll() == 1);  // functions
    CHECK(woken == "abc");
    io.restart();
    wake_ups.wake(sleepers[2]);
    wake_ups.wake(sleepers[0]);
    CHECK(io.poll() == 1);
    CHECK(woken == "abcca");
}

TEST_CASE("WakeUps: a sleeper may be woken again while it wakes up") {
    asio::io_context io{1};
    WakeUps& wake_ups = WakeUps::of(io.get_executor());
    int wakes = 0;
    std::shared_ptr<CallingSleeper> again;
    again = sleeper([&] {
        if (++wakes < 3) wake_ups.wake(again);
    });
    wake_ups.wake(again);
    io.poll();
    CHECK(wakes == 3);
}

TEST_CASE("WakeUps: a failure keeps nobody else asleep") {
    asio::io_context io{1};
    WakeUps& wake_ups = WakeUps::of(io.get_executor());
    int wakes = 0;
    const auto failing = sleeper([] { throw std::runtime_error("on purpose"); }), other = sleeper([&] { ++wakes; });
    wake_ups.wake(failing);
    wake_ups.wake(other);
    CHECK_THROWS_AS(io.poll(), std::runtime_error);
    CHECK(wakes == 0);
    wake_ups.wake(failing);
    CHECK_THROWS_AS(io.poll(), std::runtime_error);
    CHECK(wakes == 1);
}

TEST_CASE("WakeUps: sleepers that nobody wakes any more are dropped") {
    std::weak_ptr<CallingSleeper> seen;
    {
        asio::io_context io{1};
        const auto held = sleeper([] {});
        seen = held;
        WakeUps::of(io.get_executor()).wake(held);
    }
    CHECK(seen.expired());
}

TEST_CASE("WakeUps: whatever several threads have done before they wake is seen") {
    struct Asked {
        std::atomic<int> by_threads{0};
        int seen = 0;
    };
    constexpr int rounds = 10'000;
    asio::io_context io{1};
    WakeUps& wake_ups = WakeUps::of(io.get_executor());
    std::array<Asked, 3> asked;
    std::vector<std::shared_ptr<CallingSleeper>> sleepers;
    for (Asked& each : asked)
        sleepers.push_back(sleeper([&each] { each.seen = each.by_threads.load(std::memory_order_relaxed); }));
    auto work = asio::make_work_guard(io);
    std::thread io_thread([&io] { io.run(); });
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                for (std::size_t s = 0; s < asked.size(); ++s) {
                    asked[s].by_threads.fetch_add(1, std::memory_order_relaxed);
                    wake_ups.wake(sleepers[s]);
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    work.reset();
    io_thread.join();
    for (const Asked& each : asked) CHECK(each.seen == 2 * rounds);
}
