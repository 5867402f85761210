#include "broker/cli/workbench/distance_input.hpp"

#include <algorithm>
#include <numeric>

#include "broker/cli/common/fasta.hpp"
#include "broker/cli/common/input.hpp"
#include "broker/cli/workbench/text_reader.hpp"
#include "gpu/operators/edits/edits.hpp"
#include "gpu/tools/distance/cost_file.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

// All patterns stay in memory, with tables of several times their size.
constexpr std::size_t pattern_file_bytes_max = std::size_t{64} << 20;
constexpr std::size_t cost_file_bytes_max = std::size_t{1} << 20;

std::string too_many_bytes(const std::string& path, std::size_t max) {
    return input_name(path) + " has more than " + std::to_string(max) + " bytes";
}

std::optional<std::string> read_small(const std::string& path, std::size_t bytes_max, const Console& console) {
    auto bytes = read_input(path, bytes_max);
    if (bytes) return std::move(*bytes);
    const bool is_large = bytes.error() == boost::system::errc::file_too_large;
    console.error(is_large ? too_many_bytes(path, bytes_max) : describe_unreadable(path, bytes.error().message()),
                  {{"about", input_name(path)}});
    return std::nullopt;
}

// Why a pattern is not valid, or "".
std::string pattern_fault(std::string_view pattern) {
    if (pattern.empty()) return "the pattern is empty";
    if (const auto fault = find_text_fault(pattern, "pattern"))
        return fault->what + ", byte " + std::to_string(fault->at + 1) + " of the line";
    return edits::refusal(pattern);
}

}  // namespace

std::size_t DistancePatterns::longest() const { return lengths.empty() ? 0 : *std::ranges::max_element(lengths); }
std::uint64_t DistancePatterns::characters() const {
    return std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
}

void report_line(const std::string& path, std::size_t line, const std::string& text, const Console& console) {
    console.error(input_name(path) + ":" + std::to_string(line) + ": " + text,
                  {{"about", input_name(path)}, {"line", line}});
}

std::optional<DistancePatterns> read_patterns(const std::string& path, bool is_fasta, const Console& console) {
    auto bytes = read_small(path, pattern_file_bytes_max, console);
    if (!bytes) return std::nullopt;
    if (is_fasta) {
        // A line for each record, in the place of the file.
        std::string joined;
        FastaFile fasta = parse_fasta(*bytes);
        if (!fasta.error.empty()) {
            report_line(path, fasta.error_line, fasta.error, console);
            return std::nullopt;
        }
        for (const FastaRecord& record : fasta.records) (joined += record.sequence) += '\n';
        *bytes = std::move(joined);
    }
    DistancePatterns found;
    found.bytes = std::make_unique<const std::string>(std::move(*bytes));
    std::string_view rest = text::without_byte_order_mark(*found.bytes);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view pattern = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (pattern.ends_with('\r')) pattern.remove_suffix(1);
        std::string fault = pattern_fault(pattern);
        if (found.patterns.size() == edits::patterns_max)
            fault = "there are more than " + std::to_string(edits::patterns_max) + " patterns";
        if (!fault.empty()) {
            report_line(path, found.patterns.size() + 1, fault, console);
            return std::nullopt;
        }
        found.patterns.push_back(pattern);
        found.lengths.push_back(text::count_characters(pattern));
    }
    if (found.patterns.empty()) {
        console.error(input_name(path) + " has no patterns", {{"about", input_name(path)}});
        return std::nullopt;
    }
    return found;
}

std::optional<edits::Costs> read_costs(const std::string& name, const Console& console) {
    if (const auto table = edits::cost_table(name)) return edits::Costs(*table);
    const auto bytes = read_small(name, cost_file_bytes_max, console);
    if (!bytes) return std::nullopt;
    const auto file = edits::parse_costs(text::without_byte_order_mark(*bytes));
    if (file.error.empty()) return edits::Costs(file.matrix);
    const std::string place = std::to_string(file.line) + (file.column > 0 ? ":" + std::to_string(file.column) : "");
    boost::json::object more{{"about", input_name(name)}, {"line", file.line}};
    if (file.column > 0) more["column"] = file.column;
    console.error(input_name(name) + ":" + place + ": " + file.error, more);
    return std::nullopt;
}

}  // namespace sluice::cli
