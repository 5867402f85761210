// What a store takes of the disk, and that what is no longer needed is given back. Files are small, since store.bytes
// is. The main thread, with the log's own.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/eventually.hpp"
#include "tests/unit/broker/store/rocks_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

using Ids = RocksFixture::Ids;
using std::chrono::hours;

constexpr std::uint64_t mib = 1u << 20;

feed::RecordTime micros(std::chrono::microseconds time) { return time.count(); }

struct Fixture : RocksFixture {
    static constexpr std::uint64_t bytes_max = 64 * mib;

    Fixture() { open_with(bytes_max); }
    void open_with(std::uint64_t bytes) {
        log.reset();
        settings.bytes_max = bytes;
        open();
    }
    DiskUse disk() const { return log->state().disk.value(); }
    // Of the files as they are.
    std::uint64_t bytes_of(const std::vector<std::string>& endings) const {
        std::uint64_t sum = 0;
        for (const auto& file : std::filesystem::directory_iterator(settings.path))
            for (const std::string& ending : endings)
                if (file.path().string().ends_with(ending)) sum += file.file_size();
        return sum;
    }
    Ids all_ids(const std::string& stream) { return ids(stream, 0, 1'000'000, std::size_t{1} << 30); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "space: an hour's stream beside a year's → what the first had is given back") {
    constexpr std::size_t event_bytes = 20'000, rounds = 12, events = 40;
    open_with(16 * mib);
    log->retain("hour", {.age = hours(1)});
    log->retain("year", {.age = hours(365 * 24)});
    Ids year;
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < events; ++i) {
            append("hour", 1, event_bytes);
            if (i % 8 == 0) year.push_back(append("year", 1, event_bytes));
        }
        now += micros(hours(1)) + 1;
        EVENTUALLY(log->extent("hour").events == 0);
        log->collect_space();
        const std::uint64_t retained = year.size() * event_bytes;
        CAPTURE(round, disk().bytes, retained);
        // What has not been flushed is in the write-ahead log, and a file of each level may be half dead.
        CHECK(disk().bytes <= 2 * retained + 4 * mib);
        CHECK(disk().dead_bytes <= retained + mib);
        CHECK(all_ids("year") == year);
    }
    CHECK(log->extent("year").events == year.size());
    EVENTUALLY(bytes_of({".sst", ".log"}) <= 2 * year.size() * event_bytes + 4 * mib);
    restart();
    CHECK(all_ids("year") == year);
}

// A plain reference: what is retained of each stream, whose texts tell their ids apart.
TEST_CASE_METHOD(Fixture, "space: random appends, retentions, deletions and restarts → nothing retained is lost") {
    std::map<std::string, Ids> all;
    std::map<std::string, std::size_t> kept_max{{"a", 30}, {"b", 400}, {"c", 1'000}, {"d", 5}};
    std::mt19937 random(11);
    const auto any = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    const auto retain = [&] {
        for (const auto& [name, events] : kept_max) log->retain(name, {.events = events});
    };
    open_with(48 * mib);
    retain();
    const auto retained = [&](const std::string& name) {
        Ids& ids = all[name];
        const std::size_t most = kept_max.at(name);
        if (ids.size() > most) ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(most));
        return ids;
    };
    for (int step = 0; step < 1'500; ++step) {
        const std::string name(1, static_cast<char>('a' + any(4)));
        const std::size_t what = any(300);
        if (what == 0) {
            log->clear(name);
            all[name].clear();
            log->retain(name, {.events = kept_max.at(name)});
        } else if (what == 1) {
            restart();
            retain();
        } else if (what < 5) {
            log->collect_space();
        } else {
            const std::size_t events = 1 + any(3);
            const std::uint64_t first = append(name, events, any(20'000), any(2) == 0);
            for (std::size_t i = 0; i < events; ++i) all[name].push_back(first + i);
        }
        if (what >= 7) continue;
        for (const auto& each : kept_max) EVENTUALLY(all_ids(each.first) == retained(each.first));
        CHECK(log->state().damage.empty());
    }
    CHECK(disk().bytes < 48 * mib);
}

TEST_CASE_METHOD(Fixture, "space: deleted streams → all that they had is given back, identities too") {
    for (int i = 0; i < 100; ++i)
        for (const char* name : {"a", "b", "c"}) append(name, 1, 50'000);
    restart();
    log->collect_space();
    CHECK(disk().bytes > 10 * mib);
    for (const char* name : {"a", "b", "c"}) log->clear(name);
    log->collect_space();
    CHECK(bytes_of({".sst"}) < mib / 4);
    CHECK(disk().dead_bytes < mib / 4);
}

TEST_CASE_METHOD(Fixture,
                 "space: more than store.bytes → the disk keeps to it, the largest streams give up their oldest") {
    const bool is_compressible = GENERATE(false, true);
    const std::uint64_t bytes = 8 * mib;
    CAPTURE(is_compressible);
    open_with(bytes);
    append("small", 1, 10'000);
    const std::string filler(30'000, ' ');
    std::uint64_t most = 0;
    for (int i = 0; i < 1'000; ++i) {
        Append append = make("large", 1, 10'000);
        if (is_compressible) {
            auto record = *append.record;
            record.text = std::make_shared<const std::string>(*record.text + filler);
            append.record = std::make_shared<const feed::DocumentRecord>(record);
        }
        const AppendResult result = append_all({std::move(append)});
        REQUIRE_FALSE(result.error);
        if (i % 60 == 0) {
            log->collect_space();
            most = std::max(most, disk().bytes);
        }
    }
    log->collect_space();
    CHECK(most <= bytes);
    CHECK(disk().bytes <= bytes);
    CHECK(bytes_of({".sst", ".log"}) <= bytes + bytes / 8);
    CHECK(disk().bytes >= bytes / 2);
    CHECK(disk().bytes_max == bytes);
    CHECK(disk().is_short);
    CHECK(all_ids("small") == Ids{1});
    const Ids large = all_ids("large");
    CHECK(large.back() == log->last_id());
    CHECK(large.size() == large.back() - large.front() + 1);
    CHECK((log->extent("*").bytes > bytes) == is_compressible);  // the bound is on the disk
    CHECK(log->extent("large").dropped_id == large.front() - 1);
}

TEST_CASE_METHOD(Fixture, "space: identities outlive events for their window, and events outlive identities") {
    constexpr std::size_t items = 600;
    std::vector<text::Digest> all;
    for (std::size_t i = 0; i < items; ++i) all.push_back({i, 1});
    const auto known = [&](const std::string& stream) {
        const auto found = log->durable_state()->find_seen(stream, all);
        return static_cast<std::size_t>(
            std::count_if(found.begin(), found.end(), [](const auto& item) { return item.has_value(); }));
    };
    const auto retain = [&] {
        log->retain("short", {.age = hours(1), .identities = hours(48)});
        log->retain("long", {.age = hours(480), .identities = hours(48)});
    };
    retain();
    for (std::size_t i = 0; i < items; ++i) {
        for (const char* name : {"short", "long"}) {
            Append append = make(name, 1, name == std::string("short") ? 18'000 : 9'000);
            append.events[0].identity = std::bit_cast<feed::RecordDigest>(all[i]);
            const AppendResult result = append_all({std::move(append)});
            REQUIRE_FALSE(result.error);
        }
    }
    restart();
    retain();
    now += micros(hours(2));
    EVENTUALLY(log->extent("short").events == 0);
    log->collect_space();
    CHECK(disk().bytes < items * 9'000 * 3 / 2);
    for (int process = 0; process < 2; ++process) {
        CHECK(known("short") == items);
        CHECK(known("long") == items);
        CHECK(all_ids("long").size() == items);
        restart();
        retain();
    }
    now += micros(hours(48));
    log->collect_space();
    log->collect_space();
    CHECK(known("short") == 0);
    CHECK(known("long") == 0);
    CHECK(all_ids("long").size() == items);
}
