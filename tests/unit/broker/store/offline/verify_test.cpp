// What sluice store verify finds in stores that are sound, and in damaged ones.
#include "broker/store/offline/verify.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "broker/store/rocks/database/database.hpp"
#include "broker/store/rocks/layout.hpp"
#include "tests/support/seed.hpp"
#include "tests/unit/broker/store/offline/offline_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

struct VerifyFixture : OfflineFixture {
    // What `verify` says in one text.
    std::string verified() const {
        const Verified verified = verify_store(settings.path);
        std::string text;
        for (const Damage& damage : verified.damage) {
            text += std::to_string(damage.first_id) + '-' + std::to_string(damage.last_id);
            for (const std::string& stream : damage.streams) text += ' ' + stream;
            text += ": " + damage.what + '\n';
        }
        for (const std::string& note : verified.notes) text += "note: " + note + '\n';
        return text;
    }
    // Changes the store's tables as no broker does.
    template <class Change>
    void change(const Change& change) const {
        const Database::Opened store = opened(false);
        REQUIRE_FALSE(store.fault);
        Batch batch = store.database->batch();
        change(batch);
        REQUIRE_FALSE(store.database->write(batch, true));
    }
};

}  // namespace

TEST_CASE_METHOD(VerifyFixture, "verify_store: a sound store has no damage, and nothing in it changes") {
    fill();
    const auto before = contents();
    const Verified verified = verify_store(settings.path);
    CHECK(verified.damage.empty());
    CHECK(verified.notes.empty());
    CHECK(verified.streams == 3);
    CHECK(verified.events == news + old);
    CHECK(verified.identities == identities);
    CHECK(verified.replies == 1);
    CHECK(verified.values == 2);
    CHECK(contents() == before);
}

TEST_CASE_METHOD(VerifyFixture, "verify_store: an event that the index has and that is missing is named") {
    fill();
    change([](Batch& batch) { batch.erase(Family::events, event_key(1)); });
    CHECK(verified() == "1-1 news: 1 of these events are in the index, but they are missing\n");
}

TEST_CASE_METHOD(VerifyFixture, "verify_store: an event that the index has not is named") {
    fill();
    change([](Batch& batch) { batch.erase(Family::index, index_key(1, 1)); });
    CHECK(verified() == "1-1 news: 1 of these events are missing in the index\n");
}

TEST_CASE_METHOD(VerifyFixture, "verify_store: an event that is not as the index has it is named") {
    fill();
    change([](Batch& batch) { batch.put(Family::index, index_key(1, 1), encode(IndexEntry{1, 7, 1'000'000})); });
    CHECK(verified() == "1-1 news: 1 of these events are not as the index has them\n");
}

TEST_CASE_METHOD(VerifyFixture, "verify_store: events under another id, and what is none, are named") {
    fill();
    change([this](Batch& batch) {
        batch.put(Family::events, event_key(1), *value_of(Family::events, event_key(3)));
        batch.put(Family::events, event_key(3), "no event");
    });
    const std::string text = verified();
    CHECK_THAT(text, Catch::Contains("1-1 news: the header of stored events is damaged"));
    CHECK_THAT(text, Catch::Contains("3-3 news"));
}

TEST_CASE_METHOD(VerifyFixture, "verify_store: a record of a stream that counts wrongly is named") {
    fill();
    change([this](Batch& batch) {
        const std::string key = stream_key(stream_mark, 1);
        StreamRecord record = *decode_stream_record(*value_of(Family::state, key));
        ++record.extent.events;
        batch.put(Family::state, key, encode(record.name, record.extent));
    });
    CHECK_THAT(verified(), Catch::Contains("0-0 news: the stream's record says"));
}

TEST_CASE_METHOD(VerifyFixture, "verify_store: identities, replies and records that can't be decoded are named") {
    fill();
    change([](Batch& batch) {
        batch.put(Family::identities, identity_key(1, {}), "x");
        batch.put(Family::replies, reply_key({}), "x");
        batch.put(Family::state, stream_key(stream_mark, 9), "x");
        batch.put(Family::state, log_key, "x");
    });
    const std::string text = verified();
    CHECK_THAT(text, Catch::Contains("an identity of an item is damaged"));
    CHECK_THAT(text, Catch::Contains("a reply to a publication is damaged"));
    CHECK_THAT(text, Catch::Contains("the record of a stream is damaged"));
    CHECK_THAT(text, Catch::Contains("the record of the store's epoch and ids is missing or damaged"));
}

TEST_CASE_METHOD(VerifyFixture, "verify_store: a store that a process has open is refused, and so is no store") {
    CHECK_THROWS_WITH(verify_store(folder.path() / "none"), Catch::Contains("there is no folder"));
    CHECK_THROWS_WITH(verify_store(folder.path()), Catch::Contains("there is no store"));
}

// Whatever becomes of a file: it is named, or everything is read and is as it was.
TEST_CASE_METHOD(VerifyFixture, "verify_store: a damaged file is named, or does not matter") {
    fill();
    const std::filesystem::path whole = settings.path, copy = folder.path() / "copy";
    const std::string expected = everything();
    std::mt19937_64 random(testing::seed(11));
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(whole)) files.push_back(file.path().filename());
    std::sort(files.begin(), files.end());
    std::size_t named = 0;
    for (const std::filesystem::path& file : files) {
        const std::size_t bytes = std::filesystem::file_size(whole / file);
        if (bytes == 0) continue;
        for (int round = 0; round < 6; ++round) {
            std::filesystem::remove_all(copy);
            std::filesystem::copy(whole, copy);
            if (round == 0)
                std::filesystem::resize_file(copy / file, random() % bytes);
            else
                flip_bit(copy / file, random() % bytes, random() % 8);
            settings.path = copy;
            const std::string text = verified();
            INFO(file << ", round " << round << ": " << text);
            if (!text.empty()) ++named;
            if (text.empty()) CHECK(everything() == expected);
            settings.path = whole;
        }
    }
    CHECK(named > 10);
}
