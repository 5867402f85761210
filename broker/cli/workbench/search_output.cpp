#include "broker/cli/workbench/search_output.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <ostream>

#include "broker/cli/common/with_digits.hpp"
#include "protocol/text/terminal.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t written_bytes = std::size_t{64} << 10;  // at a time

// Bytes that are not UTF-8 become U+FFFD, as JSON can't have them.
boost::json::string json_text(std::string_view bytes) { return boost::json::string(text::printable_utf8(bytes)); }

std::string json_of(std::string_view bytes) { return boost::json::serialize(json_text(bytes)); }

std::string numbered(std::uint64_t number, const char* one) {
    return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

// "52.3 ms (2.57 GB/s)"
std::string time_and_rate(std::uint64_t bytes, double seconds) {
    if (bytes == 0 || seconds <= 0) return duration(seconds);
    const double rate = static_cast<double>(bytes) / seconds;
    return duration(seconds) + " (" +
           (rate < 1e9 ? with_digits(rate / 1e6, 1) + " MB/s" : with_digits(rate / 1e9, 2) + " GB/s") + ")";
}

const char* name_of(substrings::Algorithm algorithm, bool as_option) {
    switch (algorithm) {
        case substrings::Algorithm::filter:
            return "filter";
        case substrings::Algorithm::prefix_sums:
            return as_option ? "prefix-sums" : "prefix sums";
        case substrings::Algorithm::plain:
            return as_option ? "plain" : "plain Rabin-Karp";
    }
    return "";
}

}  // namespace

SearchPrinter::SearchPrinter(const SearchOptions& options, const PatternFile& patterns, const Console& console)
    : options_(options), patterns_(patterns), console_(console), shown_(patterns.lines.size()) {}

std::string SearchPrinter::file_prefix(const std::string& file) const {
    if (options_.json) return "{\"file\":" + json_of(file) + ",\"offset\":";
    if (options_.text_files.size() == 1) return "";
    return console_.coloured(console_.out_is_terminal ? text::terminal_line(file) : file, Colour::magenta) + ":";
}

std::string SearchPrinter::record_prefix(const std::string& of_file, const JoinedFasta::Record& record) const {
    if (!options_.json)
        return of_file + (console_.out_is_terminal ? text::terminal_line(record.name) : record.name) + ":";
    constexpr std::string_view offset = "\"offset\":";
    return of_file.substr(0, of_file.size() - offset.size()) + "\"record\":" + json_of(record.name) +
           ",\"record_index\":" + std::to_string(record.index) + "," + std::string(offset);
}

bool SearchPrinter::print_occurrences(const SearchedPiece& piece, std::span<const substrings::Occurrence> occurrences,
                                      bool (*is_stopped)()) {
    const std::string of_file = file_prefix(piece.file);
    std::string prefix = of_file, lines;
    std::uint64_t begin = 0;      // of the record
    std::size_t next_record = 0;  // the one behind it
    const auto go_to_record = [&](std::uint64_t offset) {
        const auto& records = piece.fasta->records();
        const std::size_t before = next_record;
        while (next_record < records.size() && records[next_record].begin <= offset) ++next_record;
        if (next_record == before) return;
        begin = records[next_record - 1].begin;
        prefix = record_prefix(of_file, records[next_record - 1]);
    };
    for (std::size_t i = 0; i < occurrences.size();) {
        const std::uint32_t position = occurrences[i].position;
        matches_.clear();
        for (; i < occurrences.size() && occurrences[i].position == position; ++i) {
            for (std::uint32_t line = patterns_.first_line[occurrences[i].pattern]; line != PatternFile::none;
                 line = patterns_.next_line[line])
                matches_.push_back(line);
        }
        std::sort(matches_.begin(), matches_.end());
        if (piece.fasta) go_to_record(piece.offset + position);
        for (const std::uint32_t line : matches_) print_line(lines, prefix, piece.offset + position - begin, line);
        if (lines.size() >= written_bytes && (!write(lines) || is_stopped())) return false;
    }
    return write(lines);
}

void SearchPrinter::print_line(std::string& lines, const std::string& prefix, std::uint64_t offset,
                               std::uint32_t line) {
    lines += prefix;
    lines += std::to_string(offset);
    lines += options_.json ? ",\"pattern\":" : ":";
    lines += shown(line);
    if (options_.json) (lines += ",\"pattern_index\":" + std::to_string(line)) += '}';
    lines += '\n';
}

const std::string& SearchPrinter::shown(std::uint32_t line) {
    std::string& text = shown_[line];
    if (!text.empty()) return text;
    const std::string_view pattern = patterns_.lines[line];
    if (options_.json)
        text = json_of(pattern);
    else
        text = console_.out_is_terminal ? text::terminal_line(pattern) : std::string(pattern);
    return text;
}

bool SearchPrinter::write(std::string& lines) {
    if (options_.json && console_.out_is_terminal)
        console_.out << text::terminal_json(lines);
    else
        console_.out << lines;
    lines.clear();
    return console_.out.good();
}

void SearchPrinter::print_counts(const std::vector<std::uint64_t>& counts) {
    std::vector<std::uint64_t> of_line(patterns_.lines.size());
    for (std::size_t p = 0; p < counts.size(); ++p) {
        for (std::uint32_t line = patterns_.first_line[p]; line != PatternFile::none; line = patterns_.next_line[line])
            of_line[line] = counts[p];
    }
    std::string lines;
    for (std::uint32_t line = 0; line < of_line.size(); ++line) {
        if (options_.json)
            lines += "{\"pattern\":" + shown(line) + ",\"pattern_index\":" + std::to_string(line) +
                     ",\"count\":" + std::to_string(of_line[line]) + "}\n";
        else
            lines += std::to_string(of_line[line]) + "\t" + shown(line) + "\n";
        if (lines.size() >= written_bytes && !write(lines)) return;
    }
    write(lines);
}

void SearchPrinter::print_summary(const std::string& file, const SearchSummary& summary,
                                  const substrings::OccurrenceSearch& search) {
    if (options_.json) {
        boost::json::object object{{"file", json_text(file)},
                                   {"bytes", summary.bytes},
                                   {"patterns", patterns_.lines.size()},
                                   {"occurrences", summary.occurrences},
                                   {"seconds", summary.seconds}};
        if (summary.records) object["records"] = *summary.records;
        if (search.on_gpu()) object["kernel_seconds"] = summary.kernel_seconds;
        object["algorithm"] = name_of(options_.algorithm, true);
        object["processor"] = search.on_gpu() ? "gpu" : "cpu";
        if (!search.on_gpu()) object["threads"] = search.threads();
        if (!search.gpu_error().empty()) object["gpu_failure"] = search.gpu_error();
        console_.print_json(boost::json::serialize(object));
        return;
    }
    std::string line =
        file + ": " +
        (summary.records ? numbered(summary.bytes, "letter") + " in " + numbered(*summary.records, "record")
                         : numbered(summary.bytes, "byte")) +
        ", " + numbered(patterns_.lines.size(), "pattern") + ", " + numbered(summary.occurrences, "occurrence") +
        " in " + time_and_rate(summary.bytes, summary.seconds);
    if (search.on_gpu()) line += ", of which " + time_and_rate(summary.bytes, summary.kernel_seconds) + " in kernels";
    line += std::string(", ") + name_of(options_.algorithm, false) + " on " +
            (search.on_gpu() ? "the GPU" : numbered(search.threads(), "thread"));
    console_.out << (console_.out_is_terminal ? text::terminal_line(line) : line) << '\n';
}

}  // namespace sluice::cli
