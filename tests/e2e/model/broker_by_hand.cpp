// The broker for tests that need to move its clocks and to have it end at a certain point. Takes --set NAME=VALUE like
// sluiced, says the same in its log when it listens and is ready, and ends like it on SIGTERM or SIGINT. Obeys lines of
// standard input, each of which it answers by a line, and ends when that is closed:
//   advance MS         both clocks go on by so much, and what is due then is looked for; else the steady clock stands
//   exit at POINT N    the process ends, without any cleaning up, when it comes to the point for the Nth time from now
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/signalfd.h>
#include <unistd.h>
#include <vector>

#include "broker/base/failed_check.hpp"
#include "broker/base/log.hpp"
#include "broker/base/process.hpp"
#include "broker/base/signals.hpp"
#include "broker/broker.hpp"
#include "broker/core/ingest/event_path.hpp"
#include "broker/store/wall_clock.hpp"
#include "config/load.hpp"

namespace {

constexpr int exit_failure = 1;
constexpr int exit_bad_configuration = 2;
constexpr int exit_at_point = 9;

class Clock {
public:
    std::chrono::steady_clock::time_point steady_now() const { return begin_ + advanced(); }
    std::int64_t wall_now() const {
        return sluice::store::wall_time() + std::chrono::duration_cast<std::chrono::microseconds>(advanced()).count();
    }
    void advance(std::chrono::milliseconds by) { advanced_ms_ += by.count(); }

private:
    std::chrono::milliseconds advanced() const { return std::chrono::milliseconds(advanced_ms_.load()); }

    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::atomic<std::int64_t> advanced_ms_ = 0;
};

class Points {
public:
    void set(const std::string& name, std::uint64_t times) {
        const std::lock_guard lock(mutex_);
        left_[name] = times;
    }
    void pass(std::string_view name) {
        const std::lock_guard lock(mutex_);
        const auto found = left_.find(name);
        if (found != left_.end() && --found->second == 0) _exit(exit_at_point);
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::uint64_t, std::less<>> left_;
};

std::optional<std::vector<std::string>> read_overrides(int argc, char** argv) {
    std::vector<std::string> overrides;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (argv[i] != std::string_view("--set")) return std::nullopt;
        overrides.emplace_back(argv[i + 1]);
    }
    return argc % 2 == 1 ? std::optional(std::move(overrides)) : std::nullopt;
}

// False: it is no command.
bool obey(const std::string& line, sluice::broker::Broker& broker, Clock& clock, Points& points) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (std::int64_t ms = 0; command == "advance" && words >> ms) {
        clock.advance(std::chrono::milliseconds(ms));
        broker.clock_moved();
        return true;
    }
    std::string at, point;
    if (std::uint64_t times = 0; command == "exit" && words >> at >> point >> times && at == "at" && times != 0) {
        points.set(point, times);
        return true;
    }
    return false;
}

// Returns at the end of standard input, or when a signal asks for the end.
void obey_all(int signals, sluice::broker::Broker& broker, Clock& clock, Points& points) {
    std::string input;
    for (;;) {
        pollfd sources[] = {{signals, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
        if (poll(sources, 2, -1) < 0) continue;
        if (sources[0].revents != 0) return;
        char piece[4'096];
        const ssize_t n = read(STDIN_FILENO, piece, sizeof piece);
        if (n <= 0) return;
        input.append(piece, static_cast<std::size_t>(n));
        for (std::size_t end = 0; (end = input.find('\n')) != std::string::npos; input.erase(0, end + 1)) {
            const bool is_known = obey(input.substr(0, end), broker, clock, points);
            std::cout << (is_known ? "ok" : "what?") << std::endl;
        }
    }
}

void run(const sluice::config::Options& options, int signals) {
    Clock clock;
    Points points;
    sluice::broker::Broker broker(options, {.steady_now = [&clock] { return clock.steady_now(); },
                                            .wall_now = [&clock] { return clock.wall_now(); },
                                            .at_point = [&points](std::string_view name) { points.pass(name); }});
    broker.start();
    sluice::base::log_always("listening", {{"port", broker.port()}});
    broker.open();
    broker.serve();
    sluice::base::log_always("ready");
    obey_all(signals, broker, clock, points);
    broker.drain();
}

}  // namespace

int main(int argc, char** argv) {
    sigset_t signals = sluice::base::block_meaningless_signals();
    for (const int signal : {SIGTERM, SIGINT}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    const auto overrides = read_overrides(argc, argv);
    if (!overrides) {
        std::cerr << "usage: broker_by_hand [--set NAME=VALUE]...\n";
        return exit_bad_configuration;
    }
    const sluice::config::LoadedConfig config =
        sluice::config::load_config({}, *overrides, sluice::broker::check_event_path);
    for (const auto& error : config.errors) std::cerr << to_string(error) << '\n';
    if (!config.errors.empty()) return exit_bad_configuration;
    sluice::base::set_thread_stacks();
    sluice::base::configure_log(config.options.log);
    sluice::base::log_failed_checks();
    int status = 0;
    try {
        run(config.options, signalfd(-1, &signals, SFD_CLOEXEC));
    } catch (const std::exception& error) {
        sluice::base::log_end(error.what());
        status = exit_failure;
    }
    sluice::base::flush_log(std::chrono::milliseconds(500));
    return status;
}
