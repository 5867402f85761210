// A life of a log on a disk that fails: random appends, definitions, clears, crashes and starts, and after each of them
// a look at all that the log must have, and at what it must not have.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/store/rocks/rocks_log.hpp"
#include "tests/differential/crash/sent.hpp"
#include "tests/support/crash_disk.hpp"

namespace sluice::testing {

class History {
public:
    struct Plan {
        std::uint64_t seed = 1;
        std::size_t processes = 8, steps_max = 40;
        std::size_t bytes_max = 4'000;  // of a document
        bool syncs = true;              // RocksSettings::sync
        bool has_faults = false;        // of the disk: errors, and times when it is full
        CrashDisk::Names names = CrashDisk::Names::with_directory;
        bool ignores_syncs = false;  // a mistake that must be noticed
    };

    explicit History(const Plan& plan);

    // Throws Wrong.
    void run();
    std::size_t states() const { return states_; }  // that have been looked at
    // How many appends have ended so.
    std::size_t ended(store::AppendError error) const { return ended_so_.at(static_cast<std::size_t>(error)); }

private:
    enum class End : std::uint8_t { stopped, killed, power_failed };

    // Values that were given in one call.
    struct Given {
        std::uint64_t time = 0;
        std::vector<store::NamedValue> values;
        std::optional<std::size_t> append{};  // in sent_: they were its
    };
    struct Heard {
        std::string stream;
        feed::DocumentRecordPtr record;
        feed::EventHead event;
    };
    // What a log has, in the order of ids.
    struct Found {
        struct Event {
            std::string stream;
            feed::DocumentRecordPtr record;
            feed::EventHead event;
            std::size_t number = 0, part = 0, index = 0;  // in sent_
        };
        std::vector<Event> events;
    };

    std::size_t below(std::size_t end) { return random_() % end; }
    const std::string& any_stream();

    bool start(End end);
    void end(End how);
    void run_process(End end);
    void step();
    void append();
    void put(bool is_waited_for);
    bool write_values();
    void clear();
    void define();
    void note_seen();
    void sync();
    void plan_fault();
    void recover_from_faults();
    void wait_for_appends();
    void hear(const store::Append& append);
    void note_end(std::size_t number, const store::AppendResult& result);
    void note_stored(Sent& sent, const store::AppendResult& result);

    // `is_fresh`: the log has just been opened; `lossy`: it may lack the newest.
    void check(bool is_fresh, bool lossy);
    Found find_all();
    void check_lives(const Found& found, bool is_fresh);
    void check_appends(Found& found, bool lossy);
    void check_order(const Found& found) const;
    void check_identities(const Found& found);
    void check_replies();
    void check_streams(const Found& found);
    void check_reading(const Found& found);
    void check_values(bool is_fresh, bool exact, bool lossy);
    std::optional<bool> is_there(const Sent& sent, bool lossy) const;
    bool are_values_as_at(std::uint64_t time, bool lossy, const std::map<std::string, std::string>& found) const;
    void check_heard(const Found& found, const std::vector<Heard>& heard, bool lossy) const;
    bool is_live(const SentPart& part) const;

    const Plan plan_;
    std::mt19937_64 random_;
    Sender sender_;
    CrashDisk disk_;
    base::MemoryBudget budget_{100'000'000};
    std::atomic<feed::RecordTime> now_{1'000'000};
    SentStreams streams_;
    std::size_t states_ = 0;
    std::string epoch_;
    feed::RecordTime begun_at_ = 0;
    std::size_t process_ = 0;
    std::uint64_t last_id_before_ = 0;  // this process
    std::uint64_t lives_ = 0;           // of streams
    bool lossy_ = false;                // power has failed since the last look

    std::mutex mutex_;  // guards what follows: the log's thread calls, too
    std::condition_variable ended_;
    std::deque<Sent> sent_;
    std::map<std::uint64_t, const SentEvent*> ids_;  // all that are known ever
    std::size_t waiting_ = 0, puts_waiting_ = 0;
    std::map<std::string, std::string> values_;  // as they have been found
    std::vector<Given> given_;                   // since then, in order
    std::uint64_t values_safe_at_ = 0;           // what was put up to this time can't be lost
    std::array<std::size_t, 3> ended_so_{};      // by error
    std::uint64_t time_ = 0;
    std::vector<Heard> heard_, heard_before_;  // by this process, and by the one before
    std::string wrong_;                        // found on the log's thread

    std::unique_ptr<store::RocksLog> log_;
};

}  // namespace sluice::testing
