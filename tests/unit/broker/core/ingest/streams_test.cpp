#include "broker/core/ingest/streams.hpp"

#include <catch2/catch.hpp>

#include "broker/store/memory_log.hpp"

using namespace sluice;
using namespace sluice::broker;
using namespace std::chrono_literals;

namespace {

struct Fixture {
    base::MemoryBudget memory{1'000'000};
    store::MemoryLog log{{100'000, 100}, memory};
    Streams streams{{3, 100, 1h, {{"configured", {.event_path = "//e", .deduplicate = false}}}}, log, memory};

    void append(const std::string& stream) {
        auto document = std::make_shared<feed::DocumentRecord>();
        document->text = std::make_shared<const std::string>("x");
        store::Append append{std::make_shared<const std::string>(stream), {}, nullptr};
        append.events.emplace_back().document = document;
        log.append(std::move(append), nullptr);
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

TEST_CASE_METHOD(Fixture, "a stream that is erased begins without events and items, but its ids continue") {
    streams.define("s", with_path("//e"), nullptr).value();
    const StreamPtr before = streams.find_or_create("s", nullptr).value();
    append("s");
    CHECK(streams.erase("s"));
    CHECK(before->gone);
    CHECK_FALSE(streams.erase("s"));
    CHECK_FALSE(streams.state("s"));
    streams.find_or_create("s", nullptr).value();
    append("s");
    CHECK(streams.state("s")->last_id == 2);
    CHECK(streams.state("s")->options.event_path.empty());
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
