// Power fails while space is given back.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "broker/base/log.hpp"
#include "broker/store/rocks/rocks_log.hpp"
#include "config/options.hpp"
#include "tests/support/crash_file_system.hpp"
#include "tests/support/seed.hpp"

using namespace sluice;
using namespace sluice::testing;

namespace {

constexpr std::size_t short_max = 20;  // events of the stream with a short retention

struct Life {
    CrashDisk disk;
    base::MemoryBudget budget{100'000'000};
    std::mt19937_64 random;
    std::unique_ptr<store::RocksLog> log;
    bool syncs = true;
    std::atomic<bool> stops_at_group = false;
    std::vector<std::uint64_t> of_long, of_short;

    explicit Life(std::uint64_t seed) : disk(CrashDisk::Names::with_directory), random(seed) {}

    void open() {
        store::RocksSettings settings;
        settings.path = "/data/log";
        settings.files = start_process(disk);
        settings.bytes_max = 16u << 20;  // so that files are small
        settings.sync = syncs;
        settings.at_point = [this](std::string_view point) {
            if (point == "store.write" && stops_at_group) disk.stop();
        };
        log = std::make_unique<store::RocksLog>(settings, budget, [] { return feed::RecordTime{1'000'000}; });
        log->listen([](const store::Append&) {});
        log->open();
    }
    bool append(const std::string& stream, std::vector<std::uint64_t>& ids) {
        auto record = std::make_shared<feed::DocumentRecord>();
        std::string text(6'000, '\0');
        for (char& c : text) c = static_cast<char>(random() & 0xFF);
        record->text = std::make_shared<const std::string>(std::move(text));
        store::Append append{std::make_shared<const std::string>(stream), record, {}, nullptr};
        append.events.resize(1);
        std::promise<store::AppendResult> ended;
        const auto at_once = log->append(store::AttemptId{}, {append},
                                         [&](const store::AppendResult& result) { ended.set_value(result); });
        const store::AppendResult result = at_once ? *at_once : ended.get_future().get();
        if (!result.error) ids.push_back(result.first_ids.at(0));
        return !result.error;
    }
    std::vector<std::uint64_t> ids(const std::string& stream) {
        std::vector<std::uint64_t> found;
        const store::Slice slice = log->read(stream, 0, 100'000, std::size_t{1} << 30);
        for (const store::KeptEvents& kept : slice.kept)
            for (const feed::EventHead& event : kept.events) found.push_back(event.id);
        return found;
    }
};

}  // namespace

TEST_CASE("RocksLog: power fails while space is given back → all that is retained is there") {
    std::size_t interrupted = 0;
    for (std::uint64_t i = 0; i < 12; ++i) {
        CAPTURE(i);
        Life life(seed(4'000) + i);
        for (std::size_t process = 0; process < 4; ++process) {
            life.open();
            const auto of_long = life.ids("long"), of_short = life.ids("short");
            CHECK(of_long == life.of_long);
            REQUIRE(of_short.size() >= std::min(short_max, life.of_short.size()));
            CHECK(std::equal(of_short.rbegin(), of_short.rend(), life.of_short.rbegin()));
            CHECK(of_short.size() == life.log->extent("short").events);
            CHECK(life.log->state().damage.empty());
            for (std::size_t n = 0; n < 150; ++n) {
                REQUIRE(life.append("short", life.of_short));
                if (n % 3 == 0) REQUIRE(life.append("long", life.of_long));
            }
            life.log->retain("short", {.events = short_max});
            while (life.log->extent("short").events > short_max) REQUIRE_FALSE(life.log->sync());
            life.disk.stop_at(1 + life.random() % 40);
            life.log->collect_space();
            interrupted += life.disk.is_stopped() ? 1u : 0u;
            life.disk.stop();
            life.log.reset();
            life.disk.lose_unsynced(life.random());
        }
    }
    CHECK(interrupted > 10);
}

TEST_CASE("RocksLog: files that are dead as a whole → they are removed without being read") {
    Life life(1);
    life.open();
    for (std::size_t n = 0; n < 1'000; ++n) REQUIRE(life.append("short", life.of_short));
    life.log->collect_space();
    const std::uint64_t before = life.log->state().disk->bytes;
    const Traffic then = life.disk.traffic(FileKind::table);
    life.log->retain("short", {.events = short_max});
    while (life.log->extent("short").events > short_max) REQUIRE_FALSE(life.log->sync());
    life.log->collect_space();
    const Traffic now = life.disk.traffic(FileKind::table);
    const std::uint64_t gained = before - life.log->state().disk->bytes;
    CHECK(gained > before / 2);
    CHECK(now.bytes_read - then.bytes_read < gained / 4);
    CHECK(now.bytes_written - then.bytes_written < gained / 4);
    CHECK(life.ids("short").size() == short_max);
}

TEST_CASE("RocksLog: power fails before it is synced that a stream was cleared → none of it has been given back") {
    constexpr std::size_t lives = 8;
    base::configure_log({.level = config::LogLevel::off});
    std::size_t restored = 0, synced = 0;  // the second: since a second has passed, which is rare
    for (std::uint64_t i = 0; i < lives; ++i) {
        CAPTURE(i);
        Life life(seed(5'000) + i);
        life.open();
        for (std::size_t n = 0; n < 300; ++n) REQUIRE(life.append("long", life.of_long));
        life.log.reset();
        life.syncs = false;
        life.open();
        REQUIRE(life.append("short", life.of_short));  // or the next one would sync new ids
        life.log->define("short", "1");
        REQUIRE_FALSE(life.log->sync());
        const std::uint64_t syncs = life.disk.traffic(FileKind::wal).syncs;
        life.log->clear("long");
        REQUIRE(life.append("short", life.of_short));
        if (life.disk.traffic(FileKind::wal).syncs != syncs) ++synced;
        life.stops_at_group = true;
        life.log->collect_space();
        life.stops_at_group = false;
        life.disk.stop();
        life.log.reset();
        life.disk.lose_unsynced(life.random());
        life.open();
        if (life.log->extent("long").events == 0) continue;  // the clear is not lost
        CHECK(life.ids("long") == life.of_long);
        ++restored;
    }
    CHECK(restored + synced != 0);
}
