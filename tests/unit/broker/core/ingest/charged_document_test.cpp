#include "broker/core/ingest/charged_document.hpp"

#include <catch2/catch.hpp>

#include "broker/core/matching/event_queue.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;

TEST_CASE("a document is charged for, in its real size, as long as it lives", "[memory]") {
    base::MemoryBudget memory(10 << 20);
    const std::vector<std::string> items(1'000, "<a/>");
    ChargedDocument parsed = parse_charged(memory, rss(items), {"", "", {}});
    REQUIRE(parsed.document);
    REQUIRE(parsed.document->items().size() == 1'000);
    CHECK(memory.used(base::MemoryUse::documents) >= parsed.document->memory_bytes());
    CHECK(memory.used(base::MemoryUse::documents) > 10 * rss(items).size());
    CHECK(memory.used(base::MemoryUse::queues) == 1'000 * sizeof(QueuedEvent));
    feed::Event event{parsed.document, 3, nullptr, 1};
    parsed.document.reset();
    CHECK(memory.used(base::MemoryUse::documents) > 0);
    event.document.reset();
    CHECK(memory.used() == 0);
}

TEST_CASE("a document that is at fault is charged for no longer", "[memory]") {
    base::MemoryBudget memory(10 << 20);
    const ChargedDocument parsed = parse_charged(memory, "<rss>", {"", "", {}});
    CHECK(parsed.fault);
    CHECK(memory.used() == 0);
}

TEST_CASE("a document without room is not parsed, and it shows whether there ever will be", "[memory]") {
    base::MemoryBudget memory(1 << 20);
    std::string text = rss(std::vector<std::string>(1'000, "<a/>"));
    {
        const base::MemoryCharge others = memory.force_charge(base::MemoryUse::mailboxes, 900 << 10);
        CHECK(parse_charged(memory, std::move(text), {"", "", {}}).shortage == MemoryShortage::temporary);
    }
    memory.set_overhead(900 << 10);
    CHECK(parse_charged(memory, std::move(text), {"", "", {}}).shortage == MemoryShortage::permanent);
    memory.set_overhead(0);
    CHECK(parse_charged(memory, std::move(text), {"", "", {}}).document);  // the text is still there
    CHECK(memory.refusals() == 2);
}
