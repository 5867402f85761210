#include <catch2/catch.hpp>
#include <condition_variable>
#include <future>
#include <mutex>
#include <random>
#include <thread>

#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/dispatch.hpp"
#include "broker/store/wall_clock.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/unit/broker/core/ingest/disk_log.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice::broker;
using namespace sluice::store;
using sluice::feed::EventHead;
using sluice::text::Digest;

namespace {

// Ends appends on a thread of its own.
class ThreadedDiskLog final : public DiskLog {
public:
    explicit ThreadedDiskLog(Disk& disk) : DiskLog(disk), thread_([this] { run(); }) {}
    ~ThreadedDiskLog() override {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

    std::optional<AppendResult> append(const Attempt& attempt, Appends appends, Done done) override {
        const std::lock_guard lock(mutex_);
        changed_.notify_one();
        return DiskLog::append(attempt, std::move(appends), std::move(done));
    }
    StreamExtent extent(std::string_view stream) override {
        const std::lock_guard lock(mutex_);
        return DiskLog::extent(stream);
    }
    bool has_seen_none(std::string_view stream) override {
        const std::lock_guard lock(mutex_);
        return DiskLog::has_seen_none(stream);
    }
    std::vector<std::optional<SeenItem>> find_seen(std::string_view stream,
                                                   std::span<const Digest> identities) override {
        const std::lock_guard lock(mutex_);
        return DiskLog::find_seen(stream, identities);
    }
    void note_seen(const std::string& stream, std::vector<SeenItem> items) override {
        const std::lock_guard lock(mutex_);
        DiskLog::note_seen(stream, std::move(items));
    }

private:
    void run() {
        for (std::unique_lock lock(mutex_);; lock.lock()) {
            changed_.wait(lock, [this] { return over_ || !waiting.empty(); });
            if (waiting.empty()) return;
            Waiting first = take_first();
            const std::uint64_t first_id = write(first, true);
            lock.unlock();
            first.done({std::nullopt, {first_id}});
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread thread_;
};

std::shared_ptr<const Publication> publication(const std::vector<std::string>& items) {
    const auto parsed = document(items);
    auto record = std::make_shared<const sluice::feed::DocumentRecord>(sluice::feed::record_document(*parsed, {}));
    auto made = std::make_shared<Publication>(Publication{"s", parsed, std::move(record), 100, {}, {}});
    made->keys = item_keys(*parsed, sluice::feed::IgnoredParts());
    return made;
}

Publisher::Outcome publish(Publisher& publisher, const std::shared_ptr<const Publication>& what) {
    std::optional<StoredItems> found;
    for (;;) {
        const auto ended = std::make_shared<std::promise<Publisher::Outcome>>();
        const auto known = publisher.publish(
            what, [ended](const Publisher::Outcome& outcome) { ended->set_value(outcome); }, found ? &*found : nullptr);
        if (!known) return ended->get_future().get();
        if (*known || known->error() != PublishRefusal::not_looked_up) return *known;
        found.emplace(publisher.look_up(*what).value());
    }
}

}  // namespace

TEST_CASE("StoredItems: many publishers to a stream, tiny cache → each item is stored when it is new or changed") {
    Disk disk;
    std::map<Digest, Digest> stored;
    std::size_t wrong = 0;
    for (int process = 0; process < 4; ++process) {
        EventQueue queue{1'000'000, 1'000'000'000};
        Counters counters;
        Fanout fanout{counters};
        sluice::base::MemoryBudget memory{100'000'000};
        ThreadedDiskLog log(disk);
        log.now = wall_time();
        log.on_event = [&](const std::string&, const EventHead& event) {
            const auto content = std::bit_cast<Digest>(event.content);
            const auto [at, is_new] = stored.try_emplace(std::bit_cast<Digest>(event.identity));
            wrong += is_new != (event.change == EventHead::Change::added) || at->second == content ? 1u : 0u;
            at->second = content;
        };
        log.listen(Dispatch(queue, fanout, counters, {}));
        Publisher publisher({4, 3, std::chrono::hours(1'000)}, queue, log, counters, memory);
        std::atomic<std::size_t> refused{0};
        std::vector<std::thread> threads;
        for (std::uint32_t t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                std::mt19937 random(100 * static_cast<std::uint32_t>(process) + t);
                for (int i = 0; i < 200; ++i) {
                    std::vector<std::string> items;
                    for (std::size_t n = random() % 12; n < 12; n += 1 + random() % 4)
                        items.push_back(item(std::to_string(n), std::to_string(random() % 2)));
                    if (!publish(publisher, publication(items))) ++refused;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        CHECK(refused == 0);
    }
    CHECK(wrong == 0);
    CHECK(stored.size() == 12);
    CHECK(disk.looked_up > 1'000);
}
