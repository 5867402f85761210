#include "broker/core/delivery/mailboxes.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/broker/core/delivery/plain_framer.hpp"

using namespace sluice;
using namespace sluice::broker;

TEST_CASE("the mailbox that holds most is ended, and woken", "[memory]") {
    int wakes = 0;
    Mailbox small({10, 10'000}, [] {}), large({10, 10'000}, [&] { ++wakes; }), empty({10, 10'000}, [] {});
    Mailboxes mailboxes;
    for (Mailbox* mailbox : {&small, &large, &empty}) mailboxes.add(*mailbox);
    CHECK_FALSE(mailboxes.end_largest());
    small.push(deliveries(3));
    large.push(deliveries(1, std::string(50, 'x')));
    CHECK(mailboxes.end_largest());
    CHECK(large.state() == Mailbox::State::overflowed);
    CHECK(large.bytes() == 0);
    CHECK(wakes == 1);
    CHECK(small.state() == Mailbox::State::open);
    mailboxes.remove(small);
    CHECK_FALSE(mailboxes.end_largest());
    CHECK(empty.state() == Mailbox::State::open);
}
