#include "broker/matching/matcher.hpp"

#include <catch2/catch.hpp>

#include "broker/matching/registry.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using namespace std::chrono_literals;

TEST_CASE("every subscriber sees the events of a stream in order, whatever the number of threads") {
    const std::size_t threads = GENERATE(1u, 4u);
    constexpr std::uint64_t n = 5'000;
    sluice::Counters counters;
    sluice::EventQueue queue(1'000'000, 1'000'000'000);
    sluice::Fanout fanout(counters);
    sluice::Matcher matcher({threads, 7, 100us}, queue, fanout, counters);
    sluice::SubscriptionRegistry registry({sluice::Backend::cpu, 0us, 100, 100}, fanout,
                                          [&](std::shared_ptr<const sluice::Program> program, std::uint64_t number) {
                                              matcher.set_program(std::move(program), number);
                                          });
    const auto subscriber = std::make_shared<sluice::Subscriber>(
        sluice::MailboxLimits{n, 1'000'000'000}, [] {}, sluice::EventFormat::xml, false);
    std::atomic<bool> added{false};
    registry.add(subscriber, {sluice::make_subscription("s", "", {sluice::Conjunction{}})}, [&] { added = true; });
    EVENTUALLY(added);

    matcher.start();
    const auto document = sluice::document({sluice::item("t")});
    const auto stream = std::make_shared<const std::string>("s");
    for (std::uint64_t id = 1; id <= n; ++id) {
        std::vector<sluice::QueuedEvent> events(1);
        events[0].event = {document, 0, stream, id};
        queue.push(std::move(events));
    }
    queue.close();
    REQUIRE(matcher.wait_until_done(std::chrono::steady_clock::now() + 60s));
    const auto messages = subscriber->mailbox.take().messages;
    REQUIRE(messages.size() == n);
    std::uint64_t in_order = 0;
    for (std::uint64_t id = 1; id <= n; ++id) {
        in_order += messages[id - 1].head->starts_with("id: " + std::to_string(id) + "\n") ? 1u : 0u;
    }
    CHECK(in_order == n);
    CHECK(counters.events_matched == n);
    CHECK(counters.events_lost == 0);
}
