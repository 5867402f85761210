#include "broker/cli/workbench/pattern_file.hpp"

#include <unordered_map>
#include <utility>

#include "broker/cli/common/fasta.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

std::string fault_of_pattern(std::string_view pattern) {
    if (pattern.empty()) return "the pattern is empty";
    if (pattern.size() <= substrings::pattern_bytes_max) return {};
    return "the pattern has " + std::to_string(pattern.size()) + " bytes, more than the limit of " +
           std::to_string(substrings::pattern_bytes_max);
}

// Sets first_line, next_line and distinct.
void find_duplicates(PatternFile& file) {
    std::unordered_map<std::string_view, std::uint32_t> last_line;
    last_line.reserve(file.lines.size());
    file.next_line.assign(file.lines.size(), PatternFile::none);
    for (std::uint32_t i = 0; i < file.lines.size(); ++i) {
        const auto [place, is_new] = last_line.emplace(file.lines[i], i);
        if (is_new) {
            file.distinct.push_back({file.lines[i]});
            file.first_line.push_back(i);
        } else {
            file.next_line[place->second] = i;
            place->second = i;
        }
    }
}

// Completes a file with patterns and without errors.
void finish(PatternFile& file) {
    file.error_line = 0;
    if (file.lines.size() > substrings::patterns_max)
        file.error = "the number of patterns, " + std::to_string(file.lines.size()) + ", is more than the limit of " +
                     std::to_string(substrings::patterns_max);
    else
        find_duplicates(file);
}

}  // namespace

PatternFile parse_patterns(std::string_view bytes) {
    PatternFile file;
    bytes = text::without_byte_order_mark(bytes);
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size());
        std::string_view pattern = bytes.substr(0, end);
        if (pattern.ends_with('\r')) pattern.remove_suffix(1);
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
        file.lines.push_back(pattern);
        file.error = fault_of_pattern(pattern);
        file.error_line = file.lines.size();
        if (!file.error.empty()) return file;
    }
    if (file.lines.empty())
        file.error = "the file is empty; expected one pattern per line";
    else
        finish(file);
    return file;
}

PatternFile parse_fasta_patterns(std::string_view bytes) {
    PatternFile file;
    FastaFile fasta = parse_fasta(bytes);
    file.error = fasta.error;
    file.error_line = fasta.error_line;
    for (FastaRecord& record : fasta.records) {
        if (!file.error.empty()) return file;
        file.error = fault_of_pattern(record.sequence);
        file.sequences.push_back(std::move(record.sequence));
    }
    if (!file.error.empty()) return file;
    file.lines.assign(file.sequences.begin(), file.sequences.end());
    finish(file);
    return file;
}

}  // namespace sluice::cli
