#include "broker/cli/workbench/pattern_file.hpp"

#include <algorithm>
#include <utility>

#include "broker/cli/common/fasta.hpp"
#include "broker/cli/common/input.hpp"
#include "broker/cli/workbench/file_errors.hpp"
#include "broker/cli/workbench/input_file.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

// Splits the bytes into lines, and checks each.
void split(PatternFile& file, const PatternLimits& limits) {
    std::string_view rest = text::without_byte_order_mark(*file.bytes);
    if (rest.empty()) file.error = "the file is empty; expected one pattern per line";
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view pattern = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (pattern.ends_with('\r')) pattern.remove_suffix(1);
        if (file.patterns.size() == limits.patterns_max) {
            file.error = "there are more than " + std::to_string(limits.patterns_max) + " patterns";
            return;
        }
        file.patterns.push_back(pattern);
        if (std::string why = pattern.empty() ? "the pattern is empty" : limits.fault(pattern); !why.empty())
            return file.fail(file.patterns.size() - 1, std::move(why));
    }
}

}  // namespace

void PatternFile::fail(std::size_t pattern, std::string why) {
    error = is_fasta ? "record " + std::to_string(pattern + 1) + ": " + std::move(why) : std::move(why);
    error_line = is_fasta ? 0 : pattern + 1;
}

PatternFile parse_patterns(std::string bytes, bool is_fasta, const PatternLimits& limits) {
    PatternFile file;
    file.is_fasta = is_fasta;
    if (is_fasta) {
        FastaFile fasta = parse_fasta(bytes);
        bytes.clear();
        for (const FastaRecord& record : fasta.records) (bytes += record.sequence) += '\n';
        file.error = std::move(fasta.error);
        file.error_line = fasta.error_line;
        if (file.error.empty() && !fasta.empty_records.empty()) {  // without it, others would have other numbers
            file.error = "the sequence has no letters; remove the record";
            file.error_line = fasta.empty_records.front().line;
        }
    }
    file.bytes = std::make_unique<const std::string>(std::move(bytes));
    if (file.error.empty()) split(file, limits);
    return file;
}

std::optional<PatternFile> read_pattern_file(const std::string& path, bool plain, const PatternLimits& limits,
                                             const Console& console) {
    auto [bytes, error] = read_whole_file(path, limits.bytes_max);
    if (!error.empty()) {
        report_unreadable(path, error, console);
        return std::nullopt;
    }
    auto file = parse_patterns(std::move(bytes), !plain && has_fasta_name(inner_name(path)), limits);
    if (file.error.empty()) return file;
    report_error(path, file.error_line, file.error, console);
    return std::nullopt;
}

}  // namespace sluice::cli
