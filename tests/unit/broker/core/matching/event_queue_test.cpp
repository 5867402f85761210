#include "broker/core/matching/event_queue.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "broker/core/matching/short_waits.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using namespace std::chrono_literals;
using namespace sluice;
using namespace sluice::broker;

namespace {

std::vector<QueuedEvent> events(const std::string& stream, std::uint64_t first_id, std::size_t n,
                                std::size_t bytes = 1) {
    const auto name = std::make_shared<const std::string>(stream);
    std::vector<QueuedEvent> list(n);
    for (std::size_t i = 0; i < n; ++i) {
        list[i].event.stream = name;
        list[i].event.id = first_id + i;
        list[i].bytes = bytes;
    }
    return list;
}

// A queue whose batches are finished as soon as they are taken, unless a test does that itself.
struct Trial {
    EventQueue queue{1000, 1000};

    QueuedBatch take(Lane lane, std::size_t events_max = 32) {
        QueuedBatch batch;
        REQUIRE(queue.pop(lane, events_max, 0us, batch));
        return batch;
    }
    std::vector<std::uint64_t> ids(Lane lane, std::size_t events_max = 32) {
        QueuedBatch batch = take(lane, events_max);
        queue.wait_for_turn(batch);
        queue.finish(batch);
        return ids(batch);
    }
    static std::vector<std::uint64_t> ids(const QueuedBatch& batch) {
        std::vector<std::uint64_t> list;
        for (const feed::Event& event : batch.events) list.push_back(event.id);
        return list;
    }
    // As a matching thread does with a batch that takes too long.
    void hand_over(QueuedBatch& batch) {
        for (QueuedBatch::Part& part : batch.parts) part.hand_over = true;
        queue.wait_for_turn(batch);
        queue.finish(batch);
    }
};

using Ids = std::vector<std::uint64_t>;

// Gives the place back at once.
bool has_room(EventQueue& queue, const std::string& stream) {
    static const feed::DocumentPtr any = document({item("a")});
    return queue.reserve(stream, *any, 1, 1).has_value();
}

// Events of an append that is yet to come, of one byte each.
QueuedEvents of_document(const feed::DocumentPtr& document, const std::string& stream, std::size_t n) {
    const auto name = std::make_shared<const std::string>(stream);
    QueuedEvents list;
    for (std::size_t i = 0; i < n; ++i) list.push_back({{document, i, name, 0}, 1, {}});
    return list;
}

std::vector<feed::EventHead> heads(const Ids& ids, feed::RecordTime time = 0) {
    std::vector<feed::EventHead> list(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        list[i].id = ids[i];
        list[i].time = time;
    }
    return list;
}

// Publishes a document of one event of one byte. Returns false if it can't.
bool publish(EventQueue& queue, const std::string& stream, std::uint64_t id, EventQueue::Wake wake) {
    static const std::vector<std::string> items{item("a")};
    const feed::DocumentPtr one = document(items);
    auto place = queue.reserve(stream, *one, 1, 1, wake);
    if (!place) return false;
    place->fill(of_document(one, stream, 1));
    if (!queue.push(stream, *one, heads({id}))) return false;
    place->end();
    return true;
}

// A matching thread that finishes what it takes at once.
class Taker {
public:
    explicit Taker(EventQueue& queue, std::size_t events_max = 32) : queue_(queue) {
        thread_ = std::thread([this, events_max] {
            QueuedBatch batch;
            for (; queue_.pop(Lane::fast, events_max, 0us, batch); batch.clear()) {
                if (batch.events.empty()) continue;
                queue_.wait_for_turn(batch);
                taken_.push_back(Trial::ids(batch));
                queue_.finish(batch);
            }
        });
    }
    ~Taker() { end(); }
    Taker(const Taker&) = delete;
    Taker& operator=(const Taker&) = delete;

    // The batches that it has taken. Closes the queue.
    const std::vector<Ids>& end() {
        queue_.close();
        if (thread_.joinable()) thread_.join();
        return taken_;
    }

private:
    EventQueue& queue_;
    std::vector<Ids> taken_;
    std::thread thread_;
};

}  // namespace

TEST_CASE("EventQueue: pushes that leave the wake for later → a sleeping thread is woken once for all", "[queue]") {
    EventQueue queue(1000, 1000);
    Taker taker(queue);
    EVENTUALLY(queue.sleepers() == 1);
    for (std::uint64_t id = 1; id <= 10; ++id) REQUIRE(publish(queue, "s", id, EventQueue::Wake::later));
    CHECK(queue.events() == 10);
    CHECK(queue.wakes() == 0);
    CHECK(queue.is_wake_due());
    queue.wake();
    CHECK_FALSE(queue.is_wake_due());
    queue.wake();
    EVENTUALLY(queue.events() == 0);
    CHECK(queue.wakes() == 1);
    CHECK(taker.end() == std::vector<Ids>{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}});
}

TEST_CASE("EventQueue: push that wakes at once → takes along what others have left for later", "[queue]") {
    EventQueue queue(1000, 1000);
    Taker taker(queue);
    EVENTUALLY(queue.sleepers() == 1);
    REQUIRE(publish(queue, "s", 1, EventQueue::Wake::later));
    REQUIRE(publish(queue, "t", 2, EventQueue::Wake::now));
    CHECK_FALSE(queue.is_wake_due());
    EVENTUALLY(queue.events() == 0);
    CHECK(queue.wakes() == 1);
    CHECK(taker.end() == std::vector<Ids>{{1, 2}});
}

TEST_CASE("EventQueue: more than a few events → wakes at once, whatever was said", "[queue]") {
    EventQueue queue(1000, 1000);
    Taker taker(queue);
    EVENTUALLY(queue.sleepers() == 1);
    for (std::uint64_t id = 1; id <= EventQueue::late_events_max; ++id)
        REQUIRE(publish(queue, "s", id, EventQueue::Wake::later));
    CHECK(queue.wakes() == 0);
    REQUIRE(publish(queue, "s", EventQueue::late_events_max + 1, EventQueue::Wake::later));
    EVENTUALLY(queue.events() == 0);
    CHECK(queue.wakes() >= 1);
}

TEST_CASE("EventQueue: closed before a push that leaves the wake for later → wakes, and nothing is lost", "[queue]") {
    EventQueue queue(1000, 1000);
    Taker taker(queue);
    const feed::DocumentPtr one = document({item("a")}), other = document({item("a")});
    auto place = queue.reserve("s", *one, 1, 1, EventQueue::Wake::later);
    auto last = queue.reserve("t", *other, 1, 1);  // the queue does not end before it is given back
    REQUIRE(place.has_value());
    REQUIRE(last.has_value());
    place->fill(of_document(one, "s", 1));
    EVENTUALLY(queue.sleepers() == 1);
    queue.close();
    REQUIRE(queue.push("s", *one, heads({1})));
    place->end();
    CHECK_FALSE(queue.is_wake_due());
    EVENTUALLY(queue.events() == 0);
    last.reset();
    CHECK(taker.end() == std::vector<Ids>{{1}});
}

TEST_CASE("EventQueue: threads that sleep → events beyond a batch wake the next one", "[queue]") {
    EventQueue queue(1000, 1000);
    Taker one(queue, 2), other(queue, 2);
    EVENTUALLY(queue.sleepers() == 2);
    queue.push(events("s", 1, 4));
    EVENTUALLY(queue.events() == 0);
    CHECK(queue.wakes() == 2);
    CHECK(one.end().size() + other.end().size() == 2);
}

TEST_CASE("EventQueue: publisher, while the matching threads sleep → takes a few events itself", "[queue]") {
    EventQueue queue(1000, 1000);
    QueuedBatch batch;
    REQUIRE(publish(queue, "s", 1, EventQueue::Wake::later));
    CHECK_FALSE(queue.pop_or_wake(4, batch));  // no thread sleeps: one will come
    Taker taker(queue);
    EVENTUALLY(queue.events() == 0);
    EVENTUALLY(queue.sleepers() == 1);
    for (std::uint64_t id = 2; id <= 4; ++id) REQUIRE(publish(queue, id == 3 ? "t" : "s", id, EventQueue::Wake::later));
    REQUIRE(queue.pop_or_wake(4, batch));
    CHECK(batch.events.size() == 3);
    CHECK(queue.events() == 0);
    CHECK(queue.wakes() == 0);

    QueuedBatch further;
    REQUIRE(publish(queue, "s", 5, EventQueue::Wake::later));
    CHECK_FALSE(queue.pop_or_wake(4, further));  // the turn of its batch has not come
    CHECK(queue.wakes() == 1);
    EVENTUALLY(queue.events() == 0);
    CHECK(queue.decided_id("s") == 1);  // the thread waits for its turn
    queue.wait_for_turn(batch);
    queue.finish(batch);
    EVENTUALLY(queue.decided_id("s") == 5);
    CHECK(taker.end() == std::vector<Ids>{{1}, {5}});
}

TEST_CASE("EventQueue: publisher that may not take its events → wakes a thread", "[queue]") {
    EventQueue queue(1000, 1u << 30);
    QueuedBatch batch;
    Taker taker(queue);
    EVENTUALLY(queue.sleepers() == 1);
    SECTION("more than it may take") {
        for (std::uint64_t id = 1; id <= 5; ++id) REQUIRE(publish(queue, "s", id, EventQueue::Wake::later));
        CHECK_FALSE(queue.pop_or_wake(4, batch));
        CHECK(queue.wakes() == 1);
    }
    SECTION("a wake by another publisher") {
        REQUIRE(publish(queue, "s", 1, EventQueue::Wake::later));
        queue.wake();
        CHECK_FALSE(queue.pop_or_wake(4, batch));
        CHECK(queue.wakes() == 1);
    }
    SECTION("the queue is closed") {
        REQUIRE(publish(queue, "s", 1, EventQueue::Wake::later));
        queue.close();
        CHECK_FALSE(queue.pop_or_wake(4, batch));
    }
    CHECK(batch.events.empty());
    EVENTUALLY(queue.events() == 0);
}

TEST_CASE("ShortWaits: without success → tried now and then, after success → goes on, for one thread at a time") {
    ShortWaits waits(true);
    const auto refused_before_one = [&] {
        unsigned refused = 0;
        while (refused < 2 * ShortWaits::tried_every && !waits.may_begin()) ++refused;
        return refused;
    };
    CHECK_FALSE(waits.is_waiting());
    CHECK(refused_before_one() == ShortWaits::tried_every - 1);
    CHECK(waits.is_waiting());
    CHECK_FALSE(waits.may_begin());
    waits.end(false);
    CHECK_FALSE(waits.is_waiting());
    CHECK(refused_before_one() == ShortWaits::tried_every - 1);
    waits.end(true);
    CHECK(waits.may_begin());
    waits.end(false);
    CHECK(waits.may_begin());
    waits.end(false);
    CHECK_FALSE(waits.may_begin());
    ShortWaits alone(false);
    for (unsigned i = 0; i < 2 * ShortWaits::tried_every; ++i) CHECK_FALSE(alone.may_begin());
}

TEST_CASE("batches come in order and are bounded", "[queue]") {
    Trial trial;
    trial.queue.push(events("s", 1, 50));
    const Ids batch = trial.ids(Lane::fast);
    CHECK(batch.size() == 32);
    CHECK(batch.front() == 1);
    CHECK(batch.back() == 32);
    CHECK(trial.queue.events() == 18);
    CHECK(trial.queue.bytes() == 18);
}

TEST_CASE("a batch that is not full leaves after the delay", "[queue]") {
    EventQueue queue(1000, 1000);
    queue.push(events("s", 1, 3));
    QueuedBatch batch;
    REQUIRE(queue.pop(Lane::fast, 32, 1ms, batch));
    CHECK(batch.events.size() == 3);
}

TEST_CASE("a batch of large events ends where it is large enough", "[queue]") {
    EventQueue queue(1000, 1u << 30);
    queue.push(events("s", 1, 10, EventQueue::batch_bytes_max / 2));
    QueuedBatch batch;
    REQUIRE(queue.pop(Lane::fast, 32, 0us, batch));
    CHECK(batch.events.size() == 2);
}

TEST_CASE("an idle matcher takes what comes at once", "[queue]") {
    EventQueue queue(1000, 1000);
    QueuedBatch batch;
    std::thread popper([&] { queue.pop(Lane::fast, 32, 1h, batch); });
    queue.push(events("s", 1, 1));
    // Either the popper was waiting and took the batch at once, or it came later and a full batch ended its wait.
    queue.push(events("s", 2, 31));
    popper.join();
    CHECK(batch.events.front().id == 1);
}

TEST_CASE("streams take turns: few events need not wait for the many of another stream", "[queue]") {
    Trial trial;
    trial.queue.push(events("busy", 1, 100));
    trial.queue.push(events("quiet", 1000, 2));
    CHECK(trial.ids(Lane::fast, 8) == Ids{1, 2, 1000, 1001, 3, 4, 5, 6});
    CHECK(trial.ids(Lane::fast, 8) == Ids{7, 8, 9, 10, 11, 12, 13, 14});
}

TEST_CASE("a stream may fill half of the queue, and another always finds room", "[queue]") {
    const bool by_bytes = GENERATE(false, true);
    EventQueue queue(by_bytes ? 1000 : 8, by_bytes ? 8 : 1000);
    int busy = 0, quiet = 0;
    EventQueue::Waiting of_busy, of_quiet;
    CHECK(has_room(queue, "busy"));
    CHECK_FALSE(queue.wait_for_room("busy", of_busy, [&] { ++busy; }));
    queue.push(events("busy", 1, 5));
    CHECK_FALSE(has_room(queue, "busy"));
    CHECK(has_room(queue, "quiet"));
    CHECK(queue.wait_for_room("busy", of_busy, [&] { ++busy; }));
    queue.push(events("quiet", 1, 3));
    CHECK_FALSE(has_room(queue, "quiet"));
    CHECK(queue.wait_for_room("quiet", of_quiet, [&] { ++quiet; }));
    QueuedBatch batch;
    queue.pop(Lane::fast, 2, 0us, batch);  // one of each
    CHECK(quiet == 0);
    CHECK(busy == 0);
    queue.finish(batch);
    batch.clear();
    queue.pop(Lane::fast, 4, 0us, batch);
    CHECK(quiet == 1);
    CHECK(busy == 1);
    queue.finish(batch);
}

TEST_CASE("publishers that wait for room get it in the order in which they came", "[queue]") {
    EventQueue queue(8, 1'000'000);
    queue.push(events("s", 1, 4));  // as much as one stream may have
    std::vector<int> called;
    std::vector<EventQueue::Waiting> waiting(4, EventQueue::Waiting{8});
    const auto wait = [&](std::size_t i) {
        return queue.wait_for_room("s", waiting[i], [&called, i] { called.push_back(static_cast<int>(i)); });
    };
    for (std::size_t i = 0; i < 3; ++i) REQUIRE(wait(i));
    QueuedBatch batch;
    const auto pop = [&] {
        batch.clear();
        REQUIRE(queue.pop(Lane::fast, 1, 0us, batch));
        queue.finish(batch);
    };
    pop();  // room for the events of one
    CHECK(called == std::vector<int>{0});
    queue.push(events("s", 5, 2));  // of another one
    REQUIRE(wait(0));
    REQUIRE(wait(3));
    called.clear();
    for (int i = 0; i < 3; ++i) pop();
    CHECK(called == std::vector<int>{0, 1});
    queue.end_waiting(waiting[1]);  // it has left, so the room is another's
    CHECK(called == std::vector<int>{0, 1, 2});
    queue.end_waiting(waiting[3]);
    queue.end_waiting(waiting[2]);
    while (queue.events() > 0) pop();
    CHECK(called == std::vector<int>{0, 1, 2});
}

TEST_CASE("EventQueue: reserved place → counts as room until it is given back", "[queue]") {
    const bool by_bytes = GENERATE(false, true);
    EventQueue queue(by_bytes ? 1000 : 8, by_bytes ? 8 : 1000);
    const feed::DocumentPtr one = document({}), other = document({});
    std::optional<EventQueue::Place> place = queue.reserve("s", *one, 4, 4);
    REQUIRE(place);
    CHECK(queue.events() == 0);
    CHECK_FALSE(has_room(queue, "s"));
    CHECK(has_room(queue, "t"));
    const std::optional<EventQueue::Place> rest = queue.reserve("t", *other, 4, 4);
    REQUIRE(rest);
    CHECK_FALSE(has_room(queue, "u"));
    int called = 0;
    EventQueue::Waiting waiting;
    CHECK(queue.wait_for_room("u", waiting, [&] { ++called; }));
    place.reset();
    CHECK(called == 1);
    CHECK(has_room(queue, "u"));
    CHECK(has_room(queue, "s"));
}

TEST_CASE("EventQueue: place → granted whole wherever anything is free", "[queue]") {
    EventQueue queue(8, 100);
    const feed::DocumentPtr large = document({});
    queue.push(events("t", 1, 1));
    std::optional<EventQueue::Place> place = queue.reserve("s", *large, 1'000, 1'000'000);
    REQUIRE(place);
    for (const char* stream : {"s", "t", "u"}) CHECK_FALSE(has_room(queue, stream));
    place.reset();
    for (const char* stream : {"s", "t", "u"}) CHECK(has_room(queue, stream));
}

TEST_CASE("EventQueue: fewer events than reserved → others get the rest of the room", "[queue]") {
    EventQueue queue(8, 1000);
    const feed::DocumentPtr one = document({});
    std::optional<EventQueue::Place> place = queue.reserve("s", *one, 8, 1);
    int called = 0;
    EventQueue::Waiting waiting{3};
    CHECK(queue.wait_for_room("s", waiting, [&] { ++called; }));
    place->fill(of_document(one, "s", 3));
    CHECK(called == 1);
    CHECK(has_room(queue, "s"));
    CHECK(queue.push("s", *one, heads({1, 2, 3})));
    place->end();
    place.reset();
    CHECK(queue.events() == 3);
    CHECK(has_room(queue, "s"));
}

TEST_CASE("EventQueue: several places of a stream → each append gets its own, with its ids and time", "[queue]") {
    Trial trial;
    const feed::DocumentPtr one = document({}), two = document({});
    auto first = trial.queue.reserve("s", *one, 2, 2), second = trial.queue.reserve("s", *two, 1, 1);
    REQUIRE(first);
    REQUIRE(second);
    first->fill(of_document(one, "s", 2));
    second->fill(of_document(two, "s", 1));
    CHECK(trial.queue.push("s", *two, heads({7}, 70)));
    second->end();
    CHECK(trial.queue.push("s", *one, heads({9, 12}, 90)));
    first->end();
    CHECK_FALSE(trial.queue.push("s", *one, heads({13, 14})));
    CHECK_FALSE(trial.queue.push("t", *one, heads({13, 14})));
    QueuedBatch batch = trial.take(Lane::fast);
    trial.queue.finish(batch);
    CHECK(Trial::ids(batch) == Ids{7, 9, 12});
    CHECK(batch.events[0].document == two);
    CHECK(batch.events[0].time == 70);
    CHECK(batch.events[2].time == 90);
    CHECK(batch.events[2].index == 1);
    CHECK(trial.queue.bytes() == 0);
}

TEST_CASE("EventQueue: nodes of matched events → used for later ones, as many as these need", "[queue]") {
    Trial trial;
    std::vector<const QueuedEvent*> spare;
    std::uint64_t id = 0;
    for (const std::size_t n : {2u, 3u, 1u, 3u}) {
        const feed::DocumentPtr one = document({});
        auto place = trial.queue.reserve("s", *one, 4, 1);
        QueuedEvents nodes = place->nodes(n);
        REQUIRE(nodes.size() == n);
        Ids ids;
        std::size_t used = 0;
        for (QueuedEvent& node : nodes) {
            used += static_cast<std::size_t>(std::count(spare.begin(), spare.end(), &node));
            CHECK(node.event.document == nullptr);
            node = {{one, ids.size(), std::make_shared<const std::string>("s")}, 1, {}};
            ids.push_back(++id);
        }
        CHECK(used == std::min(n, spare.size()));
        for (const QueuedEvent& node : nodes) std::erase(spare, &node);
        place->fill(std::move(nodes));
        CHECK(trial.queue.push("s", *one, heads(ids)));
        place->end();
        QueuedBatch batch = trial.take(Lane::fast);
        for (const QueuedEvent& node : batch.nodes) spare.push_back(&node);
        trial.queue.finish(batch);
        CHECK(Trial::ids(batch) == ids);
    }
}

TEST_CASE("a closed queue refuses, gives what it has, then says that it is over", "[queue]") {
    EventQueue queue(2, 1000);
    queue.push(events("s", 1, 2));
    int called = 0;
    EventQueue::Waiting waiting;
    CHECK(queue.wait_for_room("s", waiting, [&] { ++called; }));
    queue.close();
    CHECK(called == 1);
    CHECK_FALSE(queue.push(events("s", 3, 1)));
    QueuedBatch batch;
    CHECK(queue.pop(Lane::fast, 32, 1h, batch));
    CHECK(batch.events.size() == 2);
    queue.finish(batch);
    batch.clear();
    CHECK_FALSE(queue.pop(Lane::fast, 32, 1h, batch));
    CHECK_FALSE(queue.pop(Lane::slow, 32, 1h, batch));
}

TEST_CASE("closing ends a waiting pop, and clearing drops what is queued", "[queue]") {
    const Lane lane = GENERATE(Lane::fast, Lane::slow);
    EventQueue queue(1000, 1000);
    bool more = true;
    std::thread popper([&] {
        QueuedBatch batch;
        more = queue.pop(lane, 32, 1h, batch);
    });
    queue.close();
    popper.join();
    CHECK_FALSE(more);

    EventQueue other(1000, 1000);
    other.push(events("s", 1, 5));
    CHECK(other.clear() == 5);
    CHECK(other.events() == 0);
    CHECK(other.bytes() == 0);
}

TEST_CASE("what is handed over comes first in the slow lane, and the stream stays there", "[queue]") {
    Trial trial;
    trial.queue.push(events("slow", 1, 6));
    trial.queue.push(events("quick", 100, 1));
    QueuedBatch first = trial.take(Lane::fast, 2);
    QueuedBatch second = trial.take(Lane::fast, 4);
    CHECK(Trial::ids(first) == Ids{1, 100});
    CHECK(Trial::ids(second) == Ids{2, 3, 4, 5});
    CHECK_FALSE(trial.queue.others_wait(second));
    first.parts[0].hand_over = true;
    trial.queue.wait_for_turn(first);
    trial.queue.finish(first);
    CHECK(trial.queue.slow_streams() == 1);
    // The later batch has been matched, but must not be delivered before the batch that was handed over.
    trial.queue.wait_for_turn(second);
    CHECK(second.parts[0].hand_over);
    trial.queue.finish(second);
    trial.queue.push(events("slow", 7, 1));
    trial.queue.push(events("quick", 101, 1));
    CHECK(trial.ids(Lane::fast) == Ids{101});
    CHECK(trial.ids(Lane::slow) == Ids{1});
    CHECK(trial.ids(Lane::slow) == Ids{2, 3});
    CHECK(trial.ids(Lane::slow) == Ids{4, 5, 6, 7});
    trial.queue.push(events("slow", 8, 1));
    CHECK(trial.ids(Lane::slow) == Ids{8});
    CHECK(trial.queue.events() == 0);
    CHECK(trial.queue.bytes() == 0);
}

TEST_CASE("the slow lane serves streams in turn, each batch of one", "[queue]") {
    Trial trial;
    for (const char* stream : {"a", "b"}) {
        trial.queue.push(events(stream, stream[0] == 'a' ? 1 : 11, 4));
        QueuedBatch batch = trial.take(Lane::fast, 1);
        trial.hand_over(batch);
    }
    CHECK(trial.ids(Lane::slow, 2) == Ids{1});
    CHECK(trial.ids(Lane::slow, 2) == Ids{11});
    CHECK(trial.ids(Lane::slow, 2) == Ids{2, 3});
    CHECK(trial.ids(Lane::slow, 2) == Ids{12, 13});
    CHECK(trial.ids(Lane::slow, 2) == Ids{4});
}

TEST_CASE("a turn in the slow lane has as many events as take its time", "[queue]") {
    Trial trial;
    trial.queue.push(events("s", 1, 500));
    QueuedBatch first = trial.take(Lane::fast, 1);
    trial.hand_over(first);
    const auto next = [&](std::chrono::nanoseconds work_per_event) {
        QueuedBatch batch = trial.take(Lane::slow, 32);
        trial.queue.wait_for_turn(batch);
        const std::size_t n = batch.events.size();
        trial.queue.finish(batch, true, work_per_event * static_cast<std::int64_t>(n));
        return n;
    };
    constexpr std::chrono::nanoseconds turn = sluice::broker::StreamLanes::slow_turn;
    std::vector<std::size_t> sizes;
    for (const auto work : {turn * 10, turn, turn / 100, 0ns, 0ns, 0ns, 0ns, turn / 4, turn * 2, 0ns})
        sizes.push_back(next(work));
    CHECK(sizes == std::vector<std::size_t>{1, 1, 1, 2, 4, 8, 16, 32, 4, 1});
}

TEST_CASE("a stream with an event as large as a batch is for the slow lane", "[queue]") {
    EventQueue queue(1000, 1u << 30);
    queue.push(events("large", 1, 1, EventQueue::batch_bytes_max));
    queue.push(events("small", 2, 1));
    QueuedBatch fast, slow;
    REQUIRE(queue.pop(Lane::fast, 32, 0us, fast));
    CHECK(Trial::ids(fast) == Ids{2});
    REQUIRE(queue.pop(Lane::slow, 32, 0us, slow));
    CHECK(Trial::ids(slow) == Ids{1});
}

TEST_CASE("batches of a stream are delivered in order, those of others do not wait", "[queue]") {
    Trial trial;
    trial.queue.push(events("a", 1, 2));
    QueuedBatch first = trial.take(Lane::fast, 1), second = trial.take(Lane::fast, 1);
    trial.queue.push(events("b", 1, 1));
    QueuedBatch other = trial.take(Lane::fast, 1);
    trial.queue.wait_for_turn(other);
    trial.queue.finish(other);
    std::atomic<bool> first_finished{false};
    bool in_order = false;
    std::thread waiting([&] {
        trial.queue.wait_for_turn(second);
        in_order = first_finished;
        trial.queue.finish(second);
    });
    trial.queue.wait_for_turn(first);
    first_finished = true;
    trial.queue.finish(first);
    waiting.join();
    CHECK(in_order);
}

TEST_CASE("several streams of a batch can be handed over", "[queue]") {
    Trial trial;
    for (std::uint64_t s = 0; s < 4; ++s) trial.queue.push(events("s" + std::to_string(s), 10 * s, 3));
    QueuedBatch batch = trial.take(Lane::fast, 12);
    REQUIRE(batch.events.size() == 12);
    REQUIRE(batch.parts.size() == 4);
    for (std::size_t p = 0; p < 3; ++p) batch.parts[p].hand_over = true;
    trial.queue.wait_for_turn(batch);
    trial.queue.finish(batch);
    CHECK(trial.queue.events() == 9);
    Ids ids;
    for (int turn = 0; turn < 6; ++turn) {
        const Ids of_stream = trial.ids(Lane::slow);
        ids.insert(ids.end(), of_stream.begin(), of_stream.end());
    }
    CHECK(ids == Ids{0, 10, 20, 1, 2, 11, 12, 21, 22});
    CHECK(trial.queue.events() == 0);
    CHECK(trial.queue.bytes() == 0);
}

TEST_CASE("many publishers and threads of both lanes lose nothing and keep each stream's order", "[queue]") {
    constexpr std::uint64_t streams = 4, each = 3'000;
    EventQueue queue(1'000'000, 1'000'000);
    std::vector<std::thread> publishers;
    for (std::uint64_t p = 0; p < streams; ++p) {
        publishers.emplace_back([&queue, p] {
            for (std::uint64_t i = 0; i < each; ++i) queue.push(events("stream " + std::to_string(p), i, 1));
        });
    }
    std::mutex mutex;
    std::map<std::string, std::uint64_t> next;
    std::uint64_t out_of_order = 0, received = 0;
    std::vector<std::thread> matchers;
    for (int t = 0; t < 4; ++t) {
        matchers.emplace_back([&, lane = t % 2 == 0 ? Lane::fast : Lane::slow] {
            QueuedBatch batch;
            for (std::uint64_t n = 0; queue.pop(lane, 7, 10us, batch); ++n, batch.clear()) {
                if (batch.events.empty()) continue;
                if (lane == Lane::fast && n % 16 == 0) batch.parts.back().hand_over = true;
                queue.wait_for_turn(batch);
                {
                    const std::lock_guard lock(mutex);
                    for (std::size_t e = 0; e < batch.events.size(); ++e) {
                        if (batch.parts[batch.part_of[e]].hand_over) continue;
                        out_of_order += batch.events[e].id != next[*batch.events[e].stream]++;
                        ++received;
                    }
                }
                queue.finish(batch);
            }
        });
    }
    for (std::thread& thread : publishers) thread.join();
    queue.close();
    for (std::thread& thread : matchers) thread.join();
    CHECK(out_of_order == 0);
    CHECK(received == streams * each);
    CHECK(queue.events() == 0);
    CHECK(queue.bytes() == 0);
}

TEST_CASE("EventQueue: publishers that take their own events → nothing is lost, and each stream is in order",
          "[queue]") {
    constexpr std::uint64_t publishers = 3, streams = 2, each = 3'000;
    EventQueue queue(1'000'000, 1'000'000);
    std::mutex mutex;
    std::map<std::string, std::uint64_t> last;
    std::uint64_t out_of_order = 0, received = 0;
    const auto deliver = [&](QueuedBatch& batch) {
        queue.wait_for_turn(batch);
        {
            const std::lock_guard lock(mutex);
            for (const feed::Event& event : batch.events) {
                out_of_order += event.id <= std::exchange(last[*event.stream], event.id) ? 1u : 0u;
                ++received;
            }
        }
        queue.finish(batch);
        batch.clear();
    };
    std::vector<std::thread> matchers, threads;
    for (int t = 0; t < 2; ++t) {
        matchers.emplace_back([&] {
            QueuedBatch batch;
            while (queue.pop(Lane::fast, 7, 10us, batch))
                if (!batch.events.empty()) deliver(batch);
        });
    }
    std::mutex ids_mutex;  // a log's: the ids of a stream rise in the order of the pushes
    std::uint64_t last_id = 0;
    std::atomic<std::uint64_t> refused{0};
    for (std::uint64_t p = 0; p < publishers; ++p) {
        threads.emplace_back([&, p] {
            QueuedBatch batch;
            for (std::uint64_t i = 0; i < each; ++i) {
                {
                    const std::lock_guard lock(ids_mutex);
                    const std::string stream = "stream " + std::to_string((p + i) % streams);
                    if (!publish(queue, stream, ++last_id, EventQueue::Wake::later)) ++refused;
                }
                if (i % 3 == 0 && queue.pop_or_wake(4, batch)) deliver(batch);
                if (i % 64 == 0) std::this_thread::sleep_for(100us);  // the matchers may sleep, too
            }
            queue.wake();
        });
    }
    for (std::thread& thread : threads) thread.join();
    queue.close();
    for (std::thread& thread : matchers) thread.join();
    CHECK(refused == 0);
    CHECK(out_of_order == 0);
    CHECK(received == publishers * each);
    CHECK(queue.events() == 0);
}

TEST_CASE("EventQueue: log with events of an earlier process → they are decided, and new ones come after them") {
    EventQueue queue(10, 1'000);
    queue.begin_after(41);
    std::atomic<std::uint64_t> first_id{0};
    queue.begin_at_next(first_id);
    CHECK(first_id == 42);
    CHECK(queue.decided_id("s") == 41);
    CHECK(queue.decided_id_of_all() == 41);
}
