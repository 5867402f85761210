#include "broker/core/replay/replay.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "broker/auth/scope.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/core/matching/dispatch.hpp"
#include "broker/core/matching/matcher.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/store/memory_log.hpp"
#include "broker/store/selected_extent.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "protocol/feed/record/record_item.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/core/delivery/plain_framer.hpp"
#include "tests/unit/broker/core/replay/damaged_log.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;
using namespace std::chrono_literals;

namespace {

// A log, a matcher and replays, as the daemon has them.
struct Pipeline {
    explicit Pipeline(std::size_t log_bytes = 64u << 20, std::size_t threads = 1, bool replays = true)
        : log(log_bytes, memory), matcher({threads, 7, 0us}, queue, fanout, counters) {
        log.listen(Dispatch(queue, fanout, counters, {}));
        matcher.set_program(engine::make_subscription_set(engine::Backend::naive)->compile());
        registry.emplace(SubscriptionRegistry::Settings{.engine = engine::EngineOptions(engine::Backend::cpu),
                                                        .apply_delay = 0us,
                                                        .subscriptions_max = 1'000,
                                                        .operators_max = 1'000,
                                                        .begin = [this](auto& id) { queue.begin_at_next(id); }},
                         fanout, [this](auto program) { matcher.set_program(std::move(program)); });
        matcher.start();
        if (replays) replay.start();
    }
    ~Pipeline() {
        queue.close();
        matcher.wait_until_done(std::chrono::steady_clock::now() + 60s);
    }

    // Appends a document's items, or some of them, as items alone if `alone`.
    void publish(const std::string& stream, const feed::DocumentPtr& document, bool alone = false,
                 std::vector<std::size_t> items = {}) {
        if (items.empty())
            for (std::size_t i = 0; i < document->items().size(); ++i) items.push_back(i);
        store::Appends appends;
        store::Append& append = appends.emplace_back();
        append.stream = std::make_shared<const std::string>(stream);
        append.record = std::make_shared<feed::DocumentRecord>(feed::record_document(*document, {}));
        append.document = document;
        for (const std::size_t i : items) {
            append.events.emplace_back();
            append.events.back().item = feed::source_range(*document, i);
        }
        if (alone) append.items = feed::record_items(*document, *append.record, items, 1u << 20).value();
        REQUIRE_FALSE(log.append(store::random_attempt_id(), std::move(appends), nullptr)->error);
    }

    base::MemoryBudget memory{1u << 30};
    Counters counters;
    Mailboxes mailboxes;
    EventMemory event_memory{memory, mailboxes, counters};
    EventQueue queue{1'000'000, 1'000'000'000};
    Fanout fanout{counters, config::UndecidedPolicy::gap, &event_memory};
    store::MemoryLog log;
    store::DamagedLog damaged{log};
    Matcher matcher;
    std::optional<SubscriptionRegistry> registry;
    Replay replay{{}, {damaged, queue, event_memory, memory, counters}};
};

// A session: what it takes, delivery by delivery, "ID" or "gap FIRST-LAST" or "reset".
class Session {
public:
    Session(Pipeline& in, const std::string& stream, std::vector<std::string> filters,
            std::optional<std::uint64_t> from, MailboxLimits limits = {8, 10'000, true})
        : Session(in, text::StreamSelection({&stream, 1}), std::move(filters), from, limits) {}
    Session(Pipeline& in, text::StreamSelection streams, std::vector<std::string> filters,
            std::optional<std::uint64_t> from, MailboxLimits limits = {8, 10'000, true})
        : Session(in, auth::Scope(std::move(streams)), std::move(filters), from, limits) {}
    Session(Pipeline& in, auth::Scope scope, std::vector<std::string> filters, std::optional<std::uint64_t> from,
            MailboxLimits limits = {8, 10'000, true})
        : in_(in),
          subscriber_(std::make_shared<Subscriber>(
              limits, [this] { wake(); }, plain_framer, filters.size() > 1)) {
        subscriber_->select(std::move(scope));
        std::vector<Subscription> subscriptions;
        for (const std::string& text : filters) {
            auto filter = filter::compile_filter(text).value();
            subscriptions.push_back(make_subscription(subscriber_->scope, filter.canonical, filter.disjunction));
            subscriber_->is_costly |= !subscriptions.back().scanned.empty();
        }
        if (filters.empty())
            subscriptions.push_back(make_subscription(subscriber_->scope, "", {{}, {engine::Conjunction{}}}));
        subscriber_->filters = std::move(filters);
        if (from) subscriber_->mailbox.begin_replay(*from);
        std::atomic<bool> added{false};
        in_.registry->add(subscriber_, std::move(subscriptions), [&] { added = true; });
        while (!added) std::this_thread::yield();
    }
    ~Session() {
        in_.registry->remove(subscriber_);
        in_.replay.leave(*subscriber_);
    }

    // Takes deliveries, a few at a time, until one is of this id or a later one.
    std::vector<std::string> take_until(std::uint64_t id, std::size_t at_once = 3,
                                        std::atomic<std::uint64_t>* progress = nullptr) {
        std::vector<std::string> texts;
        for (std::uint64_t last = 0; last < id;) {
            const auto taken = subscriber_->mailbox.take(at_once);
            if (taken.replaying) in_.replay.request(subscriber_);
            for (const Delivery& delivery : taken.deliveries) {
                texts.push_back(text_of(delivery));
                if (delivery.kind != Delivery::Kind::reset) last = std::max(last, delivery.event->id);
                positions.push_back(delivery.position());
            }
            subscriber_->mailbox.settled(taken.deliveries);
            if (progress != nullptr) *progress = last;
            if (!taken.deliveries.empty()) continue;
            REQUIRE(taken.state == Mailbox::State::open);
            std::unique_lock lock(mutex_);
            REQUIRE(woken_.wait_for(lock, 60s, [this] { return std::exchange(is_woken_, false); }));
        }
        return texts;
    }

    Subscriber& subscriber() { return *subscriber_; }
    const std::shared_ptr<Subscriber>& ptr() { return subscriber_; }

    std::vector<std::uint64_t> positions;

private:
    static std::string text_of(const Delivery& delivery) {
        const std::string id = std::to_string(delivery.event->id);
        switch (delivery.kind) {
            case Delivery::Kind::event:
                return id;
            case Delivery::Kind::gap:
                return "gap " + std::to_string(delivery.first_id) + "-" + id;
            default:
                return delivery.is_damage ? "damage" : "reset";
        }
    }
    void wake() {
        const std::lock_guard lock(mutex_);
        is_woken_ = true;
        woken_.notify_one();
    }

    Pipeline& in_;
    std::mutex mutex_;
    std::condition_variable woken_;
    bool is_woken_ = false;
    std::shared_ptr<Subscriber> subscriber_;
};

std::vector<std::string> numbers(std::uint64_t first, std::uint64_t last, std::uint64_t step = 1) {
    std::vector<std::string> texts;
    for (; first <= last; first += step) texts.push_back(std::to_string(first));
    return texts;
}

using Texts = std::vector<std::string>;

text::StreamSelection selection(const Texts& patterns) { return text::StreamSelection(patterns); }

// All that a user may see whose rights have these patterns.
auth::Scope permitted(const Texts& patterns) {
    auth::Rights rights;
    rights.subscribe.push_back({selection(patterns)});
    return auth::Scope(text::StreamSelection(), rights);
}

const feed::DocumentPtr one = document({item("odd")}), two = document({item("odd"), item("even")});

}  // namespace

TEST_CASE("a replay gives the events of its stream from an id on, in order, then live ones") {
    Pipeline in;
    for (int i = 0; i < 500; ++i) in.publish("s", two);
    in.publish("other", two);
    const std::uint64_t from = GENERATE(1u, 2u, 257u, 1'000u, 1'003u);
    Session session(in, "s", {}, from), filtered(in, "s", {"title = 'even'"}, from);
    in.publish("s", two);  // 1003 and 1004
    std::vector<std::string> expected = numbers(from, 1'000);
    for (const char* id : {"1003", "1004"}) expected.emplace_back(id);
    CHECK(session.take_until(1'004) == expected);
    std::erase_if(expected, [](const std::string& id) { return (id.back() - '0') % 2 != 0; });
    CHECK(filtered.take_until(1'004) == expected);
    in.publish("s", two);
    CHECK(session.take_until(1'006) == numbers(1'005, 1'006));
    CHECK(filtered.take_until(1'006) == numbers(1'006, 1'006));
}

TEST_CASE("slow subscribers read on from the log, with none missing and none twice, while others publish") {
    Pipeline in(64u << 20, GENERATE(1u, 3u));
    constexpr std::uint64_t n = 6'000;
    std::array<std::atomic<std::uint64_t>, 6> taken{};
    std::thread publisher([&] {
        for (std::uint64_t i = 1; i <= n / 2; ++i) {
            in.publish("s", two);
            // Now and then everybody catches up, and is slow again after that.
            while (i % 500 == 0 &&
                   std::any_of(taken.begin(), taken.end(), [i](const auto& id) { return id + 1 < 2 * i; }))
                std::this_thread::yield();
        }
    });
    std::vector<std::thread> readers;
    std::vector<std::vector<std::string>> received(6);
    for (std::size_t r = 0; r < received.size(); ++r) {
        readers.emplace_back([&, r] {
            const bool is_scanned = r == 2;
            Session session(in, "s", {is_scanned ? "count(*) > 1 and contains(title, substring('o', 1))" : "title"},
                            1 + r, {1 + 7 * r, 10'000, true});
            received[r] = session.take_until(is_scanned ? n - 1 : n, 1 + r, &taken[r]);
        });
    }
    publisher.join();
    for (std::thread& reader : readers) reader.join();
    for (std::size_t r = 0; r < received.size(); ++r) {
        INFO("reader " << r);
        if (r == 2)
            CHECK(received[r] == numbers(3, n, 2));
        else
            CHECK(received[r] == numbers(1 + r, n));
    }
    CHECK(in.counters.events_lost == 0);
}

TEST_CASE("a replay of all streams misses nothing, and its positions never claim too much") {
    Pipeline in(64u << 20, GENERATE(1u, 3u));
    constexpr std::uint64_t n = 4'000;
    const std::vector<std::string> streams{"a", "b", "c"};
    std::vector<std::thread> publishers;
    for (const std::string& stream : streams)
        publishers.emplace_back([&] {
            for (std::uint64_t i = 0; i < n / 2 / streams.size() + 1; ++i) in.publish(stream, two);
        });
    Session session(in, "*", {}, 1, {16, 10'000, true});
    for (std::thread& publisher : publishers) publisher.join();
    const std::uint64_t last = in.log.last_id();
    std::set<std::string> received;
    std::set<std::uint64_t> ids;
    std::size_t told = 0;
    while (ids.size() < last) {
        for (const std::string& text : session.take_until(1)) {
            ids.insert(std::stoull(text));
            // Everything up to the position has been received.
            const std::uint64_t position = session.positions[told++];
            const auto after = ids.upper_bound(position);
            REQUIRE(static_cast<std::uint64_t>(std::distance(ids.begin(), after)) == position);
        }
    }
    CHECK(*ids.rbegin() == last);
}

TEST_CASE("a replay of several streams gives those events, and tells of gaps in no others") {
    Pipeline in;
    const std::vector<std::string> patterns{"weather", "news.*"};
    const text::StreamSelection streams(patterns);
    for (const char* stream : {"weather", "news.en", "other", "news", "news.de"}) in.publish(stream, two);
    Session all(in, streams, {}, 1), filtered(in, streams, {"title = 'even' or title = 'neither'"}, 1);
    CHECK(all.take_until(10) == std::vector<std::string>{"1", "2", "3", "4", "9", "10"});
    CHECK(filtered.take_until(10) == std::vector<std::string>{"2", "4", "10"});
    for (const char* stream : {"other", "news.fr", "weather"}) in.publish(stream, two, true, {1});  // 11, 12, 13
    CHECK(all.take_until(13) == std::vector<std::string>{"12", "13"});
    CHECK(filtered.take_until(13) == std::vector<std::string>{"12", "13"});
    CHECK(Session(in, streams, {"preceding-sibling::item"}, 5).take_until(13) ==
          std::vector<std::string>{"10", "gap 12-12", "gap 13-13"});
    in.damaged.set({.first_damaged = 5, .last_damaged = 6});
    // It is not known whose those were.
    CHECK(Session(in, streams, {}, 4).take_until(13) == std::vector<std::string>{"damage", "4", "9", "10", "12", "13"});
}

TEST_CASE("what the log has dropped is told, before what it has") {
    Pipeline in;
    in.log.retain("s", {.events = 10});
    for (int i = 0; i < 50; ++i) in.publish("s", two);
    std::vector<std::string> expected = numbers(91, 100);
    CHECK(Session(in, "s", {}, 91).take_until(100) == expected);
    CHECK(Session(in, "s", {}, 95).take_until(100) == numbers(95, 100));
    expected.insert(expected.begin(), "reset");
    CHECK(Session(in, "s", {}, 90).take_until(100) == expected);
    Session slow(in, "s", {}, std::nullopt);
    for (int i = 0; i < 50; ++i) in.publish("s", two);
    EVENTUALLY(slow.subscriber().mailbox.is_replaying());
    expected = numbers(191, 200);
    expected.insert(expected.begin(), "reset");
    CHECK(slow.take_until(200) == expected);
}

TEST_CASE("Replay: several streams, told of no drops → a reset comes first, if something is missing") {
    Pipeline in;
    in.log.retain("news.en", {.events = 2});
    for (int i = 0; i < 3; ++i) in.publish("news.en", two);  // 5 and 6 are kept
    in.publish("weather", two);
    const Texts patterns{"weather", "news.*"};
    const auth::Scope scope = GENERATE(true, false) ? permitted(patterns) : auth::Scope(selection(patterns));
    const std::uint64_t told = GENERATE(std::uint64_t{0}, ~std::uint64_t{0});  // as an event stream begins, or a feed
    Session behind(in, scope, {}, 1), ahead(in, scope, {}, 5);
    behind.subscriber().told_drops = ahead.subscriber().told_drops = told;
    CHECK(behind.take_until(8) == Texts{"reset", "5", "6", "7", "8"});
    CHECK(ahead.take_until(8) == Texts{"5", "6", "7", "8"});
}

TEST_CASE("Replay: a stream of a prefix is deleted, or a named one → a reset tells those who had not read it") {
    Pipeline in;
    for (const char* stream : {"news.en", "news.de", "weather"}) in.publish(stream, two);
    const Texts patterns = GENERATE(Texts{"news.*"}, Texts{"news.en", "news.de"});
    Session before(in, permitted(patterns), {}, 1), all(in, selection(patterns), {}, 1),
        after(in, permitted(patterns), {}, 3);
    in.log.clear("news.en");
    CHECK(before.take_until(4) == Texts{"reset", "3", "4"});
    CHECK(all.take_until(4) == Texts{"reset", "3", "4"});
    CHECK(after.take_until(4) == Texts{"3", "4"});
    in.publish("news.de", two);
    CHECK(before.take_until(8) == Texts{"7", "8"});
}

TEST_CASE("Replay: drops of streams that a user may not see → no reset") {
    Pipeline in;
    in.log.retain("secret", {.events = 1});
    in.publish("news.en", two);
    for (int i = 0; i < 2; ++i) in.publish("secret", two);
    in.publish("news.en", two);  // 7 and 8
    const Texts patterns = GENERATE(Texts{"news.*"}, Texts{"news.en", "news.de"});
    Session restricted(in, permitted(patterns), {}, 1), free(in, selection(patterns), {}, 1);
    CHECK(restricted.take_until(8) == Texts{"1", "2", "7", "8"});
    CHECK(free.take_until(8) == Texts{"reset", "1", "2", "7", "8"});
}

TEST_CASE("Replay: begun with what there is → no reset for older drops, whatever is dropped elsewhere meanwhile") {
    Pipeline in;
    in.log.retain("secret", {.events = 1});
    in.log.retain("news.en", {.events = 2});
    in.publish("news.de", two);
    for (int i = 0; i < 2; ++i) in.publish("news.en", two);  // 5 and 6 are kept
    const Texts patterns{"news.*"};
    const store::KnownDrops known = store::drops_of(store::selected_extents(in.log, selection(patterns)));
    const auto knows = [&known](Session& session) {
        session.subscriber().told_drops = known.drops;
        session.subscriber().told_dropped = known.ids;
        session.subscriber().told_forgotten = known.forgotten;
    };
    Session first(in, permitted(patterns), {}, 1), second(in, permitted(patterns), {}, 1);
    knows(first);
    knows(second);
    in.publish("secret", two);  // 7 and 8; one is dropped
    CHECK(first.take_until(6) == Texts{"1", "2", "5", "6"});
    in.log.purge("news.en", 6);
    CHECK(second.take_until(6) == Texts{"reset", "1", "2", "6"});
}

TEST_CASE("Replay: dropped while a reader that knows of all drops is made → a reset") {
    Pipeline in;
    in.log.retain("news.en", {.events = 2});
    in.publish("news.de", two);
    for (int i = 0; i < 2; ++i) in.publish("news.en", two);  // 5 and 6 are kept
    const std::uint64_t drops = in.log.extent(store::all_streams).drops;
    Session knows(in, permitted({"news.*"}), {}, 1);
    knows.subscriber().told_drops = drops;
    CHECK(knows.take_until(6) == Texts{"1", "2", "5", "6"});
    Session misses(in, permitted({"news.*"}), {}, 1);
    misses.subscriber().told_drops = drops;
    in.damaged.set({.after_extents = [&in] { in.log.purge("news.en", 6); }});
    CHECK(misses.take_until(6) == Texts{"reset", "1", "2", "6"});
}

TEST_CASE("Replay: memory is short → a reset that is thrown away comes again, and one that was taken does not") {
    Pipeline in;
    const feed::DocumentPtr large = document({item(std::string(2'000, 'x'))});
    for (int i = 0; i < 400; ++i) in.publish("weather", large);  // more than a step reads
    in.log.retain("news.en", {.events = 2});
    for (int i = 0; i < 3; ++i) in.publish("news.en", two);  // 405 and 406 are kept
    const Texts patterns{"weather", "news.*"};
    const auth::Scope scope = GENERATE(true, false) ? permitted(patterns) : auth::Scope(selection(patterns));
    const bool is_taken = GENERATE(true, false);
    Session session(in, scope, {}, 1);
    Mailbox& mailbox = session.subscriber().mailbox;
    in.replay.request(session.ptr());
    EVENTUALLY(!mailbox.wants_replayed());
    if (is_taken) {
        const auto taken = mailbox.take(2);
        REQUIRE(taken.deliveries.size() == 2);
        CHECK(taken.deliveries.front().kind == Delivery::Kind::reset);
        mailbox.settled(taken.deliveries);
    }
    mailbox.overflow();
    Texts expected = numbers(is_taken ? 2 : 1, 400);
    for (const char* kept : {"405", "406"}) expected.emplace_back(kept);
    if (!is_taken) expected.insert(expected.begin(), "reset");
    CHECK(session.take_until(406) == expected);
}

TEST_CASE("Replay: damage of several streams side by side → told to those who may see one of them") {
    Pipeline in;
    for (const char* stream : {"news.en", "secret", "news.en"}) in.publish(stream, two);
    const store::Damage visible{1, 2, {"news.en"}, "by the test"}, hidden{3, 4, {"secret"}, "by the test"},
        unknown{3, 4, {}, "by the test"};
    const auth::Scope scope = permitted({"news.*"});
    const auto read_from = [&](std::uint64_t from) { return Session(in, scope, {}, from).take_until(6); };
    const auto list = [&in](std::vector<store::Damage> listed) {
        in.damaged.set({.first_damaged = 1, .last_damaged = 4, .listed = std::move(listed)});
    };
    list({visible, hidden});
    CHECK(read_from(1) == Texts{"damage", "5", "6"});
    CHECK(read_from(3) == Texts{"5", "6"});
    list({visible, unknown});
    CHECK(read_from(3) == Texts{"damage", "5", "6"});
    list({visible});  // and the other one is not
    CHECK(read_from(3) == Texts{"damage", "5", "6"});
    list(std::vector<store::Damage>(store::LogState::damage_max, hidden));
    CHECK(read_from(3) == Texts{"damage", "5", "6"});
}

TEST_CASE("Replay: events that can't be read → are told once, to those who wanted them, and all others come") {
    Pipeline in;
    for (int i = 0; i < 20; ++i) in.publish("s", two);
    in.damaged.set({.first_damaged = 11, .last_damaged = 14});
    std::vector<std::string> expected = numbers(1, 10);
    const std::vector<std::string> later = numbers(15, 40);
    expected.insert(expected.end(), later.begin(), later.end());
    Session all(in, "s", {}, 1);
    std::vector<std::string> got = all.take_until(40);
    CHECK(std::erase(got, "damage") == 1);
    CHECK(got == expected);
    CHECK(Session(in, "s", {}, 15).take_until(40) == later);
    expected = later;
    expected.insert(expected.begin(), "damage");
    CHECK(Session(in, "*", {}, 14).take_until(40) == expected);
    CHECK(Session(in, "s", {}, 11).take_until(40) == expected);
}

TEST_CASE("a filter that looks at siblings gets a gap where they were not kept") {
    Pipeline in;
    in.publish("s", two, false);       // 1 and 2
    in.publish("s", two, true, {0});   // 3
    in.publish("s", two, true, {1});   // 4
    in.publish("s", two, false, {1});  // 5
    const std::string beside = "following-sibling::item or preceding-sibling::item";
    CHECK(Session(in, "s", {beside}, 1).take_until(5) == std::vector<std::string>{"1", "2", "gap 3-4", "5"});
    // The other filter decides, so the event is delivered, and the gap of the first stands beside it.
    CHECK(Session(in, "s", {beside, "title = 'even'"}, 1).take_until(5) ==
          std::vector<std::string>{"1", "2", "gap 3-3", "4", "gap 4-4", "5"});
}

TEST_CASE("what can't be read from the log is a gap in its place") {
    Pipeline in;
    in.publish("s", one);
    store::Appends appends;
    store::Append& append = appends.emplace_back();
    append.stream = std::make_shared<const std::string>("s");
    auto record = std::make_shared<feed::DocumentRecord>(feed::record_document(*one, {}));
    append.document = one;
    append.events.resize(1);
    append.events.front().item = {3, 4};  // where no item is
    append.record = record;
    in.log.append(store::random_attempt_id(), std::move(appends), nullptr);
    in.publish("s", one);
    CHECK(Session(in, "s", {"title = 'odd'"}, 1).take_until(3) == std::vector<std::string>{"1", "gap 2-2", "3"});
}

TEST_CASE("readers with equal filters come and go, and the others keep theirs") {
    Pipeline in;
    for (int i = 0; i < 50; ++i) in.publish("s", two);
    const std::vector<std::string> equal{"title = 'even'", "title = 'odd'", "title = 'even'"};
    for (int round = 0; round < 20; ++round) {
        Session first(in, "s", equal, 1), second(in, "s", {"title = 'even'"}, 1);
        CHECK(first.take_until(100) == numbers(1, 100));
        {
            Session leaves(in, "s", equal, 1);
            in.replay.request(leaves.ptr());
        }
        CHECK(second.take_until(100) == numbers(2, 100, 2));
    }
}

TEST_CASE("many replays at once read together") {
    Pipeline in(64u << 20, 1, false);
    for (int i = 0; i < 500; ++i) in.publish("s", two);
    std::vector<std::unique_ptr<Session>> sessions;
    for (int i = 0; i < 50; ++i) {
        sessions.push_back(std::make_unique<Session>(in, "s", std::vector<std::string>{"title = 'even'"}, 1));
        in.replay.request(sessions.back()->ptr());
    }
    in.replay.start();
    for (const auto& session : sessions) EVENTUALLY(session->subscriber().mailbox.events() == 500);
    CHECK(in.counters.events_replayed == 1'000);  // once for all
    for (const auto& session : sessions) CHECK(session->take_until(1'000) == numbers(2, 1'000, 2));
}
