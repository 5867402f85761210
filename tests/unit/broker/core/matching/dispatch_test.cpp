#include "broker/core/matching/dispatch.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "broker/base/log.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

struct DispatchTrial {
    EventQueue queue{100, 1'000'000};
    Counters counters;
    Fanout fanout{counters};
    Dispatch dispatch{queue, fanout, counters, {}};

    DispatchTrial() { base::configure_log({.level = config::LogLevel::off}); }

    // Of the items 0 and 2.
    static store::Append append(const feed::DocumentPtr& parsed) {
        store::Append append{std::make_shared<const std::string>("s"),
                             std::make_shared<const feed::DocumentRecord>(feed::record_document(*parsed, {})),
                             std::vector<feed::EventHead>(2), nullptr};
        for (std::size_t i = 0; i < 2; ++i) {
            append.events[i].id = 10 + 3 * i;
            append.events[i].time = 5;
            append.events[i].item = feed::source_range(*parsed, 2 * i);
        }
        append.events[1].change = feed::EventHead::Change::updated;
        return append;
    }
    std::vector<feed::Event> take() {
        QueuedBatch batch;
        queue.pop(Lane::fast, 32, std::chrono::microseconds(0), batch);
        queue.finish(batch);
        return batch.events;
    }
};

}  // namespace

TEST_CASE_METHOD(DispatchTrial, "Dispatch: append without its document → the document is parsed from the record") {
    dispatch(append(document({item("a"), item("b"), item("c")})));
    const std::vector<feed::Event> events = take();
    REQUIRE(events.size() == 2);
    CHECK(events[0].document == events[1].document);
    CHECK(std::string(events[0].item().element.child_value("title")) == "a");
    CHECK(std::string(events[1].item().element.child_value("title")) == "c");
    CHECK(events[0].id == 10);
    CHECK(events[1].id == 13);
    CHECK(events[1].time == 5);
    CHECK(events[1].change == feed::EventHead::Change::updated);
    CHECK(*events[0].stream == "s");
    CHECK(counters.events_lost == 0);
}

TEST_CASE_METHOD(DispatchTrial, "Dispatch: record that can't be parsed → its events are lost and counted") {
    store::Append damaged = append(document({item("a"), item("b"), item("c")}));
    auto record = *damaged.record;
    record.text = std::make_shared<const std::string>("<rss>");
    damaged.record = std::make_shared<const feed::DocumentRecord>(record);
    dispatch(damaged);
    CHECK(counters.events_lost == 2);
    CHECK(queue.events() == 0);
}

TEST_CASE_METHOD(DispatchTrial, "Dispatch: no item where an event's should be → that event alone is lost and counted") {
    const store::Append whole = append(document({item("a"), item("b"), item("c")}));
    for (const feed::SourceRange wrong : {feed::SourceRange{}, feed::SourceRange{~0u, ~0u}}) {
        store::Append damaged = whole;
        damaged.events[0].item = wrong;
        dispatch(damaged);
        const std::vector<feed::Event> events = take();
        REQUIRE(events.size() == 1);
        CHECK(events[0].id == 13);
        CHECK(std::string(events[0].item().element.child_value("title")) == "c");
    }
    store::Append longer = whole;
    ++longer.events[1].item.length;
    dispatch(longer);
    CHECK(take().at(0).id == 10);
    CHECK(counters.events_lost == 3);
}

TEST_CASE_METHOD(DispatchTrial, "Dispatch: every event is damaged → nothing is pushed") {
    store::Append damaged = append(document({item("a"), item("b"), item("c")}));
    damaged.events[0].item = damaged.events[1].item = {};
    dispatch(damaged);
    CHECK(counters.events_lost == 2);
    CHECK(queue.events() == 0);
}

TEST_CASE_METHOD(DispatchTrial, "Dispatch: document without a place → its events are pushed all the same") {
    const feed::DocumentPtr parsed = document({item("a"), item("b"), item("c")});
    store::Append known = append(parsed);
    known.document = parsed;
    dispatch(known);
    CHECK(take().at(0).document == parsed);
}
