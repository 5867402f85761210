#include "broker/cli/workbench/distance_output.hpp"

#include <algorithm>
#include <cmath>

#include "broker/cli/common/with_digits.hpp"
#include "protocol/text/terminal.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

std::string how_many(std::uint64_t n, const std::string& noun) {
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

// 4.3e9; up to a million as it is.
std::string short_number(double number) {
    if (number < 1e6) return with_digits(number, 0);
    auto exponent = static_cast<int>(std::floor(std::log10(number)));
    if (std::round(number / std::pow(10, exponent) * 10) >= 100) ++exponent;
    return with_digits(number / std::pow(10, exponent), 1) + "e" + std::to_string(exponent);
}

std::string milliseconds_or_seconds(double seconds) {
    return seconds < 1 ? with_digits(seconds * 1000, 1) + " ms" : with_digits(seconds, 1) + " s";
}

double gcups(const DistanceSummary& summary, double seconds) { return summary.cells() / seconds / 1e9; }

bool says_parts(const DistanceOptions& options, const edits::AllPairs::Work& work) {
    return options.all_pairs.parts > 0 || work.plan.method >= edits::Method::o_asm;
}

}  // namespace

std::string shown_string(std::string_view utf8) {
    constexpr std::size_t characters_max = 60;
    std::size_t bytes = 0;
    for (std::size_t n = 0; n < characters_max && bytes < utf8.size(); ++n)
        bytes += std::max<std::size_t>(1, text::utf8_at(utf8, bytes).length);
    return text::terminal_line(utf8.substr(0, bytes)) + (bytes < utf8.size() ? "…" : "");
}

std::string distance_line(std::uint32_t distance, std::uint64_t pattern, std::uint64_t text,
                          std::string_view shown_pattern, std::string_view shown_text) {
    std::string line = std::to_string(distance);
    line += '\t';
    line += std::to_string(pattern);
    line += '\t';
    line += std::to_string(text);
    line += '\t';
    line += shown_pattern;
    line += '\t';
    line += shown_text;
    line += '\n';
    return line;
}

boost::json::object distance_json(std::uint32_t distance, std::uint64_t pattern, std::uint64_t text,
                                  const std::optional<std::string>& record) {
    boost::json::object object{{"pattern", pattern}, {"text", text}};
    if (record) object["record"] = text::printable_utf8(*record);
    object["distance"] = distance;
    return object;
}

std::string summary_line(const DistanceOptions& options, const DistanceSummary& summary) {
    const auto& work = summary.work;
    std::string line = how_many(summary.patterns, "pattern") + ", " + how_many(summary.texts, "text") + " of " +
                       how_many(summary.text_characters, "character");
    if (options.all_pairs.within)
        line += ", " + how_many(summary.within, "pair") + " within " + std::to_string(*options.all_pairs.within);
    line += ": " + short_number(summary.cells()) + " cells in " + milliseconds_or_seconds(work.seconds);
    if (work.seconds > 0) line += " (" + with_digits(gcups(summary, work.seconds), 1) + " GCUPS)";
    line += ", " + std::string(edits::method_name(work.plan.method));
    if (says_parts(options, work)) line += " in " + how_many(work.parts, "part");
    if (work.plan.on_gpu)
        line += " on the GPU";
    else
        line += work.threads == 1 ? " on one thread" : " on " + std::to_string(work.threads) + " threads";
    if (work.kernel_seconds > 0)
        line += ", kernels " + milliseconds_or_seconds(work.kernel_seconds) + " (" +
                with_digits(gcups(summary, work.kernel_seconds), 1) + " GCUPS)";
    line += '\n';
    if (!work.gpu_error.empty()) line += "the GPU failed: " + work.gpu_error + "\n";
    return line;
}

boost::json::object summary_json(const DistanceOptions& options, const DistanceSummary& summary) {
    const auto& work = summary.work;
    boost::json::object object{{"patterns", summary.patterns},
                               {"pattern_characters", summary.pattern_characters},
                               {"texts", summary.texts},
                               {"text_characters", summary.text_characters},
                               {"compared", options.all_pairs.extent == edits::Extent::whole ? "whole" : "substrings"},
                               {"costs", options.costs},
                               {"cells", summary.pattern_characters * summary.text_characters},
                               {"seconds", work.seconds}};
    if (work.seconds > 0) object["gcups"] = gcups(summary, work.seconds);
    if (work.kernel_seconds > 0) object["kernel_seconds"] = work.kernel_seconds;
    if (options.all_pairs.within) {
        object["within"] = *options.all_pairs.within;
        object["pairs_within"] = summary.within;
    }
    object["algorithm"] = edits::method_name(work.plan.method);
    if (says_parts(options, work)) object["parts"] = work.parts;
    object["processor"] = work.plan.on_gpu ? "gpu" : "cpu";
    if (!work.plan.on_gpu) object["threads"] = work.threads;
    if (!work.gpu_error.empty()) object["gpu_failure"] = work.gpu_error;
    return object;
}

}  // namespace sluice::cli
