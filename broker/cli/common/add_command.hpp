// Adds a command of the sluice program to its command line. Called from main, on one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>

#include "broker/base/program/command_line.hpp"
#include "broker/cli/common/console.hpp"
#include "broker/cli/common/help_texts.hpp"
#include "broker/cli/common/output_options.hpp"

namespace sluice::cli {

constexpr std::uint64_t threads_max = 1024;  // of --threads

// Adds a command with its own options. Parsing it calls `run` with them and stores the exit status.
template <class Options>
CLI::App& add_command(CLI::App& app, const char* name, const char* what, const help::CommandHelp& help,
                      int (*run)(const Options&, Console), int& exit_status, std::shared_ptr<Options>& options) {
    options = std::make_shared<Options>();
    auto* command = app.add_subcommand(name, what);
    command->footer(help::footer(help));
    command->callback(
        [options, run, &exit_status] { exit_status = run(*options, process_console(options->colour, options->json)); });
    command->add_flag("--json", options->json, "Print JSON, one object a line; also messages, on standard error");
    base::add_choice(
        *command, "--color", "auto (the default: on terminals, unless NO_COLOR is set), always or never", "WHEN",
        {"auto", "always", "never"}, [options](std::size_t choice) {
            constexpr ColourChoice choices[] = {ColourChoice::automatic, ColourChoice::always, ColourChoice::never};
            options->colour = choices[choice];
        });
    return *command;
}

}  // namespace sluice::cli
