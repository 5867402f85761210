// Files of the store that are damaged while no process runs, and how much of them a start reads.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "broker/base/log.hpp"
#include "broker/store/rocks/rocks_log.hpp"
#include "config/options.hpp"
#include "tests/differential/crash/in_parallel.hpp"
#include "tests/differential/crash/sent.hpp"
#include "tests/support/crash_file_system.hpp"
#include "tests/support/records.hpp"
#include "tests/support/seed.hpp"

using namespace sluice;
using namespace sluice::testing;

namespace {

// A log on a disk. All that was appended has ended well.
class Store {
public:
    explicit Store(std::uint64_t seed) : sender_(seed) {
        base::configure_log({.level = config::LogLevel::off});
        for (const char* name : {"a", "b", "c"}) streams_.emplace(name, SentStream{});
    }

    void open(CrashDisk& disk) {
        store::RocksSettings settings;
        settings.path = "/log";
        settings.replies_window = std::chrono::hours(1'000);
        settings.files = start_process(disk);
        log = std::make_unique<store::RocksLog>(settings, budget_, [this] { return ++now_; });
        log->open();
    }
    void append(std::size_t n, std::size_t bytes_max) {
        for (; n > 0; --n) {
            Sent& sent = sent_.emplace_back(sender_.make(streams_, bytes_max));
            std::promise<store::AppendResult> ended;
            const auto at_once = log->append({sent.attempt, sent.reply}, sent.appends(),
                                             [&](const store::AppendResult& result) { ended.set_value(result); });
            const store::AppendResult result = at_once ? *at_once : ended.get_future().get();
            if (result.error) throw Wrong("an append has failed");
            for (std::size_t p = 0; p < sent.parts.size(); ++p)
                for (std::size_t i = 0; i < sent.parts[p].events.size(); ++i)
                    events_.emplace(sent.parts[p].events[i].id = result.first_ids[p] + i, std::pair(&sent.parts[p], i));
        }
    }
    // The first id of the newest append.
    std::uint64_t newest_id() const { return sent_.back().parts[0].events[0].id; }

    // Returns how many events can't be read. Throws Wrong unless all others can, and the log says which can't.
    std::size_t lost(const std::string& stream, std::mt19937_64& random) const {
        std::set<std::uint64_t> ids;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> damaged;
        for (std::uint64_t next = 0;;) {
            const store::Slice slice = log->read(stream, next, 1 + random() % 50, 1 + random() % 50'000);
            for (const store::KeptEvents& kept : slice.kept)
                for (const feed::EventHead& event : kept.events) {
                    check(*kept.of, event);
                    ids.insert(event.id);
                }
            if (slice.damaged_id != 0) damaged.emplace_back(next, slice.damaged_id);
            if (slice.at_end) break;
            if (slice.next_id <= next) throw Wrong("reading does not go on");
            next = slice.next_id;
        }
        std::size_t lost = 0;
        const auto said = log->state().damage;
        for (const auto& [id, place] : events_) {
            if ((stream != store::all_streams && place.first->stream != stream) || ids.contains(id)) continue;
            const auto is_in = [id = id](const auto& range) { return id >= range.first && id <= range.second; };
            const auto is_said = [id = id](const store::Damage& each) {
                return id >= each.first_id && id <= each.last_id;
            };
            if (std::none_of(damaged.begin(), damaged.end(), is_in))
                throw Wrong("an event of " + stream + " is missing without a word: " + std::to_string(id));
            if (std::none_of(said.begin(), said.end(), is_said))
                throw Wrong("state() does not know of the damage of event " + std::to_string(id));
            ++lost;
        }
        return lost;
    }
    // What is known is right.
    void check_state() const {
        for (const auto& [name, stream] : streams_) {
            std::vector<text::Digest> identities;
            for (std::size_t i = 0; i < Sender::identities; ++i) identities.push_back(digest_of(Sender::identity(i)));
            const auto seen = log->find_seen(name, identities);
            for (std::size_t i = 0; i < identities.size(); ++i)
                if (seen[i] && seen[i]->content != newest_content(name, identities[i]))
                    throw Wrong("an identity has another content");
        }
        for (const Sent& sent : sent_) {
            const auto reply = sent.reply ? log->find_reply(sent.attempt) : std::nullopt;
            if (reply && (reply->request != sent.reply->request || reply->first_id != sent.parts[0].events[0].id))
                throw Wrong("a reply has changed");
        }
    }
    std::size_t events() const { return events_.size(); }

    std::unique_ptr<store::RocksLog> log;

private:
    void check(const store::Kept& kept, const feed::EventHead& event) const {
        const auto at = events_.find(event.id);
        if (at == events_.end()) throw Wrong("an event was not sent: " + std::to_string(event.id));
        const auto& [part, i] = at->second;
        const feed::EventHead& head = part->events[i].head;
        if (part->stream != *kept.stream || !is_same(*kept.record, part->records[part->alone ? i : 0]) ||
            head.identity != event.identity || head.content != event.content || head.item != event.item)
            throw Wrong("an event is not what was sent: " + std::to_string(event.id));
    }
    std::optional<text::Digest> newest_content(const std::string& stream, const text::Digest& identity) const {
        std::optional<text::Digest> content;
        for (const auto& [id, place] : events_) {
            const feed::EventHead& head = place.first->events[place.second].head;
            if (place.first->stream == stream && digest_of(head.identity) == identity)
                content = digest_of(head.content);
        }
        return content;
    }

    Sender sender_;
    SentStreams streams_;
    base::MemoryBudget budget_{100'000'000};
    std::atomic<feed::RecordTime> now_{1'000'000};
    std::deque<Sent> sent_;
    std::map<std::uint64_t, std::pair<const SentPart*, std::size_t>> events_;
};

std::vector<std::string> files_of(const CrashDisk& disk, FileKind kind) {
    std::vector<std::string> paths = disk.paths();
    std::erase_if(paths, [&](const std::string& path) { return kind_of(path) != kind || disk.content(path).empty(); });
    return paths;
}

void flip_bit(CrashDisk& disk, const std::string& path, std::mt19937_64& random) {
    std::string bytes = disk.content(path);
    char& byte = bytes[random() % bytes.size()];
    byte = static_cast<char>(byte ^ (1 << random() % 8));
    disk.set_content(path, std::move(bytes));
}

// What happens to a file at rest, or to two of them.
std::string damage(CrashDisk& disk, std::mt19937_64& random) {
    const std::vector<std::string> tables = files_of(disk, FileKind::table);
    const std::string &one = tables[random() % tables.size()], &other = tables[random() % tables.size()];
    std::string bytes = disk.content(one);
    switch (random() % 8) {
        case 0:
            disk.set_content(one, bytes.substr(0, random() % bytes.size()));
            return one + " is cut short";
        case 1:
            disk.erase(one);
            return one + " is removed";
        case 2:
            disk.set_content(one, disk.content(other));
            disk.set_content(other, std::move(bytes));
            return one + " and " + other + " are exchanged";
        default:
            flip_bit(disk, one, random);
            return "a bit of " + one + " is flipped";
    }
}

struct Outcome {
    std::size_t refused = 0, lost = 0, whole = 0;  // stores that were not opened, lost something, lost nothing
    std::string wrong;
};

// Opens the damaged disk, and reads all of it.
template <class Allowed>
Outcome outcome_of(Store& store, CrashDisk& disk, std::mt19937_64& random, const Allowed& is_allowed) {
    try {
        store.open(disk);
    } catch (const std::runtime_error& error) {
        return {.refused = 1, .wrong = {}};
    }
    Outcome outcome;
    try {
        std::size_t lost = 0;
        for (const char* stream : {"*", "a", "b", "c"}) lost += store.lost(stream, random);
        store.check_state();
        (lost == 0 ? outcome.whole : outcome.lost) = 1;
    } catch (const Wrong& wrong) {
        if (!is_allowed(wrong)) outcome.wrong = wrong.what();
    }
    store.log.reset();
    return outcome;
}

void report(const char* name, const std::vector<Outcome>& outcomes, std::uint64_t first) {
    Outcome sum;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (!outcomes[i].wrong.empty()) FAIL_CHECK("seed " << first + i << ": " << outcomes[i].wrong);
        sum.refused += outcomes[i].refused;
        sum.lost += outcomes[i].lost;
        sum.whole += outcomes[i].whole;
    }
    std::cout << name << ": " << sum.refused << " stores are refused, " << sum.lost
              << " have lost something, and say it, " << sum.whole << " are whole" << std::endl;
}

}  // namespace

TEST_CASE("RocksLog: damaged tables → nothing wrong is read, and what can't be read is named") {
    const std::uint64_t first = seed(5'000);
    const auto outcomes = in_parallel(64, [&](std::size_t i) {
        std::mt19937_64 random(first + i);
        CrashDisk disk;
        Store store(first + i);
        for (std::size_t starts = 1 + random() % 6; starts > 0; --starts) {
            store.open(disk);
            store.append(40, 30'000);
            store.log.reset();
        }
        store.open(disk);  // which writes all to tables
        store.log.reset();
        const std::string what = damage(disk, random);
        Outcome outcome = outcome_of(store, disk, random, [](const Wrong&) { return false; });
        if (!outcome.wrong.empty()) outcome.wrong += " (" + what + ')';
        return outcome;
    });
    report("damaged tables", outcomes, first);
    CHECK(std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& each) { return each.lost != 0; }));
}

TEST_CASE("RocksLog: a damaged write-ahead log → refused, unless only the last group may be lost") {
    const std::uint64_t first = seed(6'000);
    report("damaged write-ahead logs",
           in_parallel(32,
                       [&](std::size_t i) {
                           std::mt19937_64 random(first + i);
                           Store store(first + i);
                           CrashDisk disk;
                           store.open(disk);
                           store.append(40, 30'000);
                           disk.stop();
                           store.log.reset();
                           const std::vector<std::string> logs = files_of(disk, FileKind::wal);
                           flip_bit(disk, logs[random() % logs.size()], random);
                           return outcome_of(store, disk, random, [&](const Wrong&) {
                               return store.log->extent("*").events + 20 > store.events() &&
                                      store.log->extent("*").last_id + 1 == store.newest_id();
                           });
                       }),
           first);
}

TEST_CASE("RocksLog: opened after a kill with much in it → only the write-ahead log is read") {
    CrashDisk disk;
    Store store(seed(7'000));
    for (int starts = 0; starts < 3; ++starts) {
        store.open(disk);
        store.append(400, 300'000);
        if (starts == 2) disk.stop();
        store.log.reset();
    }
    std::uint64_t stored = 0;
    for (const std::string& path : files_of(disk, FileKind::table)) stored += disk.content(path).size();
    const std::uint64_t before = disk.traffic(FileKind::table).bytes_read;
    store.open(disk);
    const std::uint64_t read = disk.traffic(FileKind::table).bytes_read - before;
    std::cout << "a start reads " << read << " bytes of " << stored << " in tables" << std::endl;
    CHECK(stored > 10'000'000);
    CHECK(read < stored / 20);
    std::mt19937_64 random(1);
    CHECK(store.lost("*", random) == 0);
}

TEST_CASE("RocksLog: a write-ahead log that can't be read for once → refused, and nothing is cut off it") {
    CrashDisk disk;
    Store store(seed(8'000));
    store.open(disk);
    store.append(40, 30'000);
    disk.stop();
    store.log.reset();
    std::uint64_t refused = 0;
    for (bool is_met = true; is_met; ++refused) {
        const auto copy = disk.clone();
        copy->plan({Access::read, refused, false, FileKind::wal});
        try {
            store.open(*copy);
            is_met = copy->faults_met() != 0;
        } catch (const std::runtime_error&) {
            store.log.reset();
            copy->heal();
            store.open(*copy);
        }
        std::mt19937_64 random(1);
        CHECK(store.lost("*", random) == 0);
        store.log.reset();
    }
    CHECK(refused > 4);
}
