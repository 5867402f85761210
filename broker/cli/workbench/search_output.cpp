#include "broker/cli/workbench/search_output.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <ostream>

#include "broker/cli/common/plain_json.hpp"
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

SearchPrinter::SearchPrinter(const SearchOptions& options, const SearchPatterns& patterns, const Console& console)
    : options_(options), patterns_(patterns), console_(console), shown_(patterns.size()) {}

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
            for (std::uint32_t use = patterns_.first_use[occurrences[i].pattern]; use != SearchPatterns::none;
                 use = patterns_.next_use[use])
                matches_.push_back(use);
        }
        std::sort(matches_.begin(), matches_.end());
        if (piece.fasta) go_to_record(piece.offset + position);
        for (const std::uint32_t use : matches_) print_line(lines, prefix, piece.offset + position - begin, use);
        if (lines.size() >= written_bytes && (!write(lines) || is_stopped())) return false;
    }
    return write(lines);
}

void SearchPrinter::print_line(std::string& lines, const std::string& prefix, std::uint64_t offset, std::uint32_t use) {
    const std::uint32_t pattern = use % patterns_.size();
    lines += prefix;
    lines += std::to_string(offset);
    if (patterns_.has_strands) {
        lines += options_.json ? ",\"strand\":\"" : ":";
        lines += use < patterns_.size() ? '+' : '-';
        if (options_.json) lines += '"';
    }
    lines += options_.json ? ",\"pattern\":" : ":";
    lines += shown(pattern);
    if (options_.json) (lines += ",\"pattern_index\":" + std::to_string(pattern)) += '}';
    lines += '\n';
}

const std::string& SearchPrinter::shown(std::uint32_t pattern) {
    std::string& text = shown_[pattern];
    if (!text.empty()) return text;
    const std::string_view bytes = patterns_.file.patterns[pattern];
    if (options_.json)
        text = json_of(bytes);
    else
        text = console_.out_is_terminal ? text::terminal_line(bytes) : std::string(bytes);
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
    std::vector<std::uint64_t> of_pattern(patterns_.size());
    for (std::size_t distinct = 0; distinct < counts.size(); ++distinct) {
        for (std::uint32_t use = patterns_.first_use[distinct]; use != SearchPatterns::none;
             use = patterns_.next_use[use])
            of_pattern[use % patterns_.size()] += counts[distinct];
    }
    std::string lines;
    for (std::uint32_t pattern = 0; pattern < of_pattern.size(); ++pattern) {
        if (options_.json)
            lines += "{\"pattern\":" + shown(pattern) + ",\"pattern_index\":" + std::to_string(pattern) +
                     ",\"count\":" + std::to_string(of_pattern[pattern]) + "}\n";
        else
            lines += std::to_string(of_pattern[pattern]) + "\t" + shown(pattern) + "\n";
        if (lines.size() >= written_bytes && !write(lines)) return;
    }
    write(lines);
}

void SearchPrinter::print_summary(const std::string& file, const SearchSummary& summary,
                                  const substrings::OccurrenceSearch& search) {
    if (options_.json) {
        boost::json::object object{{"file", json_text(file)},
                                   {"bytes", summary.bytes},
                                   {"patterns", patterns_.size()},
                                   {"occurrences", summary.occurrences},
                                   {"seconds", summary.seconds}};
        if (summary.records) object["records"] = *summary.records;
        if (search.on_gpu()) object["kernel_seconds"] = summary.kernel_seconds;
        object["algorithm"] = name_of(options_.algorithm, true);
        object["processor"] = search.on_gpu() ? "gpu" : "cpu";
        if (!search.on_gpu()) object["threads"] = search.threads();
        if (!search.gpu_error().empty()) object["gpu_failure"] = search.gpu_error();
        console_.print_json(plain_json(object));
        return;
    }
    std::string line =
        file + ": " +
        (summary.records ? numbered(summary.bytes, "letter") + " in " + numbered(*summary.records, "record")
                         : numbered(summary.bytes, "byte")) +
        ", " + numbered(patterns_.size(), "pattern") + ", " + numbered(summary.occurrences, "occurrence") + " in " +
        time_and_rate(summary.bytes, summary.seconds);
    if (search.on_gpu()) line += ", of which " + time_and_rate(summary.bytes, summary.kernel_seconds) + " in kernels";
    line += std::string(", ") + name_of(options_.algorithm, false) + " on " +
            (search.on_gpu() ? "the GPU" : numbered(search.threads(), "thread"));
    console_.out << (console_.out_is_terminal ? text::terminal_line(line) : line) << '\n';
}

}  // namespace sluice::cli
