// What becomes of a store whose files are damaged: nothing wrong is read, what can't be read is named, and the rest is
// served.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "broker/store/offline/repair.hpp"
#include "broker/store/offline/verify.hpp"
#include "broker/store/rocks/rocks_log.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t appends = 400;

std::string text_of(std::uint64_t id, std::size_t bytes = 4'000) {
    std::string text;  // that no compression makes small
    for (std::uint64_t seed = id; text.size() < bytes;) {
        seed = seed * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
        text.append(reinterpret_cast<const char*>(&seed), sizeof seed);
    }
    return text;
}

struct Fixture {
    testing::TemporaryFolder folder;
    base::MemoryBudget budget{100'000'000};
    RocksSettings settings;
    std::unique_ptr<RocksLog> log;

    Fixture() {
        settings.path = folder.path() / "store";
        settings.replies_window = std::chrono::hours(1);
        settings.bytes_max = 1u << 30;
    }
    void open() {
        log.reset();
        log = std::make_unique<RocksLog>(settings, budget);
        log->listen([](const Append&) {});
        log->open();
    }
    // The text tells the event's id.
    std::uint64_t append(const std::string& stream) {
        feed::DocumentRecord record;
        record.text = std::make_shared<const std::string>(text_of(log->last_id() + 1));
        Append append{std::make_shared<const std::string>(stream), nullptr, {}, nullptr};
        append.record = std::make_shared<const feed::DocumentRecord>(record);
        append.events.resize(1);
        append.events[0].identity.fill(static_cast<std::uint8_t>(1 + log->last_id() % 200));
        std::promise<AppendResult> ended;
        const auto at_once = log->append(AttemptId{}, {append}, [&](const AppendResult& r) { ended.set_value(r); });
        const AppendResult result = at_once ? *at_once : ended.get_future().get();
        REQUIRE_FALSE(result.error);
        return result.first_ids.at(0);
    }
    // Appends to two streams in turn, and leaves all of it in tables.
    void fill() {
        settings.sync = false;
        open();
        for (std::size_t i = 0; i < appends; ++i) append(i % 2 == 0 ? "even" : "odd");
        open();  // which flushes
        log.reset();
        settings.sync = true;
    }
    std::vector<fs::path> files(const std::string& ending) const {
        std::vector<fs::path> found;
        for (const auto& file : fs::directory_iterator(settings.path))
            if (file.path().string().ends_with(ending)) found.push_back(file.path());
        std::sort(found.begin(), found.end());
        return found;
    }
    fs::path largest(const std::string& ending) const {
        const auto all = files(ending);
        return *std::max_element(all.begin(), all.end(),
                                 [](const auto& a, const auto& b) { return fs::file_size(a) < fs::file_size(b); });
    }
    static void damage(const fs::path& file, std::size_t offset, std::size_t bytes = 1) {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        std::string was(bytes, '\0');
        stream.seekg(static_cast<std::streamoff>(offset));
        stream.read(was.data(), static_cast<std::streamsize>(bytes));
        for (char& c : was) c = static_cast<char>(c ^ 0x40);
        stream.seekp(static_cast<std::streamoff>(offset));
        stream.write(was.data(), static_cast<std::streamsize>(bytes));
        REQUIRE(stream.good());
    }
    struct All {
        std::vector<std::uint64_t> ids;
        std::uint64_t damaged = 0;  // how many ids
    };
    All read_all(const std::string& stream) {
        All all;
        std::uint64_t from = 1;
        for (;;) {
            const Slice slice = log->read(stream, from, 100, 100'000);
            for (const KeptEvents& kept : slice.kept) {
                for (const feed::EventHead& event : kept.events) {
                    all.ids.push_back(event.id);
                    CHECK(*kept.of->record->text == text_of(event.id));
                    CHECK(*kept.of->stream == (event.id % 2 == 1 ? "even" : "odd"));
                }
            }
            if (slice.damaged_id != 0) {
                CHECK(slice.kept.empty());
                CHECK(slice.damaged_id < slice.next_id);
                all.damaged += slice.damaged_id - from + 1;
            }
            from = slice.next_id;
            if (slice.at_end) return all;
        }
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a table with a damaged block → its events are named, all others are read, and repaired") {
    fill();
    const fs::path table = largest(".sst");
    damage(table, fs::file_size(table) / 2);
    open();
    const All all = read_all("*"), even = read_all("even"), odd = read_all("odd");
    CHECK(all.damaged > 0);
    CHECK(all.damaged < 20);
    CHECK(all.ids.size() + all.damaged == appends);
    CHECK(even.ids.size() + odd.ids.size() == all.ids.size());
    const LogState state = log->state();
    REQUIRE_FALSE(state.damage.empty());
    CHECK(state.damage[0].first_id > 100);
    CHECK(state.damage.back().last_id < 300);
    const std::uint64_t added = append("even");
    CHECK(added == log->last_id());
    const std::string epoch = log->epoch();
    const std::uint64_t last_id = log->last_id();
    log.reset();

    const Repaired repaired = repair_store(settings.path);
    CHECK(repaired.events == all.ids.size() + 1);
    REQUIRE_FALSE(repaired.lost.empty());
    CHECK(repaired.missing == 0);
    CHECK(fs::exists(repaired.damaged_path));
    open();
    log->collect_space();
    CHECK(log->state().damage.empty());
    CHECK(log->epoch() == epoch);
    CHECK(log->last_id() >= last_id);
    const All now = read_all("odd");
    CHECK(now.damaged == 0);
    CHECK(now.ids == odd.ids);
    CHECK(log->extent("odd").dropped_id >= state.damage[0].first_id);
    CHECK_FALSE(log->durable_state()->has_seen_none("odd"));
}

TEST_CASE_METHOD(Fixture, "a table that is missing → what it had is named, all else is served, and can be repaired") {
    fill();
    settings.sync = false;
    open();
    for (std::size_t i = 0; i < 100; ++i) append(i % 2 == 0 ? "even" : "odd");
    open();
    for (std::size_t i = 0; i < 20; ++i) append(i % 2 == 0 ? "even" : "odd");
    log.reset();
    fs::remove(largest(".sst"));
    open();
    const All all = read_all("*");
    CHECK(all.ids.size() < appends + 120);
    CHECK(all.ids.size() >= 20);
    CHECK_FALSE(log->state().damage.empty());
    CHECK(append("even") != 0);
    log.reset();
    const Repaired repaired = repair_store(settings.path);
    CHECK(repaired.events == all.ids.size() + 1);
    open();
    log->collect_space();
    CHECK(read_all("*").ids.size() == repaired.events);
    CHECK(log->state().damage.empty());
}

TEST_CASE_METHOD(Fixture, "a table whose last block is damaged → repair names only ids that the streams retained") {
    fill();
    const fs::path table = largest(".sst");
    damage(table, fs::file_size(table) - 2'600);  // ahead of the table's index
    const Repaired repaired = repair_store(settings.path);
    REQUIRE_FALSE(repaired.lost.empty());
    for (const Damage& lost : repaired.lost) {
        CHECK(lost.first_id >= 1);
        CHECK(lost.first_id <= lost.last_id);
        CHECK(lost.last_id <= appends);
    }
}

TEST_CASE_METHOD(Fixture, "any table that is missing → each event is read or named, and repair counts what is lost") {
    constexpr std::size_t starts = 9, of_start = 20;
    settings.sync = false;
    for (std::size_t start = 0; start < starts; ++start) {
        open();
        for (std::size_t i = 0; i < of_start; ++i) append(i % 2 == 0 ? "even" : "odd");
    }
    open();
    log.reset();
    const std::string whole = settings.path;
    std::size_t damaged = 0;
    for (const fs::path& table : files(".sst")) {
        INFO(table);
        settings.path = folder.path() / "copy";
        fs::remove_all(settings.path);
        fs::copy(whole, settings.path);
        fs::remove(fs::path(settings.path) / table.filename());
        try {
            open();
        } catch (const std::runtime_error&) {  // without the state
            continue;
        }
        const All all = read_all("*");
        CHECK(all.ids.size() + all.damaged == starts * of_start);
        if (all.damaged != 0) ++damaged;
        log.reset();
        const Verified verified = verify_store(settings.path);
        CHECK_FALSE(verified.damage.empty());
        CHECK(verified.events == all.ids.size());
        const Repaired repaired = repair_store(settings.path);
        CHECK(repaired.events == all.ids.size());
        std::uint64_t lost = repaired.missing;
        for (const Damage& each : repaired.lost) lost += each.last_id - each.first_id + 1;
        CHECK(lost == all.damaged);
    }
    CHECK(damaged > 1);
}

TEST_CASE_METHOD(Fixture,
                 "a write-ahead log that is damaged before its last group → the store is refused, and repaired") {
    open();
    for (std::size_t i = 0; i < 50; ++i) append(i % 2 == 0 ? "even" : "odd");
    log.reset();
    const fs::path wal = largest(".log");
    damage(wal, fs::file_size(wal) / 2);
    try {
        open();
        FAIL("it was opened");
    } catch (const std::runtime_error& error) {
        CHECK_THAT(error.what(),
                   Catch::Contains("its write-ahead log is damaged") && Catch::Contains("sluice store repair"));
    }
    log.reset();
    const Repaired repaired = repair_store(settings.path);
    CHECK(repaired.events < 50);
    CHECK(repaired.events > 40);
    open();
    log->collect_space();
    CHECK(read_all("*").ids.size() == repaired.events);
    for (const char* stream : {"even", "odd"}) CHECK(read_all(stream).damaged == 0);
}

TEST_CASE_METHOD(Fixture, "a write-ahead log whose last group is torn → the store has all before it") {
    const auto how = GENERATE(0, 1, 2);
    open();
    for (std::size_t i = 0; i < 21; ++i) append(i % 2 == 0 ? "even" : "odd");
    // As after a kill: nothing is written at the end.
    const fs::path copy = folder.path() / "copy";
    fs::copy(settings.path, copy, fs::copy_options::recursive);
    log.reset();
    settings.path = copy;
    const fs::path wal = largest(".log");
    const std::size_t size = fs::file_size(wal);
    if (how == 0) fs::resize_file(wal, size - 100);                                // its end is missing
    if (how == 1) damage(wal, size - 3'000, 512);                                  // a sector is not its own
    if (how == 2) fs::resize_file(wal, size - 2'000), fs::resize_file(wal, size);  // its last sectors are empty
    open();
    const All all = read_all("*");
    CHECK(all.ids.size() == 20);
    CHECK(all.damaged == 0);
    CHECK(log->extent("even").events == 10);
    CHECK(append("even") > 21);  // no id is given twice
}

TEST_CASE_METHOD(Fixture, "a store without CURRENT → neither the log nor repair takes it, and neither names repair") {
    fill();
    fs::remove(fs::path(settings.path) / "CURRENT");
    CHECK_THROWS_WITH(open(), Catch::EndsWith("check store.path; else restore a backup"));
    log.reset();
    CHECK_THROWS_WITH(
        repair_store(settings.path),
        "there is no store in " + settings.path + ": it has no file CURRENT; check the path; else restore a backup");
    CHECK(fs::exists(settings.path));
}

TEST_CASE_METHOD(Fixture, "a store without its manifest → it is refused, and repair finds what is in its tables") {
    fill();
    for (const fs::path& manifest : files("")) {
        if (manifest.filename().string().starts_with("MANIFEST")) fs::resize_file(manifest, 10);
    }
    CHECK_THROWS_WITH(open(), Catch::Contains("can't be opened"));
    log.reset();
    const Repaired repaired = repair_store(settings.path);
    CHECK(repaired.events == appends);
    open();
    CHECK(read_all("*").ids.size() == appends);
}

TEST_CASE_METHOD(Fixture, "values with a damaged block → the store is refused, and repair keeps all others") {
    constexpr std::size_t count = 4'000;
    const auto name = [](std::size_t i) { return "some durable subscription with a long name " + std::to_string(i); };
    std::vector<NamedValue> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back({name(i), text_of(i, 200)});
    open();
    append("even");
    log->durable_state()->put(values, nullptr);
    open();  // which flushes
    const bool is_damaged = GENERATE(false, true);
    log.reset();
    const fs::path table = largest(".sst");
    if (is_damaged) {
        damage(table, fs::file_size(table) / 2);
        CHECK_THROWS_WITH(open(), Catch::Contains("sluice store repair"));
        log.reset();
    }
    const Repaired repaired = repair_store(settings.path);
    CHECK(repaired.events == 1);
    CHECK(repaired.notes.empty() != is_damaged);
    open();
    const std::vector<NamedValue> left = log->values();
    CHECK(left.size() + (is_damaged ? 200 : 0) >= count);
    CHECK((left.size() < count) == is_damaged);
    for (const NamedValue& each : left) {
        const auto i = static_cast<std::size_t>(std::stoul(each.name.substr(each.name.rfind(' '))));
        CHECK((each.name == name(i) && each.value == text_of(i, 200)));
    }
}
