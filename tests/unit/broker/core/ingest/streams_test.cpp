#include "broker/core/ingest/streams.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "broker/store/memory_log.hpp"
#include "tests/unit/broker/core/ingest/disk_log.hpp"

using namespace sluice;
using namespace sluice::broker;
using namespace std::chrono_literals;

namespace {

struct Fixture {
    base::MemoryBudget memory{1'000'000};
    store::MemoryLog log{100'000, memory};
    StreamCounters counters;
    Streams streams{{3, 100, 1h, {{"configured", {.event_path = "//e", .deduplicate = false}}}}, log, memory, counters};

    void append(const std::string& stream) {
        auto document = std::make_shared<feed::DocumentRecord>();
        document->text = std::make_shared<const std::string>("x");
        log.append(store::AttemptId{},
                   {{std::make_shared<const std::string>(stream), document, std::vector<feed::EventHead>(1), {}}},
                   nullptr);
    }
};

config::StreamOptions with_path(std::string event_path) {
    config::StreamOptions options;
    options.event_path = std::move(event_path);
    return options;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a stream has its configured options, or the defaults, until it is defined") {
    CHECK(streams.options("configured")->event_path == "//e");
    CHECK(streams.options("other")->deduplicate);
    CHECK(streams.options("other")->deduplication_window == 1h);
    CHECK_FALSE(streams.state("configured"));
    streams.find_or_create("configured", nullptr).value();
    CHECK_FALSE(streams.state("configured")->options.deduplicate);
    CHECK_FALSE(streams.state("configured")->defined);

    CHECK(streams.define("configured", {}, nullptr).value());
    CHECK_FALSE(streams.define("configured", with_path("//other"), nullptr).value());
    const auto state = streams.state("configured");
    REQUIRE(state);
    CHECK(state->defined);
    CHECK(state->options.event_path == "//other");
    CHECK(state->options.deduplicate);
    CHECK(state->options.deduplication_window == 1h);
}

TEST_CASE_METHOD(Fixture, "a stream that is erased begins without events and items") {
    streams.define("s", with_path("//e"), nullptr).value();
    const StreamPtr before = streams.find_or_create("s", nullptr).value();
    append("s");
    CHECK(streams.erase("s"));
    CHECK(before->gone);
    CHECK_FALSE(streams.erase("s"));
    CHECK_FALSE(streams.state("s"));
    CHECK(log.read("s", 0, 10, 10'000).kept.empty());
    CHECK(streams.find_or_create("s", nullptr).value()->last_id == 0);
    CHECK(streams.state("s")->last_id == 0);
    CHECK(streams.state("s")->options.event_path.empty());
}

TEST_CASE_METHOD(Fixture, "Streams: too many streams → an undefined one goes with its events") {
    streams.define("kept", {}, nullptr).value();
    append("kept");
    for (const char* name : {"a", "b"}) {
        streams.find_or_create(name, nullptr).value();
        append(name);
    }
    streams.find_or_create("c", nullptr).value();
    CHECK(streams.names() == std::vector<std::string>{"b", "c", "kept"});
    CHECK(log.extent("*").events == 2);
    CHECK(log.extent("a").dropped_id == 2);
    streams.find_or_create("a", nullptr).value();
    CHECK(streams.state("a")->last_id == 0);
    CHECK(streams.state("kept")->retained.events == 1);
}

TEST_CASE("Streams: idle stream → evicted once none of its events are retained") {
    base::MemoryBudget memory{1'000'000};
    feed::RecordTime now = 0;
    store::MemoryLog log{100'000, memory, [&] { return now; }};
    StreamCounters counters;
    Streams streams{{10, 100, 0h, {}, {}, {.age = 1s}}, log, memory, counters};
    auto document = std::make_shared<feed::DocumentRecord>();
    document->text = std::make_shared<const std::string>("x");
    streams.find_or_create("s", nullptr).value();
    log.append(store::AttemptId{},
               {{std::make_shared<const std::string>("s"), document, std::vector<feed::EventHead>(1), {}}}, nullptr);
    streams.find_or_create("t", nullptr).value();
    CHECK(streams.state("s"));
    now += 1'000'001;
    streams.find_or_create("u", nullptr).value();
    CHECK_FALSE(streams.state("s"));
}

TEST_CASE_METHOD(Fixture, "Streams: retention → the stream's own, else that of all, and the log's at once") {
    const Streams limited{{3, 100, 1h, {}, {}, {.age = 5s, .events = 7}}, log, memory, counters};
    CHECK(limited.options("s")->retention.age == 5s);
    CHECK(limited.options("s")->retention.events == 7u);
    CHECK(limited.options("s")->retention.bytes == 0u);
    streams.find_or_create("s", nullptr).value();
    for (int i = 0; i < 4; ++i) append("s");
    config::StreamOptions options;
    options.retention.events = 2;
    streams.define("s", options, nullptr).value();
    CHECK(streams.state("s")->retained.events == 2);
    streams.redefine("s", [](config::StreamOptions& changed) { return changed.retention.events = 0, true; }).value();
    for (int i = 0; i < 4; ++i) append("s");
    CHECK(streams.state("s")->retained.events == 6);
    CHECK(streams.state("s")->retained.first_id == 3);
}

TEST_CASE_METHOD(Fixture, "streams that are defined make room for no other, and half may be defined") {
    for (const char* name : {"a", "b"}) streams.define(name, {}, nullptr).value();
    streams.find_or_create("brief", nullptr).value();
    streams.find_or_create("next", nullptr).value();
    CHECK(streams.names() == std::vector<std::string>{"a", "b", "next"});
    CHECK(streams.define("next", {}, nullptr).error() == PublishRefusal::too_many_defined_streams);
    CHECK_FALSE(streams.define("a", with_path("//e"), nullptr).value());
    CHECK(streams.define("more", {}, [] { return false; }).error() == PublishRefusal::too_many_new_streams);
    CHECK(streams.erase("a"));
    CHECK(streams.define("more", {}, nullptr).value());
    CHECK(streams.erase("next"));
    CHECK(streams.names() == std::vector<std::string>{"b", "more"});
}

TEST_CASE_METHOD(Fixture, "a stream's options are charged, and without memory for new ones the old ones stay") {
    const auto used = [&] { return memory.used(sluice::base::MemoryUse::identities); };
    streams.define("s", with_path("//a"), nullptr).value();
    const std::size_t before = used();
    streams.define("s", with_path("//" + std::string(1'000, 'a')), nullptr).value();
    CHECK(used() > before + 900);
    const auto others = memory.force_charge(sluice::base::MemoryUse::mailboxes, memory.bytes_max());
    CHECK(streams.define("s", with_path("//b"), nullptr).error() == PublishRefusal::no_memory);
    CHECK(streams.state("s")->options.event_path.size() == 1'002);
}

TEST_CASE("Streams: a new stream evicts exactly one, however many there are") {
    constexpr std::size_t many = 1'000;
    base::MemoryBudget memory{100'000'000};
    store::MemoryLog log{100'000, memory};
    StreamCounters counters;
    Streams streams{{many, 100, 1h}, log, memory, counters};
    const auto name = [](std::size_t i) { return "s" + std::to_string(10'000 + i); };
    for (std::size_t i = 0; i < many; ++i) streams.find_or_create(name(i), nullptr).value();
    for (int publications = 0; publications < 2; ++publications)
        streams.find_or_create(name(1), nullptr).value()->note_published(true);
    const StreamHold held(streams, name(2));
    const StreamHold early(streams, name(many));
    streams.define(name(3), {}, nullptr).value();
    streams.find_or_create(name(4), nullptr).value()->under_way.push_back(nullptr);

    for (std::size_t i = many; i < many + 3; ++i) streams.find_or_create(name(i), nullptr).value();
    CHECK(streams.names().size() == many);
    for (const std::size_t gone : {0u, 5u, 6u}) CHECK_FALSE(streams.state(name(gone)));
    for (std::size_t i = many + 3; i < 2 * many; ++i) streams.find_or_create(name(i), nullptr).value();
    CHECK(streams.names().size() == many);
    for (const std::size_t kept : {1u, 2u, 3u, 4u}) CHECK(streams.state(name(kept)));
    CHECK(streams.state(name(many)));
    CHECK_FALSE(streams.state(name(many + 1)));
}

TEST_CASE("Streams: idle streams are evicted when another is created") {
    base::MemoryBudget memory{1'000'000};
    store::MemoryLog log{100'000, memory};
    StreamCounters counters;
    Streams streams{{10, 100, 1us, {{"configured", {}}}}, log, memory, counters};
    for (const char* name : {"configured", "idle"}) streams.find_or_create(name, nullptr).value();
    const auto created = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - created <= 1us) std::this_thread::yield();
    streams.find_or_create("new", nullptr).value();
    CHECK(streams.names() == std::vector<std::string>{"configured", "new"});
}

TEST_CASE_METHOD(Fixture, "Streams: a change of options that another one overtakes is made again on the new options") {
    const auto set_id_path = [&](config::StreamOptions& options) {
        options.id_path = "@id";
        return true;
    };
    CHECK_FALSE(streams.redefine("s", set_id_path).value());
    streams.find_or_create("s", nullptr).value();
    int calls = 0;
    CHECK(streams
              .redefine("s",
                        [&](config::StreamOptions& options) {
                            if (++calls == 1) streams.redefine("s", set_id_path).value();
                            options.event_path = "//e";
                            return true;
                        })
              .value());
    CHECK(calls == 2);
    CHECK(streams.state("s")->options.id_path == "@id");
    CHECK(streams.state("s")->options.event_path == "//e");
    CHECK(streams.state("s")->defined);

    CHECK_FALSE(streams.redefine("s", [](config::StreamOptions&) { return false; }).value());
    const auto erase_first = [&](config::StreamOptions&) { return streams.erase("s"); };
    CHECK_FALSE(streams.redefine("s", erase_first).value());
}

TEST_CASE_METHOD(Fixture, "Streams: no change of options is lost when two threads change one stream") {
    constexpr int rounds = 500;
    streams.define("s", {}, nullptr).value();
    std::atomic<int> failures{0};
    // Each thread appends to an option of its own.
    const auto change = [&](std::string config::StreamOptions::*option) {
        for (int i = 0; i < rounds; ++i) {
            const auto changed = streams.redefine("s", [&](config::StreamOptions& options) {
                options.*option += 'x';
                return true;
            });
            failures += changed && *changed ? 0 : 1;
        }
    };
    std::thread other(change, &config::StreamOptions::id_path);
    change(&config::StreamOptions::event_path);
    other.join();
    CHECK(failures == 0);
    CHECK(streams.state("s")->options.id_path.size() == rounds);
    CHECK(streams.state("s")->options.event_path.size() == rounds);
}

namespace {

struct DiskFixture {
    StreamCounters counters;
    base::MemoryBudget memory{10'000'000};
    store::Disk disk;
    std::optional<store::DiskLog> log;
    std::optional<Streams> streams;
    Streams::Settings settings{4, 100, 1h, {{"configured", {.event_path = "//e"}}}};

    DiskFixture() { restart(); }

    void restart() {
        streams.reset();
        log.emplace(disk);
        log->listen([](const store::Append&) {});
        streams.emplace(settings, *log, memory, counters);
        streams->restore();
    }
    void append(const std::string& stream) {
        auto document = std::make_shared<feed::DocumentRecord>();
        document->text = std::make_shared<const std::string>("x");
        store::DiskLog::Waiting append{store::AttemptId{}, {}, nullptr};
        append.append = {std::make_shared<const std::string>(stream), document, std::vector<feed::EventHead>(1), {}};
        append.append.events.front().identity = {1, 2};
        log->write(append, false);
    }
};

}  // namespace

TEST_CASE_METHOD(DiskFixture, "Streams: restart → streams and definitions are there, and nothing else") {
    auto options = with_path("//a");
    options.retention.events = 5;
    CHECK(streams->define("defined", options, nullptr).value());
    CHECK(streams->redefine("configured", [](config::StreamOptions&) { return false; }).value() == false);
    streams->find_or_create("used", nullptr).value();
    append("used");
    streams->define("gone", {}, nullptr).value();
    streams->erase("gone");
    restart();
    CHECK(streams->names() == std::vector<std::string>{"defined", "used"});
    const auto state = streams->state("defined");
    REQUIRE(state);
    CHECK(state->defined);
    CHECK(state->options.event_path == "//a");
    CHECK(state->options.retention.events == 5u);
    CHECK(streams->state("used")->last_id == 1);
    CHECK_FALSE(streams->state("used")->defined);
    CHECK_FALSE(streams->find_or_create("used", nullptr).value()->remembers_all());
    CHECK(streams->find_or_create("defined", nullptr).value()->remembers_all());
    CHECK(streams->find_or_create("new", nullptr).value()->remembers_all());
    CHECK_FALSE(streams->define("defined", {}, nullptr).value());
}

TEST_CASE_METHOD(DiskFixture, "Streams: restart with other defaults → they apply to options that were never set") {
    streams->define("s", with_path("//a"), nullptr).value();
    const auto change = [](config::StreamOptions& options) {
        options.deduplicate = false;
        return true;
    };
    CHECK(streams->redefine("s", change).value());
    streams->find_or_create("configured", nullptr).value();
    CHECK(streams->redefine("configured", change).value());
    CHECK(streams->state("s")->options.deduplication_window == 1h);
    settings.deduplication_window = 2h;
    settings.deduplication_ignore = {"comments"};
    settings.retention.age = 3h;
    restart();
    const config::StreamOptions options = streams->state("s")->options;
    CHECK(options.event_path == "//a");
    CHECK_FALSE(options.deduplicate);
    CHECK(options.deduplication_window == 2h);
    CHECK(options.deduplication_ignore == std::vector<std::string>{"comments"});
    CHECK(options.retention.age == std::chrono::microseconds(3h));
    CHECK(streams->state("configured")->options.event_path == "//e");
    CHECK_FALSE(streams->state("configured")->options.deduplicate);
}

TEST_CASE_METHOD(DiskFixture, "Streams: definition with every option → the same after a restart") {
    config::StreamOptions options;
    options.event_path = "//a[@b = \"c\"]";
    options.id_path = "@\u00e9";
    options.deduplicate = false;
    options.deduplication_window = 90min;
    options.deduplication_ignore = {"slash:comments", "?utm_*"};
    options.repair = config::RepairOption::strict;
    options.retention = {.age = 36h, .events = 0, .bytes = 3u << 20};
    options.context = config::ContextOption::document;
    streams->define("s", options, nullptr).value();
    restart();
    const config::StreamOptions read = streams->state("s")->options;
    CHECK(read.event_path == options.event_path);
    CHECK(read.id_path == options.id_path);
    CHECK(read.deduplicate == options.deduplicate);
    CHECK(read.deduplication_window == options.deduplication_window);
    CHECK(read.deduplication_ignore == options.deduplication_ignore);
    CHECK(read.repair == options.repair);
    CHECK(read.retention.age == options.retention.age);
    CHECK(read.retention.events == options.retention.events);
    CHECK(read.retention.bytes == options.retention.bytes);
    CHECK(read.context == options.context);
}

TEST_CASE_METHOD(DiskFixture, "Streams: stored definition that can't be read → the stream has the default options") {
    disk.streams["s"].definition = R"({"event_path": "//["})";
    disk.streams["t"].definition = R"({"id_path": "@id"})";
    restart();
    CHECK_FALSE(streams->state("s")->defined);
    CHECK(streams->state("s")->options.event_path.empty());
    CHECK(streams->state("t")->options.id_path == "@id");
}

TEST_CASE_METHOD(DiskFixture, "Streams: restart with fewer streams → those used longest ago go, defined ones stay") {
    for (const char* name : {"d1", "d2", "d3"}) disk.streams[name].definition = "{}";
    for (const char* name : {"c", "a", "b"}) append(name);
    restart();
    CHECK(streams->names() == std::vector<std::string>{"b", "d1", "d2", "d3"});
    CHECK(disk.streams.size() == 4);
    CHECK(streams->define("d4", {}, nullptr).error() == PublishRefusal::too_many_defined_streams);
    settings.streams_max = 2;
    restart();
    CHECK(streams->names() == std::vector<std::string>{"d1", "d2", "d3"});
    CHECK(streams->find_or_create("new", nullptr).error() == PublishRefusal::too_many_streams);
}

TEST_CASE_METHOD(DiskFixture, "Streams: restored stream → outlives a flood of streams that are used once") {
    append("old");
    restart();
    for (int i = 0; i < 20; ++i) {
        const StreamPtr stream = streams->find_or_create("flood" + std::to_string(i), nullptr).value();
        stream->note_published(true);
    }
    CHECK(streams->state("old"));
}
