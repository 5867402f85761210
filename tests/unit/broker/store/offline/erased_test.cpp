// What the tools make of erased events, and of those of which erasing was cut short.
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "broker/store/offline/export_format.hpp"
#include "broker/store/offline/export_store.hpp"
#include "broker/store/offline/repair.hpp"
#include "broker/store/offline/verify.hpp"
#include "broker/store/rocks/layout.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/feed/parse.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/unit/broker/store/offline/offline_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

namespace fs = std::filesystem;

struct ErasedFixture : OfflineFixture {
    const fs::path moved = folder.path() / "moved";
    const std::string mark = erased_key(1, 2);  // stream and id

    // Five events of the stream "a".
    void fill() {
        const auto document = feed::parse_document(
            "<rss version='2.0'><channel><item><title>one</title></item><item><title>two</title></item>"
            "<item><title>three</title></item></channel></rss>",
            {});
        REQUIRE(document.has_value());
        Append append{std::make_shared<const std::string>("a"), nullptr, {}, nullptr};
        append.record = std::make_shared<const feed::DocumentRecord>(feed::record_document(**document, {}));
        for (std::size_t i = 0; i < 3; ++i) append.events.emplace_back().item = feed::source_range(**document, i);
        REQUIRE_FALSE(append_all({append}).error);
        append.events.pop_back();
        REQUIRE_FALSE(append_all({append}).error);
    }
    // The second and third of which are erased.
    void fill_and_erase() {
        fill();
        for (const std::uint64_t id : {2u, 3u}) {
            const Erased erased = log->erase("a", id);
            REQUIRE(erased.is_found);
            REQUIRE_FALSE(erased.error);
        }
        log.reset();
    }
    // As if the process had ended before the files of old were gone.
    void cut_short(const std::string& keys) const {
        const Database::Opened store = opened(false);
        Batch batch = store.database->batch();
        batch.put(Family::state, mark, keys);
        REQUIRE_FALSE(store.database->write(batch, true));
    }
    void check_reads() {
        open();
        CHECK(ids("a") == Ids{1, 4, 5});
        CHECK(log->read("a", 2, 9, 9'999).erased_id != 0);
        CHECK(log->extent("a").events == 5);
        CHECK(log->state().damage.empty());
    }
    static std::string exported(const std::string& path, const std::string& stream = {}) {
        std::ostringstream out;
        export_store(path, out, stream);
        return out.str();
    }
    void import(const std::string& file) const {
        std::istringstream in(file);
        CHECK(import_store(in, moved).events == 5);
    }
};

}  // namespace

TEST_CASE_METHOD(ErasedFixture, "verify_store: what has been erased is not damaged") {
    fill_and_erase();
    const Verified verified = verify_store(settings.path);
    CHECK(verified.damage.empty());
    CHECK(verified.notes.empty());
    CHECK(verified.events == 5);
}

TEST_CASE_METHOD(ErasedFixture, "export and import: what has been erased stays so") {
    fill_and_erase();
    const std::string file = exported(settings.path);
    import(file);
    CHECK(verify_store(moved).damage.empty());
    CHECK(exported(moved) == file);
    settings.path = moved;
    check_reads();
    CHECK_FALSE(log->erase("a", 2).is_found);
    Retention retention;
    retention.events = 1;
    log->retain("a", retention);
    EVENTUALLY(log->extent("a").events == 1);
    log.reset();
    CHECK(verify_store(moved).damage.empty());
}

TEST_CASE_METHOD(ErasedFixture, "repair_store: what has been erased stays so") {
    fill_and_erase();
    cut_short(event_key(1));
    const Repaired repaired = repair_store(settings.path);
    CHECK(repaired.lost.empty());
    CHECK(repaired.events == 5);
    CHECK(verify_store(settings.path).damage.empty());
    CHECK(value_of(Family::state, mark));
    check_reads();
    log.reset();
    CHECK_FALSE(value_of(Family::state, mark));
}

TEST_CASE_METHOD(ErasedFixture,
                 "an erasure that was cut short → the tools say so and keep it, and opening the store completes it") {
    fill_and_erase();
    cut_short(event_key(1));
    const Verified verified = verify_store(settings.path);
    CHECK(verified.damage.empty());
    CHECK(verified.notes ==
          std::vector<std::string>{
              "the event 2 of the stream a is not erased from all files yet; a start of the broker completes that"});
    const std::string file = exported(settings.path);
    CHECK(exported(settings.path, "a") == file);
    import(file);
    CHECK(exported(moved) == file);
    settings.path = moved;
    CHECK(value_of(Family::state, mark) == event_key(1));
    check_reads();
    log.reset();  // waits until the erasure that began with the opening is complete
    CHECK_FALSE(value_of(Family::state, mark));
    CHECK(verify_store(moved).notes.empty());
}

TEST_CASE_METHOD(ErasedFixture, "the mark of an erasure is damaged → verify names it, and export refuses it") {
    fill_and_erase();
    cut_short("short");
    const Verified verified = verify_store(settings.path);
    REQUIRE(verified.damage.size() == 1);
    CHECK(verified.damage[0].what == "the mark of an event that was to be erased is damaged");
    CHECK_THROWS_WITH(exported(settings.path),
                      Catch::Contains("the mark of an event that was to be erased is damaged"));
}

TEST_CASE_METHOD(ErasedFixture, "import: an erasure that belongs to no stream is refused") {
    log.reset();
    std::istringstream in(exported(settings.path));
    ExportReader reader(in);
    std::ostringstream out;
    ExportWriter writer(out);
    while (const auto record = reader.next()) writer.write(record->type, record->body);
    writer.write(ExportType::erasure, mark.substr(1) + event_key(1));
    writer.end();
    std::istringstream changed(out.str());
    CHECK_THROWS_WITH(import_store(changed, moved), Catch::Contains("an erasure is of a stream without a record"));
}

TEST_CASE_METHOD(ErasedFixture, "events are erased while backups are made → neither fails") {
    fill();
    std::size_t erased = 0, made = 0;
    std::thread eraser([&] {
        for (std::uint64_t id = 1; id <= 5; ++id) {
            const Erased result = log->erase("a", id);
            if (result.is_found && !result.error) ++erased;
        }
    });
    for (int i = 0; i < 5; ++i)
        if (log->backup(std::to_string(i))) ++made;
    eraser.join();
    CHECK(erased == 5);
    CHECK(made == 5);
    CHECK(ids("a").empty());
    for (int i = 0; i < 5; ++i) CHECK(verify_store(settings.path + ".backups/" + std::to_string(i)).damage.empty());
}
