#include <algorithm>
#include <new>
#include <ostream>
#include <thread>

#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/workbench/file_errors.hpp"
#include "broker/cli/workbench/input_file.hpp"
#include "broker/cli/workbench/operator_options.hpp"
#include "broker/cli/workbench/png_file.hpp"
#include "broker/cli/workbench/recurrence_output.hpp"
#include "gpu/operators/recurrence/series.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

using namespace recurrence;

constexpr std::size_t png_side_max = 1024;

std::optional<std::vector<double>> read_series(const std::string& path, const Console& console) {
    const auto [bytes, error] = read_whole_file(path);
    if (!error.empty()) {
        report_unreadable(path, error, console);
        return std::nullopt;
    }
    const std::string_view series = text::without_byte_order_mark(bytes);
    std::vector<double> values;
    try {
        if (const auto fault = parse_series(series, values, analysed_points_max)) {
            const auto line = 1 + std::count(series.begin(), series.begin() + static_cast<long>(fault->offset), '\n');
            report_error(path, static_cast<std::size_t>(line), fault->message, console);
            return std::nullopt;
        }
    } catch (const std::bad_alloc&) {
        report_unreadable(path, "not enough memory for its values", console);
        return std::nullopt;
    }
    if (values.empty()) {
        report_error(path, 0, "expected a series of numbers, not an empty one", console);
        return std::nullopt;
    }
    return values;
}

AnalysisOptions analysis_options(const RecurrenceOptions& options) {
    AnalysisOptions how;
    how.question = {options.epsilon, options.v_min, options.l_min};
    how.theiler = options.theiler;
    how.algorithm = options.algorithm;
    if (options.windows || options.seed || options.size) how.algorithm = Algorithm::microstates;
    how.windows = options.windows;
    how.seed = options.seed.value_or(how.seed);
    how.size = options.size.value_or(how.size);
    how.processor = options.processor;
    how.threads = options.threads;
    return how;
}

int fail_writing(const std::string& plot_file, const std::string& error, const Console& console) {
    console.error("can't write " + plot_file + ": " + error, {{"about", plot_file}});
    return exit_failed;
}

// Draws or writes the plot. Returns the exit status.
int show_plot(const RecurrenceOptions& options, const std::vector<double>& series, const GoOn& go_on, ProgressBar& bar,
              const Console& console) {
    const bool is_drawn = options.plot_file == "-";
    const std::size_t threads =
        options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    const Plot made = plot(series, options.epsilon, is_drawn ? console.out_columns : png_side_max, threads, go_on);
    bar.hide();
    if (made.side == 0) return exit_interrupted;
    if (is_drawn) {
        console.out << plot_text(made);
        return exit_done;
    }
    const auto side = static_cast<std::uint32_t>(made.side);
    const std::string error = write_png(options.plot_file, side, side, grey_levels(made));
    return error.empty() ? exit_done : fail_writing(options.plot_file, error, console);
}

}  // namespace

int recurrence(const RecurrenceOptions& options, Console console) {
    if (options.algorithm == Algorithm::exact && (options.windows || options.seed || options.size)) {
        console.error("--windows, --size and --seed are for --algorithm microstates");
        return exit_failed;
    }
    if (options.plot_file == "-" && options.json) {
        console.error("a plot can't be drawn between lines of JSON; --plot FILE.png writes it to a file");
        return exit_failed;
    }
    if (!options.plot_file.empty() && options.plot_file != "-") {
        if (!text::ascii_lower(options.plot_file).ends_with(".png")) {
            console.error("can't write a plot to " + options.plot_file +
                          ": plots are PNG; give a name that ends in .png, or - to draw the plot below the numbers");
            return exit_failed;
        }
        if (const auto error = why_not_writable(options.plot_file); !error.empty())
            return fail_writing(options.plot_file, error, console);
    }
    const auto series = read_series(options.series_file, console);
    if (!series) return exit_failed;
    ProgressBar bar(console.err, console.progress_columns);
    const Interrupt interrupt;
    AnalysisOptions how = analysis_options(options);
    how.go_on = [&](double share) {
        bar.show(share);
        return !Interrupt::requested();
    };
    const Analysis analysis = analyse(*series, how);
    bar.hide();
    if (!analysis.error.empty()) {
        report_error(options.series_file, 0, analysis.error, console);
        return exit_failed;
    }
    if (analysis.stopped) return exit_interrupted;
    if (options.json)
        console.print_json(plain_json(recurrence_json(options, how, series->size(), analysis)));
    else
        console.out << recurrence_text(options, how, series->size(), analysis);
    console.out.flush();
    return options.plot_file.empty() ? exit_done : show_plot(options, *series, how.go_on, bar, console);
}

}  // namespace sluice::cli
