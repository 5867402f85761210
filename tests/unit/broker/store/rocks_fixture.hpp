// A log on disk in a folder of its own, with a clock that tests set. The main thread.
#pragma once

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "broker/store/rocks/rocks_log.hpp"
#include "tests/support/temporary_folder.hpp"

namespace sluice::store {

struct RocksFixture {
    using Ids = std::vector<std::uint64_t>;

    testing::TemporaryFolder folder;
    base::MemoryBudget budget{100'000'000};
    std::atomic<feed::RecordTime> now{1'000'000};
    RocksSettings settings;
    std::vector<std::pair<std::string, std::uint64_t>> heard;  // stream and first id
    std::unique_ptr<RocksLog> log;

    RocksFixture() {
        settings.path = folder.path().string() + "/a/store";
        settings.sync = false;
        settings.replies_window = std::chrono::hours(1);
        open();
    }
    void open() {
        log = std::make_unique<RocksLog>(settings, budget, [this] { return now.load(); });
        log->listen([this](const Append& append) { heard.emplace_back(*append.stream, append.events.front().id); });
        log->open();
    }
    void restart() {
        log.reset();
        open();
    }
    static std::string incompressible(std::size_t bytes) {
        static std::mt19937_64 random(1);
        std::string text;
        while (text.size() < bytes) {
            const std::uint64_t some = random();
            text.append(reinterpret_cast<const char*>(&some), sizeof some);
        }
        text.resize(bytes);
        return text;
    }
    static Append make(const std::string& stream, std::size_t events, std::size_t bytes = 10, bool alone = false) {
        feed::DocumentRecord record;
        record.text = std::make_shared<const std::string>(incompressible(bytes));
        record.content_type = "text/plain";
        Append append{std::make_shared<const std::string>(stream), nullptr, {}, nullptr};
        append.record = std::make_shared<const feed::DocumentRecord>(record);
        for (std::size_t i = 0; i < events; ++i) append.events.emplace_back().item = {static_cast<std::uint32_t>(i), 1};
        if (alone) append.items.assign(events, {record, {3, 2}});
        return append;
    }
    AppendResult append_all(Appends appends, const Attempt& attempt = AttemptId{}) {
        std::promise<AppendResult> ended;
        const auto at_once =
            log->append(attempt, std::move(appends), [&](const AppendResult& result) { ended.set_value(result); });
        return at_once ? *at_once : ended.get_future().get();
    }
    std::uint64_t append(const std::string& stream, std::size_t events, std::size_t bytes = 10, bool alone = false) {
        const AppendResult result = append_all({make(stream, events, bytes, alone)});
        REQUIRE_FALSE(result.error);
        return result.first_ids.at(0);
    }
    static Ids ids_of(const Slice& slice) {
        Ids list;
        for (const KeptEvents& kept : slice.kept)
            for (const feed::EventHead& event : kept.events) list.push_back(event.id);
        return list;
    }
    Ids ids(const std::string& stream, std::uint64_t from = 0, std::size_t events_max = 1'000,
            std::size_t bytes_max = 1'000'000) {
        return ids_of(log->read(stream, from, events_max, bytes_max));
    }
};

}  // namespace sluice::store
