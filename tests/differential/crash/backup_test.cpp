// Backups on a disk that loses power, or whose process is killed, at any point. SLUICE_CRASH_STATES sets how many.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "broker/base/log.hpp"
#include "config/options.hpp"
#include "tests/differential/crash/in_parallel.hpp"
#include "tests/differential/crash/item_log.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace sluice;
using namespace sluice::testing;

namespace {

using Streams = std::map<std::string, ItemLog::Items>;

struct Outcome {
    std::uint64_t changes = 0;  // of the disk
    std::size_t complete = 0, absent = 0;
    std::string wrong{};
};

void require(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error(what);
}

Streams read(ItemLog& log) { return {{"a", log.read("a")}, {"b", log.read("b")}}; }

// No value: the disk has stopped, perhaps in the middle.
std::optional<Streams> read_unless_stopped(ItemLog& log, const CrashDisk& disk) {
    try {
        Streams found = read(log);
        if (!disk.is_stopped()) return found;
    } catch (const std::exception&) {
        if (!disk.is_stopped()) throw;
    }
    return std::nullopt;
}

// `may_have_more`: of an append that was not answered.
bool is_same(Streams found, const Streams& expected, bool may_have_more) {
    std::uint64_t last_id = 0;
    for (const auto& [name, items] : expected)
        if (!items.empty()) last_id = std::max(last_id, items.rbegin()->first);
    for (auto& [name, items] : found)
        if (may_have_more) items.erase(items.upper_bound(last_id), items.end());
    return found == expected;
}

void end(CrashDisk& disk, ItemLog& log, bool is_power_failure, std::uint64_t seed) {
    disk.stop();
    log.close();
    if (is_power_failure) disk.lose_unsynced(seed);
}

// A log of which backups are made between other steps, until the change `stop_at` of the disk. The same seed makes the
// same steps.
class Life {
public:
    // `backups`: a folder of the machine, which stays empty, since the log looks there, too.
    Life(std::uint64_t seed, std::uint64_t stop_at, bool is_power_failure, std::string backups)
        : random_(seed),
          chance_(stop_at),
          stop_at_(stop_at),
          is_power_failure_(is_power_failure),
          backups_(std::move(backups)) {
        log_.settings.backups = backups_;
    }

    Outcome run() {
        try {
            make_folders();
            log_.open();
            for (const char* stream : {"a", "b", "a"}) append(stream);
            log_.open();  // so that some is in tables
            const std::uint64_t before = disk_.changes();
            if (stop_at_ != 0) disk_.stop_at(stop_at_);
            for (std::size_t i = 0; i < 9 && !disk_.is_stopped(); ++i) step(i);
            outcome_.changes = disk_.changes() - before;
            end(disk_, log_, is_power_failure_, chance_());
            check();
        } catch (const std::exception& error) {
            outcome_.wrong = error.what();
        }
        return outcome_;
    }

private:
    enum class Step { none, append, change };
    struct Made {
        std::string name, epoch;
        Streams has;
        bool is_answered = false;
    };

    std::size_t below(std::size_t end) { return random_() % end; }

    void make_folders() {
        const auto by = disk_.process();
        std::string path;
        for (const auto& part : std::filesystem::path(backups_).relative_path()) {
            const std::string parent = path.empty() ? "/" : path;
            path += '/' + part.string();
            require(disk_.make_directory(by, path) == DiskError::none, "a folder can't be made");
            require(disk_.sync_directory(by, parent) == DiskError::none, "a folder can't be synced");
        }
    }

    void step(std::size_t number) {
        if (number % 3 == 1) return back_up("copy" + std::to_string(number));
        const std::string stream = below(2) == 0 ? "a" : "b";
        if (streams_.at(stream).size() < 2 || below(3) == 0) return append(stream);
        change(stream);
    }
    void append(const std::string& stream) {
        const auto made = log_.append(stream, 1 + below(3));
        if (made) streams_[stream].insert(made->begin(), made->end());
        unanswered_ = made ? Step::none : Step::append;
    }
    void change(const std::string& stream) {
        changed_ = streams_;
        ItemLog::Items& items = changed_.at(stream);
        const auto at = std::next(items.begin(), static_cast<std::ptrdiff_t>(below(items.size())));
        const std::uint64_t id = at->first;
        const bool purges = below(2) == 0;
        items.erase(purges ? items.begin() : at, std::next(at));
        const auto error = purges ? log_->purge(stream, id + 1).error : log_->erase(stream, id).error;
        unanswered_ = error ? Step::change : Step::none;
        if (!error) streams_ = changed_;
    }
    void back_up(std::string name) {
        const auto& made = made_.emplace_back(Made{std::move(name), log_->epoch(), streams_});
        const auto backup = log_->backup(made.name);
        made_.back().is_answered = backup.has_value();
        if (!backup) require(disk_.is_stopped(), "no backup can be made: " + backup.error().what);
    }

    void check() {
        for (const Made& each : made_) check_backup(each);
        log_.open();
        const Streams found = read(log_);
        require(
            is_same(found, streams_, unanswered_ == Step::append) || (unanswered_ == Step::change && found == changed_),
            "events are not as they were");
        streams_ = found;
        if (!made_.empty() && !is_there(made_.back())) {
            back_up(made_.back().name);
            check_backup(made_.back());
        }
        append("a");
        require(unanswered_ == Step::none && read(log_) == streams_, "events are not as they were, at the end");
    }
    bool is_there(const Made& made) const { return disk_.is_directory(backups_ + '/' + made.name); }

    // It is there as a whole, or not at all. It goes on in an epoch of its own, whatever its processes meet.
    void check_backup(const Made& made) {
        ++(is_there(made) ? outcome_.complete : outcome_.absent);
        require(is_there(made) || !made.is_answered, made.name + " is gone");
        if (!is_there(made)) return;
        const auto disk = disk_.clone();
        ItemLog log(*disk, random_, backups_ + '/' + made.name);
        Streams has = made.has;
        std::string epoch;
        bool may_have_more = false;
        const std::size_t processes = &made == &made_.back() ? 4 : 1;  // the others are like it
        for (std::size_t process = 1; process <= processes; ++process) {
            const bool is_last = process == processes;
            bool is_open = true;
            try {
                log.open(is_last ? 0 : 1 + chance_() % 60);
            } catch (const std::exception& error) {
                is_open = false;
                require(!is_last && disk->is_stopped(), made.name + ": " + error.what());
            }
            if (is_open) {
                require(log->epoch() != made.epoch, made.name + " goes on in the epoch of the store");
                require(epoch.empty() || log->epoch() == epoch, made.name + " begins a second epoch");
                epoch = log->epoch();
                const auto found = read_unless_stopped(log, *disk);
                require(found || !is_last, made.name + " can't be read");
                if (found) {
                    require(is_same(*found, has, may_have_more), made.name + " has something else");
                    has = *found;
                    may_have_more = false;
                }
                for (std::size_t i = 0; i < 3 && !disk->is_stopped(); ++i) {
                    const auto added = log.append("a", 2);
                    may_have_more = !added;
                    if (added) has["a"].insert(added->begin(), added->end());
                }
            }
            end(*disk, log, is_power_failure_, chance_());
        }
    }

    std::mt19937_64 random_, chance_;
    const std::uint64_t stop_at_;
    const bool is_power_failure_;
    const std::string backups_;
    CrashDisk disk_;
    ItemLog log_{disk_, random_};
    Streams streams_{{"a", {}}, {"b", {}}}, changed_;  // and as a change that was not answered would leave them
    Step unanswered_ = Step::none;
    std::vector<Made> made_;
    Outcome outcome_;
};

}  // namespace

TEST_CASE(
    "RocksLog: cut short while backups are made → each is there as a whole, in an epoch of its own, or not at all") {
    const char* text = std::getenv("SLUICE_CRASH_STATES");
    const std::size_t lives = text ? std::strtoull(text, nullptr, 10) / 10 : 40;
    const std::uint64_t own = seed(6'000);
    base::configure_log({.level = config::LogLevel::off});
    const TemporaryFolder folder;
    const std::string backups = std::filesystem::canonical(folder.path());
    const Outcome whole = Life(own, 0, false, backups).run();
    REQUIRE(whole.wrong.empty());
    REQUIRE(whole.complete == 3);
    std::size_t complete = 0, absent = 0;
    for (const Outcome& outcome : in_parallel(lives, [&](std::size_t i) {
             const std::uint64_t stop_at = 1 + (lives < whole.changes ? i * whole.changes / lives : i % whole.changes);
             const std::uint64_t steps = own + i / whole.changes;
             Outcome ended = Life(steps, stop_at, i % 4 != 0, backups).run();
             if (!ended.wrong.empty())
                 ended.wrong =
                     "seed " + std::to_string(steps) + ", change " + std::to_string(stop_at) + ": " + ended.wrong;
             return ended;
         })) {
        if (!outcome.wrong.empty()) FAIL_CHECK(outcome.wrong);
        complete += outcome.complete;
        absent += outcome.absent;
    }
    std::cout << "backups: " << whole.changes << " changes of the disk, cut short " << lives << " times, " << complete
              << " complete, " << absent << " absent" << std::endl;
    CHECK(complete > 0);
    CHECK(absent > 0);
}
