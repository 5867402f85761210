#include "broker/core/ingest/eviction_order.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

using sluice::broker::EvictionOrder;

namespace {

struct Ordered {
    using Time = EvictionOrder::Clock::time_point;

    static Time at(int seconds) { return Time(std::chrono::seconds(seconds)); }
    // Adds the streams 0, 1 … at these times.
    void add(std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) order.add(places[i], names[i], at(static_cast<int>(i)), 0);
    }
    static std::string joined(const std::vector<const std::string*>& list) {
        std::string all;
        for (const std::string* name : list) all += *name;
        return all;
    }
    std::string all() { return joined(order.first(100)); }

    const std::array<std::string, 5> names = {"a", "b", "c", "d", "e"};
    EvictionOrder order;
    std::array<EvictionOrder::Place, 5> places;
};

}  // namespace

TEST_CASE_METHOD(Ordered, "EvictionOrder: streams with one publication precede all others, then age decides") {
    add(5);
    CHECK(all() == "abcde");
    CHECK(joined(order.first(2)) == "ab");
    for (int i = 0; i < 2; ++i) places[0].published(at(10), true);
    places[1].published(at(11), true);
    CHECK(all() == "cdeba");
    places[2].published(at(12), true);
    for (int i = 0; i < 3; ++i) places[2].published(at(13), false);  // nothing new in them
    CHECK(all() == "debca");
    places[3].published(at(14), true);
    places[3].published(at(9), true);
    CHECK(all() == "ebcda");
}

TEST_CASE_METHOD(Ordered, "EvictionOrder: a stream is left out until the last reason to keep it has gone") {
    order.add(places[4], names[4], at(0), 1);
    add(3);
    CHECK(all() == "abc");
    order.keep(places[0]);
    order.keep(places[0]);
    CHECK(all() == "bc");
    places[0].published(at(10), true);
    places[0].published(at(11), true);
    places[4].published(at(12), true);
    order.release(places[0]);
    CHECK(all() == "bc");
    order.release(places[0]);
    order.release(places[4]);
    CHECK(all() == "bcea");
}

TEST_CASE_METHOD(Ordered, "EvictionOrder: a stream that was removed does not return") {
    add(3);
    order.keep(places[1]);
    for (const std::size_t i : {0u, 1u}) order.remove(places[i]);
    for (const std::size_t i : {0u, 1u}) {
        places[i].published(at(20), true);
        order.keep(places[i]);
        order.release(places[i]);
        order.remove(places[i]);
    }
    CHECK(all() == "c");
}

TEST_CASE_METHOD(Ordered,
                 "EvictionOrder: publications before and after looks at the order → it is that of the last ones") {
    add(5);
    places[0].published(at(4), true);
    CHECK(joined(order.first(1)) == "b");
    CHECK(all() == "bcdae");
    for (const std::size_t i : {1u, 0u, 1u}) places[i].published(at(20), true);
    places[2].published(at(3), false);
    CHECK(joined(order.idle_since(at(4), 10)) == "cd");
    CHECK(all() == "cdeab");
    places[2].published(at(30), false);
    CHECK(all() == "decab");
    order.keep(places[3]);
    places[3].published(at(40), true);
    order.release(places[3]);
    CHECK(all() == "ecdab");
}

TEST_CASE_METHOD(Ordered, "EvictionOrder: idle streams are found in either group") {
    add(5);
    for (int i = 0; i < 2; ++i) places[0].published(at(0), true);
    for (int i = 0; i < 2; ++i) places[4].published(at(4), true);
    CHECK(all() == "bcdae");
    CHECK(joined(order.idle_since(at(3), 10)) == "bca");
    CHECK(joined(order.idle_since(at(3), 1)) == "ba");
    CHECK(joined(order.idle_since(at(0), 10)).empty());
}

TEST_CASE("EvictionOrder: more streams to move than a call may → the first of those moved, and the next call goes on") {
    constexpr std::size_t n = EvictionOrder::moves_max + 2;
    std::vector<std::string> names(n);
    for (std::size_t i = 0; i < n; ++i) names[i] = std::to_string(i);
    EvictionOrder order;
    std::vector<EvictionOrder::Place> places(n);
    for (std::size_t i = 0; i < n; ++i) order.add(places[i], names[i], Ordered::at(static_cast<int>(i)), 0);
    for (std::size_t i = 0; i < n; ++i)  // now in the opposite order
        for (int k = 0; k < 2; ++k) places[i].published(Ordered::at(static_cast<int>(10 * n - i)), true);
    const auto at = [&](std::size_t i) { return &names[i]; };
    CHECK(order.first(3) == std::vector<const std::string*>{at(n - 3)});
    CHECK(order.first(3) == std::vector<const std::string*>{at(n - 1), at(n - 2), at(n - 3)});
}
