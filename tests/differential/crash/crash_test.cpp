// Lives of the log on a disk that loses power, fills up and fails. SLUICE_CRASH_STATES sets how many states it is to be
// found in.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/base/log.hpp"
#include "config/options.hpp"
#include "tests/differential/crash/history.hpp"
#include "tests/differential/crash/in_parallel.hpp"
#include "tests/support/crash_file_system.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/seed.hpp"

using namespace sluice;
using namespace sluice::testing;

namespace {

struct Outcome {
    std::size_t states = 0, unknown = 0, no_space = 0;  // and appends that ended so
    std::string wrong{};
};

Outcome outcome_of(const History::Plan& plan) {
    base::configure_log({.level = config::LogLevel::off});
    History history(plan);
    Outcome outcome;
    try {
        history.run();
    } catch (const std::exception& error) {
        outcome.wrong = "seed " + std::to_string(plan.seed) + ": " + error.what();
    }
    outcome.states = history.states();
    outcome.unknown = history.ended(store::AppendError::unknown);
    outcome.no_space = history.ended(store::AppendError::no_space);
    return outcome;
}

std::size_t states_wanted() {
    const char* text = std::getenv("SLUICE_CRASH_STATES");
    return text ? std::strtoull(text, nullptr, 10) : 300;
}

// As many lives as it takes for a share, in percent, of these states.
Outcome live(const char* name, std::uint64_t own_seed, std::size_t share, const History::Plan& plan) {
    const std::size_t lives = std::max<std::size_t>(2, states_wanted() * share / 100 / plan.processes);
    const std::uint64_t first = seed(own_seed);
    Outcome sum;
    for (const Outcome& outcome : in_parallel(lives, [&](std::size_t i) {
             History::Plan mine = plan;
             mine.seed = first + i;
             if (i % 2 != 0) mine.names = CrashDisk::Names::with_any_sync;
             if (i % 8 == 7) mine.bytes_max = 200'000;
             return outcome_of(mine);
         })) {
        if (!outcome.wrong.empty()) FAIL_CHECK(outcome.wrong);
        sum.states += outcome.states;
        sum.unknown += outcome.unknown;
        sum.no_space += outcome.no_space;
    }
    std::cout << name << ": " << sum.states << " states, " << sum.unknown << " appends ended as unknown, "
              << sum.no_space << " without space" << std::endl;
    return sum;
}

}  // namespace

TEST_CASE("RocksLog: killed, or power fails → it has all that it said it has, and nothing in part") {
    live("crashes", 1'000, 50, {});
}

TEST_CASE("RocksLog: the disk fails or is full → the log goes on by itself, and nothing is lost or told twice") {
    const Outcome outcome = live("faults", 2'000, 25, {.has_faults = true});
    CHECK(outcome.unknown > 0);
    CHECK(outcome.no_space > 0);
}

TEST_CASE("RocksLog: power fails, and nothing was synced → only the newest is lost") {
    live("without syncs", 3'000, 25, {.syncs = false});
}

TEST_CASE("RocksLog: a group with values and an append fails → its values are there exactly if its events are") {
    const auto access = GENERATE(Access::sync, Access::write);
    base::configure_log({.level = config::LogLevel::off});
    CrashDisk disk;
    base::MemoryBudget budget(100'000'000);
    std::promise<void> arrived, go_on, ended;
    std::size_t groups = 0;
    store::RocksSettings settings;
    settings.path = "/data/log";
    settings.files = start_process(disk);
    settings.at_point = [&](std::string_view point) {
        if (point != "store.write") return;
        if (groups == 0) {
            arrived.set_value();
            go_on.get_future().wait();
        }
        if (groups == 1) disk.plan({access, 0, false, FileKind::wal});
        ++groups;
    };
    store::RocksLog log(settings, budget);
    log.listen([](const store::Append&) {});
    log.open();
    log.put({{"a", "0"}}, [](auto) {});
    arrived.get_future().wait();
    std::optional<store::AppendError> of_put, of_append;
    log.put({{"a", "1"}, {"b", "1"}}, [&](std::optional<store::AppendError> error) { of_put = error; });
    Sent sent = Sender(1).make({{"s", {}}}, 100);
    store::Attempt attempt(sent.attempt);
    attempt.values = {{"a", "2"}, {"c", "2"}};
    log.append(attempt, sent.appends(), [&](const store::AppendResult& result) { of_append = result.error; });
    log.put({{"d", "1"}}, [&](auto) { ended.set_value(); });
    go_on.set_value();
    ended.get_future().wait();
    CHECK(of_put == store::AppendError::unknown);
    CHECK(of_append == store::AppendError::unknown);
    EVENTUALLY(log.state().condition == store::LogState::Condition::open);
    std::promise<bool> written;
    log.put({}, [&](std::optional<store::AppendError> error) { written.set_value(!error); });
    CHECK(written.get_future().get());
    const bool is_there = !log.read("s", 0, 1, 1).kept.empty();
    CHECK(is_there == (access == Access::sync));  // what is not synced stays if the machine goes on
    std::map<std::string, std::string> values;
    for (const store::NamedValue& each : log.values()) values[each.name] = each.value.value();
    if (is_there)
        CHECK(values == decltype(values){{"a", "2"}, {"b", "1"}, {"c", "2"}, {"d", "1"}});
    else
        CHECK(values == decltype(values){{"a", "1"}, {"b", "1"}, {"d", "1"}});
}

TEST_CASE("RocksLog: a disk that does not sync → the tests notice") {
    const auto outcomes =
        in_parallel(20, [](std::size_t i) { return outcome_of({.seed = seed(4'000) + i, .ignores_syncs = true}); });
    const auto noticed =
        std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& each) { return !each.wrong.empty(); });
    std::cout << "without the disk's syncs: noticed in " << noticed << " of " << outcomes.size() << " lives"
              << std::endl;
    CHECK(noticed > 10);
}
