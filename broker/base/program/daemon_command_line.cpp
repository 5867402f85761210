#include "broker/base/program/daemon_command_line.hpp"

#include <CLI/CLI.hpp>

#include "broker/base/program/version.hpp"

namespace sluice::base {

namespace {

constexpr const char* daemon_footer =
    R"(Options that --set gives override those of the configuration file.

Signals:
  SIGTERM, SIGINT  stop, after delivering what is queued; see shutdown.drain_timeout. A second one stops at once
  SIGHUP           read certificates and the users file again

Environment:
  STATE_DIRECTORY  with store.path: auto, the store is in its folder store; systemd sets it
  XDG_STATE_HOME   without it, the store is in sluice/store below this folder (default: ~/.local/state)

Exit status: 0 stopped by a signal, 1 could not run or did not end in time, 2 invalid configuration or command line.

Examples:
  sluiced
  sluiced --set http.port=8081 --set store.kind=memory
  sluiced --print-defaults > sluice.yaml
  sluiced --config sluice.yaml --check-config)";

}  // namespace

std::shared_ptr<CLI::App> daemon_command_line(DaemonArguments& arguments) {
    auto app = std::make_shared<CLI::App>(
        "sluiced, a broker that delivers the items of published feeds to those whose filters accept them", "sluiced");
    app->add_option("-c,--config", arguments.config,
                    "configuration file (YAML), or a pipe such as <(...); defaults apply without it")
        ->type_name("FILE");
    app->add_option("--set", arguments.overrides, "override an option, such as --set http.port=0; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    app->add_flag("--check-config", arguments.check_config, "check the configuration and exit");
    app->add_flag("--print-defaults", arguments.print_defaults, "print every option with its default, and exit");
    app->set_version_flag("-V,--version", "sluiced " + std::string(version()));
    app->footer(daemon_footer);
    return app;
}

}  // namespace sluice::base
