#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

#include "broker/cli/common/add_command.hpp"
#include "broker/cli/workbench/operator_commands.hpp"
#include "broker/cli/workbench/operator_options.hpp"

namespace sluice::cli {

namespace {

constexpr std::uint64_t points_max = recurrence::analysed_points_max;

double read_epsilon(const std::string& text) {
    char* end = nullptr;
    const double epsilon = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(epsilon) || !(epsilon > 0))
        throw CLI::ValidationError("--epsilon must be a number above 0, not " + text);
    return epsilon;
}

void add_recurrence_numbers(CLI::App& command, const std::shared_ptr<RecurrenceOptions>& options) {
    command
        .add_option_function<std::string>(
            "--epsilon", [options](const std::string& text) { options->epsilon = read_epsilon(text); },
            "Values recur that are nearer than this")
        ->type_name("NUMBER")
        ->required();
    const auto add_length = [&](const char* option, const char* what, std::uint64_t min, std::uint64_t max,
                                std::uint32_t& length) {
        // The options live as long as the command.
        base::add_number_from(command, option, what, min, max,
                              [options, &length](std::uint64_t n) { length = static_cast<std::uint32_t>(n); });
    };
    add_length("--v-min", "Vertical lines count from this many points on, for laminarity (default: 2)", 1, points_max,
               options->v_min);
    add_length("--l-min", "Diagonal lines count from this many points on, for determinism (default: 2)", 1, points_max,
               options->l_min);
    add_length("--theiler", "Determinism leaves out this many diagonals, from the main one on (default: 1)", 0,
               points_max, options->theiler);
    base::add_number_from(command, "--windows",
                          "The number of microstates (default: until the standard error is below 0.005)", 2,
                          recurrence::windows_max, [options](std::uint64_t n) { options->windows = n; });
    base::add_number_from(command, "--size", "The microstates' rows and columns, from 2 to 32 (default: 32)", 2,
                          recurrence::MicrostateOptions::size_max,
                          [options](std::uint64_t n) { options->size = static_cast<std::uint32_t>(n); });
    base::add_number(command, "--seed", "Chooses the microstates' places (default: 1)",
                     std::numeric_limits<std::uint64_t>::max(), [options](std::uint64_t n) { options->seed = n; });
    base::add_number(command, "--threads", "Threads on the CPU (default: one per core)", threads_max,
                     [options](std::uint64_t n) { options->threads = static_cast<unsigned>(n); });
}

}  // namespace

void add_recurrence(CLI::App& app, int& exit_status) {
    std::shared_ptr<RecurrenceOptions> options;
    auto& command = add_command(app, "recurrence", "Recurrence quantification of a series of numbers (needs no broker)",
                                help::recurrence, recurrence, exit_status, options);
    command
        .add_option("SERIES", options->series_file,
                    "Decimal numbers separated by white space, commas or semicolons, which may be compressed by gzip; "
                    "- reads standard input")
        ->type_name("FILE")
        ->required();
    add_recurrence_numbers(command, options);
    base::add_choice(command, "--algorithm",
                     "exact counts all cells of the matrix, microstates estimates from windows at random places "
                     "(default: exact up to 262,144 values; --windows, --size and --seed imply microstates)",
                     "ALGORITHM", {"exact", "microstates"}, [options](std::size_t choice) {
                         using recurrence::Algorithm;
                         options->algorithm = choice == 0 ? Algorithm::exact : Algorithm::microstates;
                     });
    base::add_choice(command, "--processor", "auto (the default), cpu or gpu", "PROCESSOR", {"auto", "cpu", "gpu"},
                     [options](std::size_t choice) {
                         using recurrence::Processor;
                         constexpr Processor processors[] = {Processor::automatic, Processor::cpu, Processor::gpu};
                         options->processor = processors[choice];
                     });
    command
        .add_option("--plot", options->plot_file,
                    "Write the recurrence plot as PNG, up to 1,024 pixels wide; - draws it below the numbers")
        ->type_name("FILE.png");
}

}  // namespace sluice::cli
