#include "broker/cli/workbench/recurrence_output.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "broker/cli/common/input.hpp"
#include "broker/cli/common/with_digits.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

using recurrence::Analysis;
using recurrence::AnalysisOptions;
using recurrence::Estimate;

namespace {

std::string counted_with_unit(std::size_t n, const std::string& unit) {
    return std::to_string(n) + " " + unit + (n == 1 ? "" : "s");
}

// The fewest digits that tell the number from others.
std::string shortest_text(double number) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string value_text(const Estimate& estimate, bool is_exact) {
    if (std::isnan(estimate.value)) return "none: nothing recurs";
    const std::string value = with_digits(estimate.value, 6);
    return is_exact ? value : value + " ± " + with_digits(estimate.standard_error, 6);
}

std::string time_text(const Analysis& analysis) {
    const std::string time = analysis.seconds < 1 ? with_digits(analysis.seconds * 1000, 3) + " ms"
                                                  : with_digits(analysis.seconds, 3) + " s";
    const std::string threads = analysis.threads == 1 ? "one thread" : std::to_string(analysis.threads) + " threads";
    return time + " on " + (analysis.on_gpu ? "the GPU" : threads);
}

boost::json::value number_or_null(double number) {
    return std::isnan(number) ? boost::json::value(nullptr) : boost::json::value(number);
}

}  // namespace

std::string recurrence_text(const RecurrenceOptions& options, const AnalysisOptions& how, std::size_t points,
                            const Analysis& analysis) {
    const auto lines_of = [](std::uint32_t shortest) {
        return " (lines of at least " + counted_with_unit(shortest, "point") + ")\n";
    };
    const std::string windows = std::to_string(how.size) + " x " + std::to_string(how.size);
    std::string text = text::terminal_line(input_name(options.series_file)) + ": " +
                       counted_with_unit(points, "value") + ", epsilon " + shortest_text(options.epsilon) + "\n";
    if (!analysis.is_exact)
        text += "microstates       " + std::to_string(analysis.windows) + " of " + windows + ", seed " +
                std::to_string(how.seed) + "\n";
    text += "recurrence rate   " + value_text(analysis.recurrence_rate, analysis.is_exact) + "\n" +
            "determinism       " + value_text(analysis.determinism, analysis.is_exact) + lines_of(options.l_min) +
            "laminarity        " + value_text(analysis.laminarity, analysis.is_exact) + lines_of(options.v_min);
    if (!analysis.is_exact)
        text += "Froguel's value   " + value_text({analysis.froguel_laminarity, 0}, true) +
                " (the mean laminarity of the microstates)\n";
    text += "time              " + time_text(analysis) + "\n";
    if (!analysis.gpu_error.empty()) text += "note              the GPU failed: " + analysis.gpu_error + "\n";
    return text;
}

boost::json::object recurrence_json(const RecurrenceOptions& options, const AnalysisOptions& how, std::size_t points,
                                    const Analysis& analysis) {
    boost::json::object object{{"series", options.series_file},
                               {"points", points},
                               {"epsilon", options.epsilon},
                               {"v_min", options.v_min},
                               {"l_min", options.l_min},
                               {"theiler", options.theiler},
                               {"algorithm", analysis.is_exact ? "exact" : "microstates"}};
    const auto add = [&](const std::string& name, const Estimate& estimate) {
        object[name] = number_or_null(estimate.value);
        if (!analysis.is_exact) object[name + "_error"] = number_or_null(estimate.standard_error);
    };
    add("recurrence_rate", analysis.recurrence_rate);
    add("determinism", analysis.determinism);
    add("laminarity", analysis.laminarity);
    if (!analysis.is_exact) {
        object["froguel_laminarity"] = number_or_null(analysis.froguel_laminarity);
        object["windows"] = analysis.windows;
        object["size"] = how.size;
        object["seed"] = how.seed;
    }
    object["seconds"] = analysis.seconds;
    object["processor"] = analysis.on_gpu ? "gpu" : "cpu";
    object["workers"] = analysis.on_gpu ? 1 : analysis.threads;
    if (!analysis.gpu_error.empty()) object["gpu_failure"] = analysis.gpu_error;
    return object;
}

std::vector<std::uint8_t> grey_levels(const recurrence::Plot& plot) {
    std::vector<std::uint8_t> levels;
    levels.reserve(plot.shares.size());
    for (std::size_t row = plot.side; row-- > 0;) {
        for (std::size_t column = 0; column < plot.side; ++column)
            levels.push_back(static_cast<std::uint8_t>(255 - std::lround(255 * plot.at(row, column))));
    }
    return levels;
}

std::string plot_text(const recurrence::Plot& plot) {
    constexpr const char* blocks[] = {"░", "▒", "▓", "█"};
    std::string text;
    for (std::size_t end = plot.side; end > 0; end -= std::min<std::size_t>(end, 2)) {
        std::string line;
        for (std::size_t column = 0; column < plot.side; ++column) {
            const float lower = plot.at(end > 1 ? end - 2 : 0, column), share = (plot.at(end - 1, column) + lower) / 2;
            line += share > 0 ? blocks[std::min(3, static_cast<int>(4 * share))] : " ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace sluice::cli
