// Publisher, log, queue and deduplication against a plain model, while each allocation of a publication fails in turn:
// what fails changes nothing, and what is tried again is delivered once.
#include "broker/core/ingest/publisher.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "broker/base/log.hpp"
#include "broker/core/matching/dispatch.hpp"
#include "broker/store/memory_log.hpp"
#include "protocol/feed/model/ignored_parts.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/support/failing_allocations.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;
using testing::FailingAllocations;

namespace {

using PublicationPtr = std::shared_ptr<const Publication>;
using Content = std::map<std::string, std::string>;  // what was last published of each item, by its id

PublicationPtr publication(const std::string& stream, const Content& items) {
    std::vector<std::string> texts;
    for (const auto& [id, content] : items) texts.push_back(item(id, content));
    const feed::DocumentPtr parsed = document(texts);
    auto record = std::make_shared<const feed::DocumentRecord>(feed::record_document(*parsed, {}));
    return std::make_shared<const Publication>(
        Publication{stream, parsed, std::move(record), 100, item_keys(*parsed, feed::IgnoredParts()), {}});
}

class PublisherTrial {
public:
    PublisherTrial() { log_.listen(Dispatch(queue_, fanout_, counters_, {})); }

    // The n-th allocation fails; 0: none. No value: it failed.
    std::optional<PublishResult> publish(const PublicationPtr& what, std::uint64_t n) {
        std::optional<PublishResult> result;
        FailingAllocations::fail_here(n);
        try {
            const FailingAllocations::Here here;
            const auto outcome = publisher_.publish(what, {});
            if (outcome && outcome->has_value()) result = **outcome;
        } catch (const std::bad_alloc&) {
        }
        FailingAllocations::stop();
        return result;
    }
    std::vector<feed::Event> take() {
        QueuedBatch batch;
        std::vector<feed::Event> events;
        while (queue_.events() != 0) {
            batch.clear();
            queue_.pop(Lane::fast, 32, std::chrono::microseconds(0), batch);
            events.insert(events.end(), batch.events.begin(), batch.events.end());
            queue_.finish(batch);
        }
        return events;
    }
    std::size_t queued() const { return queue_.events(); }
    std::uint64_t documents() const { return counters_.documents; }
    std::uint64_t forgotten() const { return counters_.items_forgotten; }

private:
    EventQueue queue_{1'000'000, 1'000'000'000};
    Counters counters_;
    Fanout fanout_{counters_};
    base::MemoryBudget memory_{1'000'000'000};
    store::MemoryLog log_{1'000'000, memory_};
    Publisher publisher_{{100, 1'000'000, std::chrono::hours(1'000)}, queue_, log_, counters_, memory_};
};

struct Expected {
    std::size_t added = 0, updated = 0, unchanged = 0;
};

Expected expect(Content& known, const Content& items) {
    Expected expected;
    for (const auto& [id, content] : items) {
        const auto [at, is_new] = known.try_emplace(id, content);
        ++(is_new ? expected.added : at->second == content ? expected.unchanged : expected.updated);
        at->second = content;
    }
    return expected;
}

}  // namespace

TEST_CASE("a publication that fails anywhere changes nothing, and is published once when it is tried again",
          "[alloc]") {
    FailingAllocations::exempt_this_thread();
    base::configure_log({.level = config::LogLevel::off});
    std::mt19937 random(1);
    PublisherTrial trial;
    std::map<std::string, Content> known;
    std::uint64_t last_id = 0;
    std::size_t failures = 0, delivered_again = 0;
    for (std::size_t round = 0; round < 400; ++round) {
        bool failed = true;
        for (std::uint64_t n = 1; failed; ++n) {
            CAPTURE(round, n);
            const std::string stream = "s" + std::to_string(round % 3 == 0 ? n % 40 : n % 2);
            Content items;
            for (std::size_t i = 0; i <= random() % 5; ++i)
                items[std::to_string(random() % (30 + round * 20))] = std::to_string(random() % 2);
            const PublicationPtr what = publication(stream, items);
            const std::uint64_t documents = trial.documents();
            auto result = trial.publish(what, n);
            failed = FailingAllocations::failed() != 0;
            if (!result) {
                ++failures;
                REQUIRE(failed);
                REQUIRE(trial.queued() == 0);
                REQUIRE(trial.documents() == documents);
                result = trial.publish(what, 0);
            }
            REQUIRE(result);
            const Expected expected = expect(known[stream], items);
            // Where there is no memory to remember one more item, another one is forgotten, which is counted.
            const std::size_t again = result->added - expected.added;
            REQUIRE(again <= trial.forgotten() - delivered_again);
            delivered_again += again;
            REQUIRE(result->updated <= expected.updated);
            REQUIRE(result->unchanged <= expected.unchanged);
            REQUIRE(result->added + result->updated + result->unchanged == items.size());
            const std::vector<feed::Event> events = trial.take();
            REQUIRE(events.size() == result->added + result->updated);
            for (const feed::Event& event : events) {
                REQUIRE(*event.stream == stream);
                REQUIRE(event.id == ++last_id);
            }
        }
    }
    CHECK(failures > 1'000);
    CHECK(trial.forgotten() < 100);
}
