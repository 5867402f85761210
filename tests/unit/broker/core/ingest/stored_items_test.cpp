#include "broker/core/ingest/stored_items.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <random>

#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/dispatch.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/unit/broker/core/ingest/disk_log.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice::broker;
using sluice::feed::EventHead;
using sluice::feed::RecordTime;
using sluice::store::AppendError;
using sluice::store::Disk;
using sluice::store::DiskLog;
using sluice::store::LogState;
using sluice::text::Digest;

namespace {

constexpr RecordTime hour = 3'600'000'000;

using PublicationPtr = std::shared_ptr<const Publication>;

PublicationPtr publication(const std::vector<std::string>& items, const std::string& stream = "s") {
    const auto parsed = document(items);
    auto record = std::make_shared<const sluice::feed::DocumentRecord>(sluice::feed::record_document(*parsed, {}));
    auto made = std::make_shared<Publication>(Publication{stream, parsed, std::move(record), 100, {}, {}});
    made->keys = item_keys(*parsed, sluice::feed::IgnoredParts());
    return made;
}

struct Counts {
    std::size_t added = 0, updated = 0, unchanged = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Counts& counts) {
        return out << counts.added << " added, " << counts.updated << " updated, " << counts.unchanged << " unchanged";
    }
};

// A process that publishes to a disk.
struct Process {
    Process(Disk& disk, std::size_t entries, std::chrono::hours window, RecordTime& now)
        : log(disk), publisher({4, entries, window}, queue, log, counters, memory, [&now] { return now; }) {
        log.listen(Dispatch(queue, fanout, counters, {}));
    }
    // Attempts in progress and their stream keep each other alive until a log ends them.
    ~Process() {
        for (const std::string& name : publisher.streams().names())
            publisher.streams().find_or_create(name, nullptr).value()->under_way.clear();
    }

    EventQueue queue{1'000'000, 1'000'000'000};
    Counters counters;
    Fanout fanout{counters};
    sluice::base::MemoryBudget memory{10'000'000};
    DiskLog log;
    Publisher publisher;
};

struct Fixture {
    Disk disk;
    RecordTime now = 1000 * day_us;
    std::size_t entries = 100;
    std::chrono::hours window{1'000};
    std::unique_ptr<Process> process = make();
    std::vector<Publisher::Outcome> outcomes;

    std::unique_ptr<Process> make() { return std::make_unique<Process>(disk, entries, window, now); }
    void restart() { process = make(); }
    std::optional<Publisher::Outcome> try_to_publish(const PublicationPtr& what, const StoredItems* found = nullptr) {
        process->log.now = now;
        return process->publisher.publish(
            what, [this](const Publisher::Outcome& outcome) { outcomes.push_back(outcome); }, found);
    }
    void publish(const PublicationPtr& what) {
        auto known = try_to_publish(what);
        while (known && !*known && known->error() == PublishRefusal::not_looked_up) {
            const auto found = process->publisher.look_up(*what);
            known = found ? try_to_publish(what, &*found) : Publisher::Outcome(found.error());
        }
        if (known) outcomes.push_back(*known);
    }
    // Publishes at once.
    Counts counts(const std::vector<std::string>& items, const std::string& stream = "s") {
        publish(publication(items, stream));
        while (!process->log.waiting.empty()) process->log.end_first();
        const auto& result = outcomes.back().value();
        return {result.added, result.updated, result.unchanged};
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "StoredItems: restart → what was published before is known") {
    CHECK(counts({item("a"), item("b")}) == Counts{2, 0, 0});
    CHECK(counts({item("a"), item("b", "x")}) == Counts{0, 1, 1});
    restart();
    CHECK(counts({item("a"), item("b"), item("c")}) == Counts{1, 1, 1});
    CHECK(counts({item("a"), item("b"), item("c")}) == Counts{0, 0, 3});
    restart();
    CHECK(counts({item("b")}) == Counts{0, 0, 1});
}

TEST_CASE_METHOD(Fixture, "StoredItems: new stream → nothing is looked up, while it all fits into memory") {
    for (int i = 0; i < 100; ++i) counts({item(std::to_string(i))});
    CHECK(counts({item("0")}) == Counts{0, 0, 1});
    CHECK(disk.looked_up == 0);
    counts({item("100")});  // forgets one
    CHECK(counts({item("101")}) == Counts{1, 0, 0});
    CHECK(disk.looked_up == 1);
    restart();
    CHECK(counts({item("0"), item("0")}) == Counts{0, 0, 2});
    CHECK(counts({item("0")}) == Counts{0, 0, 1});
    CHECK(counts({item("a")}, "t") == Counts{1, 0, 0});
    CHECK(disk.looked_up == 5);  // with the other identities: there may be some
}

TEST_CASE_METHOD(Fixture, "StoredItems: items that share an identity → are known after a restart, alone or together") {
    CHECK(counts({item("a", "1"), item("a", "2")}) == Counts{2, 0, 0});
    CHECK(counts({item("b", "1")}) == Counts{1, 0, 0});
    for (int i = 0; i < 2; ++i) {
        restart();
        CHECK(counts({item("a", "1")}) == Counts{0, 0, 1});
        CHECK(counts({item("b", "2"), item("b", "1")}) == Counts{i == 0 ? 1u : 0u, 0, i == 0 ? 1u : 2u});
    }
    restart();
    CHECK(counts({item("b", "3")}) == Counts{0, 1, 0});
    CHECK(counts({item("b", "1"), item("b", "2")}) == Counts{0, 0, 2});
    restart();
    CHECK(counts({item("b", "1"), item("b", "2")}) == Counts{0, 0, 2});  // as an identity of its own was noted
}

TEST_CASE_METHOD(Fixture, "StoredItems: item not seen for the window → is new again, on disk, too") {
    window = std::chrono::hours(48);
    restart();
    counts({item("a")});
    now += 40 * hour;
    restart();
    CHECK(counts({item("a")}) == Counts{0, 0, 1});  // which is noted
    now += 40 * hour;
    restart();
    CHECK(counts({item("a")}) == Counts{0, 0, 1});
    now += 73 * hour;
    restart();
    CHECK(counts({item("a")}) == Counts{1, 0, 0});
}

TEST_CASE_METHOD(Fixture, "StoredItems: unchanged item → is noted once a day") {
    counts({item("a"), item("b")});
    for (int i = 0; i < 48; ++i) {
        now += hour;
        if (i == 30) restart();
        counts({item("a"), item("b")});
    }
    CHECK(disk.noted.size() == 4);
}

TEST_CASE_METHOD(Fixture, "StoredItems: append fails, perhaps not on disk → the disk says afterwards what it has") {
    for (const bool is_stored : {false, true}) {
        const std::string title = is_stored ? "stored" : "lost";
        publish(publication({item(title)}));
        if (is_stored) process->log.write(process->log.waiting.front(), false);
        process->log.condition = LogState::Condition::failed;
        process->log.fail_first(AppendError::unknown);
        CHECK(outcomes.back().error() == PublishRefusal::unavailable);
        publish(publication({item(title)}));
        CHECK(outcomes.back().error() == PublishRefusal::unavailable);
        process->log.condition = LogState::Condition::open;
        CHECK(counts({item(title)}) == (is_stored ? Counts{0, 0, 1} : Counts{1, 0, 0}));
    }
}

TEST_CASE_METHOD(Fixture, "StoredItems: item lost from memory after the look-up → is looked up again") {
    entries = 2;
    restart();
    for (const char* title : {"a", "b", "c"}) counts({item(title)});
    const auto what = publication({item("z")});
    CHECK(try_to_publish(what)->error() == PublishRefusal::not_looked_up);
    const auto found = process->publisher.look_up(*what).value();
    now += hour;
    CHECK(counts({item("z")}) == Counts{1, 0, 0});
    process->publisher.streams().find_or_create("s", nullptr).value()->seen.forget_oldest(2);
    CHECK(try_to_publish(what, &found)->error() == PublishRefusal::not_looked_up);
    CHECK(counts({item("z")}) == Counts{0, 0, 1});
}

TEST_CASE_METHOD(Fixture, "StoredItems: stream deleted after the look-up → its items are new again") {
    counts({item("a")});
    restart();
    const auto what = publication({item("a")});
    CHECK(try_to_publish(what)->error() == PublishRefusal::not_looked_up);
    const auto found = process->publisher.look_up(*what).value();
    CHECK(process->publisher.streams().erase("s"));
    REQUIRE_FALSE(try_to_publish(what, &found));
    process->log.end_first();
    CHECK(outcomes.back().value().added == 1);
}

TEST_CASE_METHOD(Fixture,
                 "StoredItems: publication with a reply to keep → it is kept with the events, and its counts") {
    counts({item("a")});
    const auto what = std::make_shared<Publication>(*publication({item("a"), item("b"), item("c")}));
    what->attempt = Digest{7, 7};
    what->reply = sluice::store::StoredReply{.request = {1, 2}, .faults = "faults"};
    publish(what);
    CHECK(disk.replies.empty());
    process->log.end_first();
    const auto& reply = disk.replies.at(Digest{7, 7});
    CHECK(reply.request == Digest{1, 2});
    CHECK(reply.received == 3);
    CHECK(reply.added == 2);
    CHECK(reply.unchanged == 1);
    CHECK(reply.first_id == 2);
    CHECK(reply.last_id == 3);
    CHECK(reply.faults == "faults");
}

TEST_CASE_METHOD(Fixture, "StoredItems: cache too small for what is being appended → its items stay in memory") {
    entries = 2;
    restart();
    publish(publication({item("a"), item("b"), item("c")}));
    publish(publication({item("d")}));
    publish(publication({item("a"), item("b"), item("c"), item("d")}));
    CHECK(process->log.waiting.size() == 2);
    CHECK(counts({item("a"), item("b"), item("c"), item("d")}) == Counts{0, 0, 4});
    CHECK(counts({item("e")}) == Counts{1, 0, 0});
    CHECK(process->publisher.streams().state("s")->items == 2);
}

namespace {

// Publishes at random, and compares with a map of what was stored.
class Random : Fixture {
public:
    explicit Random(std::uint32_t seed) : random_(seed) {
        entries = 1 + below(6);
        start();
    }

    // Returns how many publications were accepted.
    std::size_t run(int steps) {
        for (int i = 0; i < steps; ++i) step();
        while (!process->log.waiting.empty()) process->log.end_first();
        return accepted_;
    }

private:
    using Known = std::map<std::pair<std::string, Digest>, Digest>;

    std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_); }

    void start() {
        restart();
        process->log.on_event = [this](const std::string& stream, const EventHead& event) {
            const auto identity = std::bit_cast<Digest>(event.identity), content = std::bit_cast<Digest>(event.content);
            const auto at = stored_.find({stream, identity});
            CHECK(event.change == (at == stored_.end() ? EventHead::Change::added : EventHead::Change::updated));
            CHECK((at == stored_.end() || at->second != content));
            stored_[{stream, identity}] = content;
        };
    }

    void step() {
        now += below(5) == 0 ? below(12) * hour : below(3);
        process->log.now = now;
        switch (below(12)) {
            case 0:
                if (below(4) == 0) crash();
                return;
            case 1:
                return fail();
            case 2:
            case 3:
            case 4:
            case 5:
                if (!process->log.waiting.empty()) process->log.end_first();
                return;
            case 6:
                if (below(2) == 0)
                    process->publisher.streams().find_or_create("s", nullptr).value()->seen.forget_oldest(1);
                return;
            case 7:
            case 8:
                return proceed(below(4));
            default:
                return begin();
        }
    }

    // The oldest appends may have got to the disk, the others not.
    void write_some() {
        for (std::size_t n = below(static_cast<std::uint32_t>(process->log.waiting.size()) + 1), i = 0; i < n; ++i)
            process->log.write(process->log.waiting[i], false);
    }

    void crash() {
        write_some();
        for (auto& each : found_) each.reset();
        start();
    }

    void fail() {
        if (process->log.condition == LogState::Condition::failed) {
            process->log.condition = LogState::Condition::open;
            return;
        }
        if (process->log.waiting.empty() || below(2) == 0) return;
        const bool is_known = below(2) == 0;
        if (!is_known) {
            write_some();
            process->log.condition = LogState::Condition::failed;
        }
        while (!process->log.waiting.empty())
            process->log.fail_first(is_known ? AppendError::no_space : AppendError::unknown);
    }

    // Two publishers of which each may be anywhere between its look-up and its publication.
    void begin() {
        const std::size_t publisher = below(2);
        std::vector<std::string> items;
        for (std::uint32_t i = below(10); i < 10; i += 1 + below(4))
            items.push_back(item(std::to_string(i), std::to_string(below(3))));
        waiting_[publisher] = publication(items, below(3) == 0 ? "t" : "s");
        found_[publisher].reset();
        proceed(publisher);
    }
    void proceed(std::size_t publisher) {
        if (publisher >= 2 || waiting_[publisher] == nullptr) return;
        const PublicationPtr what = waiting_[publisher];
        const auto known = process->publisher.publish(
            what, [this, what](const Publisher::Outcome& outcome) { check(*what, outcome); },
            found_[publisher] ? &*found_[publisher] : nullptr);
        if (known && !*known && known->error() == PublishRefusal::not_looked_up) {
            auto found = process->publisher.look_up(*what);
            if (found) found_[publisher].emplace(std::move(*found));
            return;
        }
        waiting_[publisher].reset();
        if (known) check(*what, *known);
    }

    // An accepted publication leaves nothing out.
    void check(const Publication& what, const Publisher::Outcome& outcome) {
        if (!outcome) return;
        ++accepted_;
        for (const PublishedKey& item : what.keys) {
            const auto at = stored_.find({what.stream, item.key.identity});
            CHECK((at != stored_.end() && at->second == item.key.content));
        }
    }

    std::mt19937 random_;
    Known stored_;
    std::size_t accepted_ = 0;
    PublicationPtr waiting_[2];
    std::optional<StoredItems> found_[2];
};

}  // namespace

TEST_CASE("StoredItems: random publications, restarts and failures, tiny cache → as by a map of what was stored") {
    std::size_t accepted = 0;
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
        INFO("seed " << seed);
        accepted += Random(seed).run(600);
    }
    CHECK(accepted > 10'000);
}
