// sluiced: the daemon's process. Command line, configuration, signals, exit status:
// 0 drained after SIGTERM or SIGINT, 1 could not run, 2 bad configuration or command line.
#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sys/resource.h>

#include "broker/base/log.hpp"
#include "broker/base/version.hpp"
#include "broker/broker.hpp"
#include "config/load.hpp"
#include "protocol/feed/document.hpp"

namespace {

constexpr int exit_failure = 1;
constexpr int exit_bad_configuration = 2;

struct Arguments {
    std::optional<std::filesystem::path> config;
    std::vector<std::string> overrides;
    bool check_config = false;
};

// A status: the process is to end with it.
std::optional<int> read_arguments(int argc, char** argv, Arguments& arguments) {
    CLI::App app{"sluiced, a broker that delivers the items of published feeds to those whose filters accept them"};
    app.add_option("-c,--config", arguments.config, "configuration file (YAML); without it the defaults hold")
        ->type_name("FILE");
    app.add_option("--set", arguments.overrides, "override an option, such as --set http.port=0; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    app.add_flag("--check-config", arguments.check_config, "check the configuration and exit");
    bool print_defaults = false;
    app.add_flag("--print-defaults", print_defaults, "print every option with its default, and exit");
    app.set_version_flag("-V,--version", "sluiced " + std::string(sluice::version()));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_bad_configuration;
    }
    if (!print_defaults) return std::nullopt;
    std::cout << sluice::default_yaml();
    return 0;
}

// Event paths are XPath, which the config folder knows nothing of.
std::vector<sluice::ConfigError> find_bad_event_paths(const Arguments& arguments, const sluice::Options& options) {
    std::vector<sluice::ConfigError> errors;
    for (const auto& [name, stream] : options.streams) {
        const auto parsed = sluice::parse_document("<event/>", {"application/xml", stream.event_path, {}});
        if (parsed || parsed.error().kind != sluice::FeedError::Kind::event_path) continue;
        errors.push_back({arguments.config.value_or("--set").string(), 0, 0,
                          "streams." + name + ".event_path: " + parsed.error().message});
    }
    return errors;
}

// Subscribers and publishers each take a file descriptor; the soft limit is often only 1,024.
void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int run(const sluice::Options& options, const sigset_t& end_signals) {
    sluice::Broker broker(options);
    broker.start();
    const auto endpoint = broker.local_endpoint();
    sluice::log_info("listening", {{"address", endpoint.address().to_string()}, {"port", endpoint.port()}});
    int signal = 0;
    sigwait(&end_signals, &signal);
    sluice::log_info("draining", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
    // A second Ctrl-C ends the process at once; a second SIGTERM does not, since supervisors send it more than once.
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
    broker.drain();
    sluice::log_info("stopped", {{"events", broker.counters().events.load()},
                                 {"deliveries", broker.counters().deliveries.load()},
                                 {"events_lost", broker.counters().events_lost.load()}});
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    if (const auto status = read_arguments(argc, argv, arguments)) return *status;
    sluice::LoadedConfig config = sluice::load_config(arguments.config, arguments.overrides);
    if (config.errors.empty()) config.errors = find_bad_event_paths(arguments, config.options);
    for (const auto& error : config.errors) std::cerr << to_string(error) << '\n';
    if (!config.errors.empty()) return exit_bad_configuration;
    if (arguments.check_config) {
        std::cout << "configuration is valid\n";
        return 0;
    }
    sluice::configure_log(config.options.log);
    raise_descriptor_limit();
    std::signal(SIGPIPE, SIG_IGN);
    // Blocked before there are threads, so that all of them inherit it and only sigwait() sees the signals.
    sigset_t end_signals;
    sigemptyset(&end_signals);
    sigaddset(&end_signals, SIGTERM);
    sigaddset(&end_signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &end_signals, nullptr);
    try {
        return run(config.options, end_signals);
    } catch (const std::exception& error) {
        std::cerr << "sluiced: " << error.what() << '\n';
        return exit_failure;
    }
}
