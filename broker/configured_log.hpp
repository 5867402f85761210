// The event log of the kind that store.kind names. Created and opened by one thread; the log and opened() are for any.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/wall_clock.hpp"

namespace sluice::config {
struct Options;
}

namespace sluice::store {
class RocksLog;
}

namespace sluice::broker {

struct Counters;

// File descriptors that the log may need beside those of connections.
std::size_t log_descriptors(const config::Options& options);

class ConfiguredLog {
public:
    // `at_point`: as RocksSettings::at_point. Throws std::runtime_error if there is no place for a store.
    ConfiguredLog(const config::Options& options, base::MemoryBudget& memory, Counters& counters,
                  store::WallClock clock, std::function<void(std::string_view)> at_point);
    ~ConfiguredLog();  // a log on disk writes what waits

    store::EventLog& log() { return *log_; }
    // Call once, after log().listen(). Throws std::runtime_error, which says what to do, if it can't be opened.
    void open();
    // How much of it open() has read, from 0 to 1.
    double opened() const;
    // Its folder; "": it is in memory.
    const std::string& path() const { return path_; }

private:
    std::string path_;
    store::RocksLog* on_disk_ = nullptr;  // the log, if it is there
    std::unique_ptr<store::EventLog> log_;
};

}  // namespace sluice::broker
