// Each allocation of several appends fails in turn: all of them are appended, or none.
#include "broker/store/memory_log.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tests/support/failing_allocations.hpp"

using namespace sluice;
using testing::FailingAllocations;

namespace {

store::Append append_to(const std::string& stream, std::size_t events) {
    auto document = std::make_shared<feed::DocumentRecord>();
    document->text = std::make_shared<const std::string>(100, 'x');
    return {std::make_shared<const std::string>(stream), document, std::vector<feed::EventHead>(events), nullptr};
}

store::Append of_items(store::Append append) {
    append.items.assign(append.events.size(), {*append.record, {}});
    return append;
}

bool append(store::MemoryLog& log, store::Appends appends, std::uint64_t failing) {
    FailingAllocations::fail_here(failing);
    bool appended = false;
    try {
        const FailingAllocations::Here here;
        appended = log.append(store::AttemptId{}, std::move(appends), nullptr).has_value();
    } catch (const std::bad_alloc&) {
    }
    FailingAllocations::stop();
    return appended;
}

}  // namespace

TEST_CASE("MemoryLog: appends that fail anywhere → none is appended, and the next ids are the same", "[alloc]") {
    FailingAllocations::exempt_this_thread();
    bool appended = false;
    std::uint64_t failures = 0;
    for (std::uint64_t n = 1; !appended; ++n) {
        CAPTURE(n);
        base::MemoryBudget budget(10'000'000);
        store::MemoryLog log(1'000'000, budget);
        std::size_t heard = 0;
        append(log, {append_to("a", 2)}, 0);
        const std::size_t bytes = log.extent("a").bytes;
        log.listen([&](const store::Append&) { ++heard; });
        appended =
            append(log, {append_to("b", 1), append_to("a", 3), of_items(append_to("b", 2)), append_to("c", 1)}, n);
        failures += appended ? 0 : 1;
        CHECK(heard == (appended ? 4 : 0));
        CHECK(log.extent("a").last_id == (appended ? 6 : 2));
        CHECK(log.extent("b").last_id == (appended ? 8 : 0));
        CHECK(log.extent("b").events == (appended ? 3 : 0));
        CHECK(log.extent("c").last_id == (appended ? 9 : 0));
        CHECK(log.extent("none").first_id == (appended ? 10 : 3));
        if (!appended) CHECK(log.extent("a").bytes == bytes);
        std::size_t events = 0;
        for (const store::KeptEvents& kept : log.read("a", 1, 100, 1'000'000).kept) events += kept.events.size();
        CHECK(events == (appended ? 5 : 2));
        const std::size_t used = budget.used(base::MemoryUse::store);
        for (const char* stream : {"a", "b", "c"}) log.clear(stream);
        CHECK(budget.used(base::MemoryUse::store) < used);
        CHECK(budget.used(base::MemoryUse::store) == 0);
    }
    CHECK(failures > 5);
}
