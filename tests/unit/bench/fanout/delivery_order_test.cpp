#include "tests/bench/fanout/delivery_order.hpp"

#include <catch2/catch.hpp>

using namespace sluice::fanout;

TEST_CASE("DeliveryOrder: messages once each and in order are no fault") {
    DeliveryOrder order;
    order.expect(7, 10);
    CHECK(order.take(7));
    CHECK(order.take(17));
    CHECK(order.take(27));
    CHECK(order.next() == 37);
    CHECK(order.missed() + order.late() + order.foreign() == 0);
}

TEST_CASE("DeliveryOrder: what is lost, repeated, out of order or for others is counted") {
    DeliveryOrder order;
    order.expect(1, 1);
    CHECK(order.take(1));
    CHECK_FALSE(order.take(4));  // 2 and 3 are missing
    CHECK(order.missed() == 2);
    CHECK_FALSE(order.take(4));  // repeated
    CHECK_FALSE(order.take(2));  // out of order
    CHECK(order.late() == 2);
    CHECK(order.take(5));

    order.expect(20, 10);
    CHECK_FALSE(order.take(21));
    CHECK(order.foreign() == 1);
    CHECK(order.take(20));
}
