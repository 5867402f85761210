#include "broker/cli/fasta.hpp"

#include <algorithm>
#include <cctype>

namespace sluice::cli {

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '*'; }

std::string printable(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isprint(byte) != 0 ? "'" + std::string(1, c) + "'" : "byte " + std::to_string(byte);
}

}  // namespace

FastaFile parse_fasta(std::string_view text) {
    FastaFile file;
    std::size_t line_number = 0, last_header = 0;
    const auto refuse = [&](std::size_t line, std::string error) {
        file.error = std::move(error);
        file.error_line = line;
        return file;
    };
    if (text.starts_with("\x1f\x8b")) return refuse(1, "expected text, not gzip: decompress it first");
    if (text.starts_with('@')) return refuse(1, "expected FASTA, a line that starts with '>', not FASTQ");
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++line_number;
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
            line.remove_suffix(1);
        if (line.empty() || line.front() == ';') continue;
        if (line.front() == '>') {
            if (!file.records.empty() && file.records.back().sequence.empty())
                return refuse(last_header, "the sequence has no letters");
            file.records.push_back({std::string(line.substr(1, line.find_first_of(" \t") - 1)), {}});
            last_header = line_number;
            continue;
        }
        if (file.records.empty()) return refuse(line_number, "expected a line that starts with '>'");
        const auto bad = std::find_if_not(line.begin(), line.end(), is_letter);
        if (bad != line.end())
            return refuse(line_number, "expected letters, not " + printable(*bad) + " (column " +
                                           std::to_string(bad - line.begin() + 1) + ")");
        file.records.back().sequence += line;
    }
    if (file.records.empty()) return refuse(std::max<std::size_t>(line_number, 1), "there is no sequence");
    if (file.records.back().sequence.empty()) return refuse(last_header, "the sequence has no letters");
    return file;
}

}  // namespace sluice::cli
