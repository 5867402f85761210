// A store as one file, and back.
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>

#include "broker/store/offline/export_check.hpp"
#include "broker/store/offline/export_format.hpp"
#include "broker/store/offline/export_store.hpp"
#include "broker/store/offline/verify.hpp"
#include "broker/store/rocks/layout.hpp"
#include "tests/support/seed.hpp"
#include "tests/unit/broker/store/offline/offline_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

namespace fs = std::filesystem;

struct ExportFixture : OfflineFixture {
    const fs::path moved = folder.path() / "moved";

    static std::string exported(const std::string& path, const std::string& stream = {}) {
        std::ostringstream out;
        export_store(path, out, stream);
        return out.str();
    }
    Exported import(const std::string& file) const {
        std::istringstream in(file);
        return import_store(in, moved);
    }
    // Why an import of this is refused.
    static std::string refusal(const std::string& file) {
        std::istringstream in(file);
        ExportCheck check;
        try {
            ExportReader reader(in);
            while (const auto record = reader.next())
                if (const std::string why = check.add(record->type, record->body); !why.empty()) reader.refuse(why);
        } catch (const ExportError& error) {
            return error.what();
        }
        return check.end();
    }
    struct Read {
        std::vector<std::pair<std::uint64_t, std::string>> events;  // with their texts
        std::vector<std::string> streams, values;
        StreamExtent extent;
        friend bool operator==(const Read& a, const Read& b) {
            return a.events == b.events && a.streams == b.streams && a.values == b.values &&
                   a.extent.first_id == b.extent.first_id && a.extent.last_id == b.extent.last_id &&
                   a.extent.events == b.extent.events && a.extent.bytes == b.extent.bytes &&
                   a.extent.oldest == b.extent.oldest && a.extent.dropped_id == b.extent.dropped_id;
        }
    };
    // All that a log says of the store.
    Read read() {
        open();
        Read read;
        for (const auto& [name, definition] : log->streams()) {
            read.streams.push_back(name + '=' + definition.value_or("none"));
            const Slice slice = log->read(name, 0, 1'000, 100'000'000);
            for (const KeptEvents& kept : slice.kept)
                for (const feed::EventHead& event : kept.events)
                    read.events.emplace_back(event.id, *kept.of->record->text);
        }
        for (const NamedValue& value : log->values()) read.values.push_back(value.name + '=' + *value.value);
        read.extent = log->extent("*");
        std::vector<text::Digest> all(identities);
        for (std::size_t i = 0; i < identities; ++i) all[i].fill(static_cast<std::uint8_t>(1 + i));
        for (const auto& seen : log->find_seen("news", all))
            read.values.push_back(seen ? std::to_string(seen->seen_at) + ' ' + std::to_string(seen->content[0])
                                       : "unknown");
        AttemptId attempt{};
        attempt.fill(7);
        read.values.push_back(std::to_string(log->find_reply(attempt).value().first_id));
        log.reset();
        return read;
    }
};

}  // namespace

TEST_CASE_METHOD(ExportFixture, "export and import: the same bytes, the same reads, and another epoch") {
    fill();
    const auto before = contents();
    const std::string file = exported(settings.path);
    CHECK(contents() == before);
    const Exported imported = import(file);
    CHECK(imported.streams == 3);
    CHECK(imported.events == news + old);
    CHECK(verify_store(moved).damage.empty());
    CHECK(exported(moved) == file);
    const Read all = read();
    CHECK(all.events.size() == news + old);
    CHECK(all.streams.size() == 3);
    const std::string epoch = (open(), log->epoch());
    log.reset();
    settings.path = moved;
    CHECK(read() == all);
    open();
    CHECK(log->epoch() != epoch);
    CHECK(append("news", 1) > all.extent.last_id);
}

TEST_CASE_METHOD(ExportFixture, "export: one stream alone") {
    fill();
    CHECK_THROWS_WITH(exported(settings.path, "none"), "the store has no stream none");
    const Exported imported = import(exported(settings.path, "news"));
    CHECK(imported.streams == 1);
    CHECK(imported.events == news);
    const Verified verified = verify_store(moved);
    CHECK(verified.damage.empty());
    CHECK(verified.identities == identities);
    CHECK(verified.values + verified.replies == 0);
}

TEST_CASE_METHOD(ExportFixture, "export: an empty store, and one that is damaged") {
    log.reset();
    CHECK(import(exported(settings.path)).events == 0);
    open();
    fill();
    {
        const Database::Opened store = opened(false);
        Batch batch = store.database->batch();
        batch.erase(Family::events, event_key(2));
        REQUIRE_FALSE(store.database->write(batch, true));
    }
    CHECK_THROWS_WITH(exported(settings.path), Catch::Contains("the record of the stream news says 21 events") &&
                                                   Catch::Contains("sluice store verify"));
}

TEST_CASE_METHOD(ExportFixture, "import: only where there is nothing") {
    fill();
    const std::string file = exported(settings.path);
    fs::create_directories(moved);
    CHECK(import(file).events == news + old);
    CHECK_THROWS_WITH(import(file), Catch::Contains("exists, and is not an empty folder"));
    CHECK(verify_store(moved).damage.empty());
}

TEST_CASE_METHOD(ExportFixture, "import: nothing is left of one that fails") {
    fill();
    const std::string file = exported(settings.path);
    CHECK_THROWS_AS(import(file.substr(0, file.size() - 1)), ExportError);
    CHECK_FALSE(fs::exists(moved));
    CHECK_FALSE(fs::exists(folder.path() / ".moved.part"));
}

TEST_CASE_METHOD(ExportFixture, "import: a file that is cut short or changed is refused, and the place is named") {
    fill();
    const std::string file = exported(settings.path);
    std::mt19937_64 random(testing::seed(5));
    for (int i = 0; i < 300; ++i) {
        const std::size_t n = random() % file.size();
        CHECK_THAT(refusal(file.substr(0, n)),
                   Catch::Contains("the file is cut short: it ends at offset " + std::to_string(n)));
        std::string changed = file;
        changed[n] = static_cast<char>(changed[n] ^ (1 << random() % 8));
        CHECK_THAT(refusal(changed), Catch::StartsWith("offset "));
    }
    CHECK_THAT(refusal(file + 'x'), Catch::Contains("there is something behind the last record"));
    CHECK_THAT(refusal("no export at all"), Catch::Contains("not an export"));
    CHECK_THAT(refusal(file.substr(0, 8) + '\2' + file.substr(9)), Catch::Contains("it has version 2"));
    CHECK(refusal(file).empty());
}

TEST_CASE_METHOD(ExportFixture, "import: records that do not belong together are refused") {
    fill();
    const std::string file = exported(settings.path);
    std::vector<ExportRecord> records;
    std::istringstream in(file);
    ExportReader reader(in);
    while (auto record = reader.next()) records.push_back(std::move(*record));
    const auto with = [](const std::vector<ExportRecord>& all) {
        std::ostringstream out;
        ExportWriter writer(out);
        for (const ExportRecord& record : all) writer.write(record.type, record.body);
        writer.end();
        return out.str();
    };
    REQUIRE(with(records) == file);
    for (std::size_t i = 0; i < records.size(); ++i) {
        INFO("record " << i << " of type " << static_cast<int>(records[i].type));
        std::vector<ExportRecord> twice = records, without = records;
        twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), records[i]);
        CHECK_FALSE(refusal(with(twice)).empty());
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        const ExportType type = records[i].type;
        const bool is_needed = type == ExportType::log || type == ExportType::events ||
                               (type == ExportType::stream && records[i].body.find("empty") == std::string::npos);
        if (is_needed) CHECK_FALSE(refusal(with(without)).empty());
        if (i + 1 == records.size()) continue;
        std::vector<ExportRecord> exchanged = records;
        std::swap(exchanged[i], exchanged[i + 1]);
        CHECK_FALSE(refusal(with(exchanged)).empty());
        std::vector<ExportRecord> shorter = records;
        shorter[i].body.resize(shorter[i].body.size() / 3);
        if (type != ExportType::definition) CHECK_FALSE(refusal(with(shorter)).empty());
    }
}
