// sluiced: the daemon's process. Command line, configuration, signals, exit status:
// 0 drained after SIGTERM or SIGINT, 1 could not run or did not end in time, 2 bad configuration or command line.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <future>
#include <iostream>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include "broker/base/failed_check.hpp"
#include "broker/base/log.hpp"
#include "broker/base/process.hpp"
#include "broker/base/program/command_line.hpp"
#include "broker/base/program/daemon_command_line.hpp"
#include "broker/base/program/version.hpp"
#include "broker/base/signals.hpp"
#include "broker/base/watchdog.hpp"
#include "broker/broker.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/ingest/event_path.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/authentication.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/tls/tls_server.hpp"
#include "config/load.hpp"
#include "config/options.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/text/terminal.hpp"

namespace {

constexpr int exit_failure = 1;
constexpr int exit_bad_configuration = 2;
constexpr std::chrono::milliseconds overtime{800};  // after shutdown.drain_timeout, until the process ends in any case:
                                                    // within a second, including its last words
constexpr std::chrono::milliseconds log_patience{500};         // for writing the log at the end
constexpr std::chrono::milliseconds last_words_patience{150};  // the same when the process is already late
constexpr std::chrono::seconds repetition{1};  // SIGTERM sooner after the first is the same one: some supervisors send
                                               // it to the process and to its group

using Arguments = sluice::base::DaemonArguments;

// The exit status after only printing something.
int exit_after_output() { return sluice::base::finish_output("sluiced") ? 0 : exit_failure; }

// Returns the exit status if the process should end.
std::optional<int> read_arguments(int argc, char** argv, Arguments& arguments) {
    const auto app = sluice::base::daemon_command_line(arguments);
    if (const auto status = sluice::base::parse_command_line(*app, argc, argv, exit_bad_configuration)) {
        return *status == 0 ? exit_after_output() : *status;
    }
    if (!arguments.print_defaults) return std::nullopt;
    std::cout << sluice::config::default_yaml();
    return exit_after_output();
}

// Of the files that the configuration names, as the start would find them. Returns whether there are none.
bool report_faults_in_files(const sluice::config::Options& options) {
    const std::string faults[] = {
        sluice::server::Authentication::find_fault(options.auth, sluice::server::filter_limits(options.limits)),
        sluice::server::TlsServer::find_fault(options.tls)};
    bool is_valid = true;
    for (const std::string& fault : faults) {
        if (fault.empty()) continue;
        is_valid = false;
        std::cerr << sluice::text::terminal_lines(fault) << '\n';
    }
    return is_valid;
}

// Waits for SIGTERM or SIGINT and returns it. Logs the other signals. Meanwhile reads files again that have changed.
int wait_for_end(const sigset_t& signals, sluice::broker::Broker& broker) {
    constexpr timespec look_interval{2, 0};
    for (;;) {
        const int signal = sigtimedwait(&signals, nullptr, &look_interval);
        if (signal == SIGTERM || signal == SIGINT) return signal;
        if (signal < 0) {
            if (errno == EAGAIN) broker.reload_files(true);
            continue;
        }
        if (signal == SIGHUP) {
            sluice::base::log_info("SIGHUP: certificates and users are read again; options need a restart");
            broker.reload_files(false);
        } else
            sluice::base::log_warn("signal ignored: it has no meaning here",
                                   {{"signal", sluice::base::signal_name(signal)}});
    }
}

constexpr int end_signals[] = {SIGTERM, SIGINT};

void mask_end_signals(int how) {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : end_signals) sigaddset(&signals, signal);
    pthread_sigmask(how, &signals, nullptr);
}

std::chrono::steady_clock::time_point repeated_from;

// From now on a second Ctrl-C ends the process at once, and so does a second SIGTERM.
void end_when_told_again() {
    repeated_from = std::chrono::steady_clock::now() + repetition;
    std::signal(SIGTERM, [](int signal) {
        if (std::chrono::steady_clock::now() < repeated_from) return;
        std::signal(signal, SIG_DFL);
        std::raise(signal);  // takes effect when this handler returns
    });
    mask_end_signals(SIG_UNBLOCK);
}

void log_unfinished(sluice::broker::Broker& broker) {
    const sluice::server::Services& services = broker.services();
    sluice::base::log_error("drain timeout, the process ends with work unfinished",
                            {{"stage", broker.stage()},
                             {"events_queued", services.queue.events()},
                             {"connections", services.connections.size()},
                             {"subscribers", services.subscribers.load()}});
    sluice::base::flush_log(last_words_patience);
}

void log_threads_left() {
    sluice::base::log_error("drain timeout, the process ends with threads still running");
    sluice::base::flush_log(last_words_patience);
}

// Reports an escaped exception in the log. The default handler writes to standard error, which might block.
[[noreturn]] void abort_with_reason() {
    try {
        if (const auto failure = std::current_exception()) std::rethrow_exception(failure);
        sluice::base::log_error("the process aborts", {{"reason", "std::terminate"}});
    } catch (const std::exception& error) {
        sluice::base::log_error("the process aborts", {{"reason", error.what()}});
    } catch (...) {
        sluice::base::log_error("the process aborts", {{"reason", "an exception of unknown type"}});
    }
    sluice::base::flush_log(log_patience);
    std::abort();
}

// While it lives, SIGTERM and SIGINT end the process at once: nothing has been accepted that could be lost. A thread of
// its own gets them, since those that others start meanwhile inherit the mask of who starts them.
class EndsWhenTold {
public:
    EndsWhenTold() {
        for (const int signal : end_signals) std::signal(signal, [](int) { _exit(0); });
        thread_ = std::thread([over = over_.get_future()] {
            mask_end_signals(SIG_UNBLOCK);
            over.wait();
            mask_end_signals(SIG_BLOCK);
        });
    }
    ~EndsWhenTold() {
        over_.set_value();
        thread_.join();
        for (const int signal : end_signals) std::signal(signal, SIG_DFL);
    }
    EndsWhenTold(const EndsWhenTold&) = delete;
    EndsWhenTold& operator=(const EndsWhenTold&) = delete;

private:
    std::promise<void> over_;
    std::thread thread_;
};

// Scripts read the port at the end of the line.
void log_listening(const sluice::broker::Broker& broker, const Arguments& arguments) {
    const std::string configuration = arguments.config ? arguments.config->string() : "defaults";
    for (const sluice::config::ListenerOptions& place : broker.places()) {
        std::vector<sluice::base::LogField> fields{{"version", sluice::base::version()},
                                                   {"configuration", configuration},
                                                   {"overrides", arguments.overrides.size()}};
        if (place.tls) fields.emplace_back("tls", true);
        if (place.is_unix()) {
            fields.emplace_back("unix", place.unix_path);
        } else {
            fields.emplace_back("address", place.address);
            fields.emplace_back("port", place.port);
        }
        sluice::base::log_always("listening", fields);
    }
}

void log_ready(sluice::broker::Broker& broker, std::chrono::steady_clock::duration took) {
    const sluice::server::Services& services = broker.services();
    const sluice::engine::EngineStatus engine = services.registry.engine();
    std::vector<sluice::base::LogField> fields{{"backend", engine.backend},
                                               {"matches", engine.reason},
                                               {"matcher_threads", services.options.matcher.threads},
                                               {"io_threads", broker.io_threads()},
                                               {"memory_bytes", services.memory.bytes_max()},
                                               {"store", broker.store_path().empty() ? "memory" : "rocksdb"}};
    if (!broker.store_path().empty()) {
        fields.emplace_back("path", broker.store_path());
        fields.emplace_back("streams", broker.streams());
    }
    fields.emplace_back("milliseconds", std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
    sluice::base::log_always("ready", fields);
}

void start(sluice::broker::Broker& broker, const Arguments& arguments) {
    const EndsWhenTold until_it_serves;
    broker.start();
    log_listening(broker, arguments);
    broker.open();
}

int run(const sluice::config::Options& options, const Arguments& arguments, const sigset_t& signals) {
    sluice::base::Watchdog watchdog(exit_failure);  // outlives the broker, whose destructor waits for its threads
    sluice::broker::Broker broker(options);
    const auto time_left = options.shutdown.drain_timeout + overtime;
    try {
        const auto begin = std::chrono::steady_clock::now();
        start(broker, arguments);
        broker.serve();
        log_ready(broker, std::chrono::steady_clock::now() - begin);
    } catch (...) {
        watchdog.arm(sluice::base::Watchdog::Clock::now() + time_left,
                     log_threads_left);  // the threads already started must end
        throw;
    }
    const int signal = wait_for_end(signals, broker);
    watchdog.arm(sluice::base::Watchdog::Clock::now() + time_left, [&broker] { log_unfinished(broker); });
    sluice::base::log_info("draining", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
    end_when_told_again();
    broker.drain();
    sluice::base::log_info("stopped", {{"events", broker.counters().events.load()},
                                       {"deliveries", broker.counters().deliveries.load()},
                                       {"events_lost", broker.counters().events_lost.load()}});
    watchdog.replace_last_words(log_threads_left);
    return 0;
}

int run_or_say_why_not(const sluice::config::Options& options, const Arguments& arguments, const sigset_t& signals) {
    try {
        return run(options, arguments, signals);
    } catch (const std::system_error& error) {
        const bool is_limit = error.code() == std::errc::resource_unavailable_try_again;
        const std::string reason = is_limit ? "a thread could not be started; a limit on processes (ulimit -u, "
                                              "pids.max) or on memory is reached: "
                                            : "";
        sluice::base::log_end(reason + error.what());
    } catch (const std::exception& error) {
        sluice::base::log_end(error.what());
    }
    return exit_failure;
}

}  // namespace

int main(int argc, char** argv) {
    sluice::base::open_standard_descriptors();
    sigset_t signals = sluice::base::block_meaningless_signals();
    Arguments arguments;
    if (const auto status = read_arguments(argc, argv, arguments)) return *status;
    sluice::config::LoadedConfig config =
        sluice::config::load_config(arguments.config, arguments.overrides, sluice::broker::check_event_path);
    for (const auto& error : config.errors) std::cerr << sluice::text::terminal_lines(to_string(error)) << '\n';
    if (!config.errors.empty()) return exit_bad_configuration;
    if (arguments.check_config) {
        if (!report_faults_in_files(config.options)) return exit_bad_configuration;
        std::cout << "configuration is valid\n";
        return exit_after_output();
    }
    sluice::base::set_thread_stacks();
    sluice::base::raise_descriptor_limit();
    umask(S_IRWXG | S_IRWXO);  // the store is for its owner alone
    // Blocked before threads start: all inherit the mask, and only sigwait() receives the signals.
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    try {
        sluice::base::configure_log(config.options.log);
    } catch (const std::exception& error) {
        sluice::base::log_end(std::string("can't start the log's thread: ") + error.what());
        return exit_failure;
    }
    std::set_terminate(abort_with_reason);
    sluice::base::log_failed_checks();
    const int status = run_or_say_why_not(config.options, arguments, signals);
    sluice::base::flush_log(log_patience);
    return status;
}
