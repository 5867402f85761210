// What the way of an event through the daemon costs, by stage. One run in 16 of a stage, chosen at random, is timed and
// counts for 16: for all stages together, a clock is read about once an event. Any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "broker/base/counter_by.hpp"

namespace sluice::broker {

enum class Stage : std::uint8_t {
    read,         // parsing a request, from its last bytes on; other requests than publications, too
    parse,        // the document
    deduplicate,  // identities of its items, and looking for them in memory
    append,       // to the log; elapsed time, with the disk
    wait,         // in the queue for the matcher; elapsed time of every event
    extract,      // the values that filters read
    match,        // the other work of deciding all filters
    fan_out,      // to the mailboxes of subscribers
    render,       // the texts that are delivered
    write,        // to connections; elapsed time, with slow readers
};
inline constexpr std::array<std::string_view, 10> stage_names{"read",    "parse", "deduplicate", "append", "wait",
                                                              "extract", "match", "fan_out",     "render", "write"};

class StageTimes {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr int runs_per_sample = 16;

    explicit StageTimes(base::MetricRegistry& metrics);

    // Whether this run of the stage should be timed. Call once for each.
    static bool is_due(Stage stage) noexcept {
        std::uint8_t& left = runs_left[static_cast<std::size_t>(stage)];
        if (left > 1) {
            --left;
            return false;
        }
        left = next_gap();
        return true;
    }
    // Adds a run that was due.
    void add(Stage stage, Clock::duration took) const {
        const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
        if (ns > 0) nanoseconds_[stage].add(static_cast<std::uint64_t>(ns) * runs_per_sample);
    }

private:
    static std::uint8_t next_gap() noexcept;  // 1 to 31, on average 16

    static thread_local constinit std::array<std::uint8_t, stage_names.size()> runs_left;
    base::CounterBy<Stage, stage_names.size()> nanoseconds_;
};

// Times one run, until end() or its destructor, if it is due.
class StageTimer {
public:
    StageTimer(const StageTimes& times, Stage stage) noexcept
        : times_(StageTimes::is_due(stage) ? &times : nullptr), stage_(stage) {
        if (times_ != nullptr) begun_ = StageTimes::Clock::now();
    }
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;
    ~StageTimer() { end(); }

    void end() noexcept {
        if (times_ != nullptr) times_->add(stage_, StageTimes::Clock::now() - begun_);
        times_ = nullptr;
    }

private:
    const StageTimes* times_;  // null: it is not timed, or has ended
    const Stage stage_;
    StageTimes::Clock::time_point begun_;
};

}  // namespace sluice::broker
