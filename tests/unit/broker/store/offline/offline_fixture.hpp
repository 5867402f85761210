// A store on disk that no log has open, with some of everything. The main thread.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "broker/store/rocks/database/database.hpp"
#include "broker/store/rocks/rocks_log.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/store/rocks_fixture.hpp"

namespace sluice::store {

struct OfflineFixture : RocksFixture {
    static constexpr std::uint64_t news = 21, old = 40, identities = 5;  // retained events, and known items

    // "news" with single events, identities, a definition and a reply; "old", whose first events are no longer
    // retained; "empty", with a definition alone; and two values. Part of it is in tables, part in the write-ahead log.
    void fill() {
        for (std::size_t i = 0; i + 1 < news; ++i) append_to_news(i);
        append("old", 30, 1'000);
        log->define("news", R"({"repair":"strict"})");
        log->define("empty", "{}");
        log->put({{"subscription/options//a", "{}"}, {"subscription/ledger//a", std::string("\1\1\0\0\0", 5)}},
                 nullptr);
        REQUIRE_FALSE(log->sync());
        restart();  // which flushes
        now += 1'000;
        for (std::size_t i = 0; i < 10; ++i) append("old", 1, 100);
        append("old", 10, 5'000, true);
        Retention retention;
        retention.events = old;
        log->retain("old", retention);
        append_to_news(3);
        EVENTUALLY(log->extent("old").events == old);
        log.reset();
    }
    void append_to_news(std::size_t i) {
        Append one = make("news", 1, 200);
        one.events[0].identity.fill(static_cast<std::uint8_t>(1 + i % identities));
        one.events[0].content.fill(static_cast<std::uint8_t>(i));
        StoredReply reply;
        reply.received = reply.added = 1;
        AttemptId id{};
        id.fill(7);
        REQUIRE_FALSE(append_all({one}, i == 0 ? Attempt(id, std::make_shared<const StoredReply>(reply))
                                               : Attempt(random_attempt_id()))
                          .error);
    }
    Database::Opened opened(bool to_read) const {
        Database::Settings with;
        with.path = settings.path;
        with.memory = 8u << 20;
        with.reads_only = to_read;
        with.begin_compaction = [] { return [](Family, std::string_view, std::string_view) { return false; }; };
        return Database::open(with);
    }
    std::optional<std::string> value_of(Family family, const std::string& key) const {
        return opened(true).database->get(family, key).value;
    }
    // All keys and values, and what can't be read.
    std::string everything() const {
        const Database::Opened store = opened(true);
        std::string text = store.fault ? store.fault->what : "";
        for (std::size_t family = 0; store.database != nullptr && family < families; ++family) {
            Cursor cursor = store.database->cursor(static_cast<Family>(family));
            for (cursor.seek(""); !cursor.is_at_end(); cursor.next())
                text.append(1, static_cast<char>(family)).append(cursor.key()).append("=").append(cursor.value());
            if (const auto fault = cursor.fault()) text += fault->what;
        }
        return text;
    }
    // Of all files, by name.
    std::map<std::string, std::string> contents() const {
        std::map<std::string, std::string> all;
        for (const auto& file : std::filesystem::directory_iterator(settings.path)) {
            std::ifstream in(file.path(), std::ios::binary);
            all[file.path().filename()] = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        }
        return all;
    }
    static void flip_bit(const std::filesystem::path& file, std::size_t offset, std::size_t bit) {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekg(static_cast<std::streamoff>(offset));
        const int was = stream.get();
        stream.seekp(static_cast<std::streamoff>(offset));
        stream.put(static_cast<char>(was ^ (1 << bit)));
        REQUIRE(stream.good());
    }
};

}  // namespace sluice::store
