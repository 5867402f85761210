#include "broker/core/stream_counters.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

namespace sluice::broker {

namespace {

class Scene {
public:
    StreamCounters counters{2, [this] { return now_; }};

    StreamCounters::Reading read_later() {
        now_ += StreamCounters::renaming_interval;
        return counters.read();
    }

private:
    StreamCounters::Clock::time_point now_{};
};

std::vector<std::string> names(const StreamCounters::Reading& reading) {
    std::vector<std::string> found;
    for (const auto& [name, numbers] : reading.named) found.push_back(name);
    return found;
}

}  // namespace

TEST_CASE("StreamCounters: more streams than names → the busiest are named", "[metrics]") {
    Scene scene;
    const auto a = scene.counters.of("a"), b = scene.counters.of("b"), c = scene.counters.of("c");
    a->events.add(1);
    b->deliveries.add(5);
    c->events.add(3);
    CHECK(names(scene.read_later()) == std::vector<std::string>{"b", "c"});
    c->events.add(4);
    b->events.add(2);
    a->events.add(4);  // not more than twice as many as b
    auto reading = scene.read_later();
    CHECK(names(reading) == std::vector<std::string>{"b", "c"});
    CHECK(reading.named[0].second.events == 2);
    CHECK(reading.named[0].second.deliveries == 5);
    CHECK(reading.named[1].second.events == 3 + 4);
    CHECK(reading.other.events == 1 + 4);
    c->events.add(4);
    b->events.add(1);
    a->events.add(3);
    reading = scene.read_later();
    CHECK(names(reading) == std::vector<std::string>{"a", "c"});
    CHECK(reading.named[0].second.events == 3);  // the rest has been counted with the others
    CHECK(reading.other.events == 5 + 3);        // of b, now
    CHECK(reading.other.deliveries == 5);
    CHECK(scene.counters.of("a") == a);
}

TEST_CASE("StreamCounters: any number of streams, without a reading → those that are held, and few others",
          "[metrics]") {
    Scene scene;
    std::vector<StreamCountsPtr> held;
    constexpr std::size_t streams = 20'000, kept = 1'500;
    for (std::size_t i = 0; i < streams; ++i) {
        const auto counts = scene.counters.of(std::to_string(i));
        counts->events.add();
        if (i < kept) held.push_back(counts);
        CHECK(scene.counters.size() <= 2 * kept + 1'024);
    }
    for (std::size_t i = 0; i < kept; ++i) CHECK(scene.counters.of(std::to_string(i)) == held[i]);
    const StreamCounters::Reading reading = scene.read_later();
    CHECK(scene.counters.size() == kept);
    CHECK(reading.other.events + reading.named.at(0).second.events + reading.named.at(1).second.events == streams);
}

TEST_CASE("StreamCounters: no number falls, and together they have everything", "[metrics]") {
    Scene scene;
    std::minstd_rand random(7);
    std::vector<StreamCountsPtr> held(5);
    std::uint64_t all = 0, last_other = 0;
    std::map<std::string, std::uint64_t> last;
    for (int step = 0; step < 2'000; ++step) {
        const std::size_t i = random() % held.size();
        if (random() % 10 == 0) {
            held[i] = nullptr;  // forgotten at the next choice
        } else {
            if (!held[i]) held[i] = scene.counters.of(std::to_string(i));
            const std::uint64_t n = random() % 20;
            held[i]->events.add(n);
            all += n;
        }
        if (step % 3 != 0) continue;
        const StreamCounters::Reading reading = step % 2 == 0 ? scene.counters.read() : scene.read_later();
        std::uint64_t sum = reading.other.events;
        CHECK(reading.other.events >= last_other);
        CHECK(reading.named.size() <= 2);
        last_other = reading.other.events;
        std::map<std::string, std::uint64_t> next;
        for (const auto& [name, numbers] : reading.named) {
            if (last.contains(name)) CHECK(numbers.events >= last[name]);
            next[name] = numbers.events;
            sum += numbers.events;
        }
        last = next;
        CHECK(sum == all);
    }
}

}  // namespace sluice::broker
