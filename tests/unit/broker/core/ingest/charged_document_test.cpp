#include "broker/core/ingest/charged_document.hpp"

#include <catch2/catch.hpp>

#include "broker/core/matching/event_queue.hpp"
#include "protocol/feed/document_memory.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;

TEST_CASE("a document is charged for, in its real size, as long as it lives", "[memory]") {
    base::MemoryBudget memory(10 << 20);
    const std::vector<std::string> items(1'000, "<a/>");
    ChargedDocument parsed = parse_charged(memory, rss(items), {"", "", {}}, 0);
    REQUIRE(parsed.document);
    REQUIRE(parsed.document->items().size() == 1'000);
    CHECK(memory.used(base::MemoryUse::documents) >= parsed.document->memory_bytes());
    CHECK(memory.used(base::MemoryUse::documents) > 5 * rss(items).size());
    CHECK(memory.used(base::MemoryUse::queues) == 1'000 * sizeof(QueuedEvent));
    feed::Event event{parsed.document, 3, nullptr, 1};
    parsed.document.reset();
    CHECK(memory.used(base::MemoryUse::documents) > 0);
    event.document.reset();
    CHECK(memory.used() == 0);
}

TEST_CASE("a document that is at fault is charged for no longer", "[memory]") {
    base::MemoryBudget memory(10 << 20);
    const ChargedDocument parsed = parse_charged(memory, "<rss>", {"", "", {}}, 0);
    CHECK(parsed.fault);
    CHECK(memory.used() == 0);
}

TEST_CASE("a document without room is not parsed, and it shows whether there ever will be", "[memory]") {
    base::MemoryBudget memory(1 << 20);
    std::string text = rss(std::vector<std::string>(600, "<a/>"));
    {
        const base::MemoryCharge others = memory.force_charge(base::MemoryUse::mailboxes, 900 << 10);
        CHECK(parse_charged(memory, std::move(text), {"", "", {}}, 0).missing->shortage == MemoryShortage::temporary);
    }
    memory.set_overhead(900 << 10);
    CHECK(parse_charged(memory, std::move(text), {"", "", {}}, 0).missing->shortage == MemoryShortage::temporary);
    memory.set_idle_overhead(900 << 10);
    CHECK(parse_charged(memory, std::move(text), {"", "", {}}, 0).missing->shortage == MemoryShortage::permanent);
    memory.set_overhead(0);
    CHECK(parse_charged(memory, std::move(text), {"", "", {}}, 0).document);  // the text is still there
    CHECK(memory.refusals() == 3);
}

namespace {

std::string repeated(const std::string& before, const std::string& each, std::size_t n, const std::string& after) {
    std::string text = before;
    for (std::size_t i = 0; i < n; ++i) text += each;
    return text + after;
}

}  // namespace

TEST_CASE("the shortage is temporary exactly if an idle broker has the memory", "[memory]") {
    constexpr std::size_t n = 2'000, held_bytes = 30'000;
    const std::pair<const char*, std::string> shapes[] = {
        {"application/xml", repeated("<r>", "<a/>", n, "</r>")},
        {"application/xml", repeated("<r>", "<a b='' c=''>x &amp; y</a>", n, "</r>")},
        {"application/xml", repeated("<r><a>", "text ", n, "</a></r>")},
        {"application/json", repeated("[{}", ",{\"a\":[1,2]}", n, "]")},
        {"text/csv", repeated("a,b\n", "1,2\n", n, "")},
    };
    for (const std::size_t bytes_max : {16u << 20, 64u << 20, 1'000'000'007u}) {
        for (const auto& [type, shape] : shapes) {
            CAPTURE(bytes_max, type, shape.substr(0, 20));
            const feed::DocumentOptions options{type, "", {}};
            base::MemoryBudget memory(bytes_max);
            const std::size_t needed = feed::document_memory_max(shape, options);
            const std::size_t idle = memory.ceiling(base::MemoryUse::documents) - held_bytes - needed;
            std::string text = shape;
            memory.set_idle_overhead(idle);
            const base::MemoryCharge held = memory.charge(base::MemoryUse::bodies, held_bytes);
            memory.set_overhead(idle + 1);  // a byte more than when it is idle
            CHECK(parse_charged(memory, std::move(text), options, held_bytes).missing->shortage ==
                  MemoryShortage::temporary);
            memory.set_idle_overhead(idle + 1);
            CHECK(parse_charged(memory, std::move(text), options, held_bytes).missing->shortage ==
                  MemoryShortage::permanent);
            memory.set_overhead(idle);
            CHECK(parse_charged(memory, std::move(text), options, held_bytes).document);
        }
    }
}

TEST_CASE("a document whose text has been read is never short of memory for its events", "[memory]") {
    base::MemoryBudget memory(10 << 20);
    std::string text = rss(std::vector<std::string>(1'000, "<a/>"));
    const std::size_t needed = feed::document_memory_max(text, {"", "", {}});
    memory.set_overhead(memory.ceiling(base::MemoryUse::documents) - needed);
    const ChargedDocument parsed = parse_charged(memory, std::move(text), {"", "", {}}, 0);
    REQUIRE(parsed.document);
    CHECK(memory.used() <= memory.ceiling(base::MemoryUse::documents));  // the estimate was for both
}
