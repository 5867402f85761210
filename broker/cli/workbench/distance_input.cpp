#include "broker/cli/workbench/distance_input.hpp"

#include <algorithm>
#include <numeric>

#include "broker/cli/common/input.hpp"
#include "broker/cli/workbench/file_errors.hpp"
#include "broker/cli/workbench/input_file.hpp"
#include "broker/cli/workbench/text_reader.hpp"
#include "gpu/operators/edits/edits.hpp"
#include "gpu/tools/distance/cost_file.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

// All patterns stay in memory, with tables of several times their size.
constexpr std::size_t pattern_file_bytes_max = std::size_t{64} << 20;
constexpr std::size_t cost_file_bytes_max = std::size_t{1} << 20;

// Why a pattern is not valid, or "".
std::string pattern_fault(std::string_view pattern) {
    if (const auto fault = find_text_fault(pattern, "pattern"))
        return fault->what + ", byte " + std::to_string(fault->at + 1) + " of the line";
    return edits::refusal(pattern);
}

}  // namespace

std::size_t DistancePatterns::longest() const { return lengths.empty() ? 0 : *std::ranges::max_element(lengths); }
std::uint64_t DistancePatterns::characters() const {
    return std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
}

std::optional<DistancePatterns> read_patterns(const std::string& path, bool plain, bool ignore_case,
                                              const Console& console) {
    auto file = read_pattern_file(path, plain, {pattern_file_bytes_max, edits::patterns_max, pattern_fault}, console);
    if (!file) return std::nullopt;
    DistancePatterns found;
    found.file = std::move(*file);
    if (ignore_case) found.folded = std::make_unique<const std::string>(text::ascii_lower(*found.file.bytes));
    const char* const bytes = found.file.bytes->data();
    for (std::string_view pattern : found.file.patterns) {
        if (ignore_case) pattern = {found.folded->data() + (pattern.data() - bytes), pattern.size()};
        found.patterns.push_back(pattern);
        found.lengths.push_back(text::count_characters(pattern));
    }
    return found;
}

std::optional<edits::Costs> read_costs(const std::string& name, const Console& console) {
    if (const auto table = edits::cost_table(name)) return edits::Costs(*table);
    const auto [bytes, error] = read_whole_file(name, cost_file_bytes_max);
    if (!error.empty()) {
        report_unreadable(name, error, console);
        return std::nullopt;
    }
    const auto file = edits::parse_costs(text::without_byte_order_mark(bytes));
    if (file.error.empty()) return edits::Costs(file.matrix);
    const std::string place = std::to_string(file.line) + (file.column > 0 ? ":" + std::to_string(file.column) : "");
    boost::json::object more{{"about", input_name(name)}, {"line", file.line}};
    if (file.column > 0) more["column"] = file.column;
    console.error(input_name(name) + ":" + place + ": " + file.error, more);
    return std::nullopt;
}

}  // namespace sluice::cli
