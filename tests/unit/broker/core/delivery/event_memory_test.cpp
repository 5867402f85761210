#include "broker/core/delivery/event_memory.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/broker/core/delivery/plain_framer.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

struct Fixture {
    SharedEventPtr event(std::size_t bytes) {
        return events.charged({std::make_shared<const std::string>("s"), 1, std::string(bytes, 'x')});
    }

    base::MemoryBudget memory{100'000};
    Mailboxes mailboxes;
    Counters counters;
    EventMemory events{memory, mailboxes, counters};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "an event is charged for once, until the last has it", "[memory]") {
    SharedEventPtr first = event(1'000);
    CHECK(first->body == std::string(1'000, 'x'));
    const std::size_t used = memory.used(base::MemoryUse::mailboxes);
    CHECK(used >= 1'000);
    SharedEventPtr second = first;
    CHECK(memory.used() == used);
    first.reset();
    CHECK(memory.used() == used);
    second.reset();
    CHECK(memory.used() == 0);
}

TEST_CASE_METHOD(Fixture, "whoever holds most makes room", "[memory]") {
    Mailbox slow({1'000, 1'000'000}, [] {}), slower({1'000, 1'000'000}, [] {}), quick({1'000, 1'000'000}, [] {});
    for (Mailbox* mailbox : {&slow, &slower, &quick}) mailboxes.add(*mailbox);
    slow.push({delivery_of(event(30'000))});
    for (int i = 0; i < 5; ++i) slower.push({delivery_of(event(10'000))});
    quick.push({delivery_of(event(15'000))});
    quick.take();
    const SharedEventPtr more = event(20'000);
    CHECK(slower.state() == Mailbox::State::overflowed);
    CHECK(slow.state() == Mailbox::State::open);
    CHECK(quick.state() == Mailbox::State::open);
    CHECK(counters.slow_consumers == 1);
    CHECK(memory.used() <= memory.bytes_max());
    for (Mailbox* mailbox : {&slow, &slower, &quick}) mailboxes.remove(*mailbox);
}

TEST_CASE_METHOD(Fixture, "whoever holds most makes room before publishers are refused", "[memory]") {
    Mailbox mailbox({1'000, 1'000'000}, [] {});
    mailboxes.add(mailbox);
    mailbox.push({delivery_of(event(15'000))});
    base::MemoryCharge others = memory.charge(base::MemoryUse::documents, 50'000);
    event(100);
    CHECK(mailbox.state() == Mailbox::State::open);
    CHECK(others.resize(55'000));
    event(100);
    CHECK(mailbox.state() == Mailbox::State::overflowed);
    CHECK(memory.charge(base::MemoryUse::bodies, 15'000));
    mailboxes.remove(mailbox);
}

TEST_CASE_METHOD(Fixture, "nobody is ended for what others take, and events are delivered all the same", "[memory]") {
    const base::MemoryCharge others = memory.force_charge(base::MemoryUse::documents, 100'000);
    Mailbox mailbox({1'000, 1'000'000}, [] {});
    mailboxes.add(mailbox);
    mailbox.push({delivery_of(event(1'000))});
    CHECK(event(1'000)->body == std::string(1'000, 'x'));
    CHECK(mailbox.state() == Mailbox::State::open);
    CHECK(counters.slow_consumers == 0);
    mailboxes.remove(mailbox);
}
