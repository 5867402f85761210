#include <algorithm>
#include <ostream>

#include "broker/cli/common/input.hpp"
#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/workbench/file_errors.hpp"
#include "broker/cli/workbench/operator_options.hpp"
#include "broker/cli/workbench/piece_reader.hpp"
#include "broker/cli/workbench/search_output.hpp"
#include "broker/cli/workbench/search_patterns.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

// As many bytes as patterns within the limits have, with line ends.
constexpr std::size_t searched_patterns_bytes_max = substrings::all_patterns_bytes_max + 2 * substrings::patterns_max;

bool reads_standard_input_twice(const SearchOptions& options) {
    const auto texts = std::count(options.text_files.begin(), options.text_files.end(), "-");
    return texts + (options.patterns_file == "-" ? 1 : 0) > 1;
}

// Whether the first line begins with '@' and the third one with '+'.
bool begins_like_fastq(std::string_view begin) {
    begin = text::without_byte_order_mark(begin);
    if (!begin.starts_with('@')) return false;
    for (int line = 1; line < 3; ++line) {
        const std::size_t end = begin.find('\n');
        if (end == std::string_view::npos) return false;
        begin.remove_prefix(end + 1);
    }
    return begin.starts_with('+');
}

std::string fault_of_searched(std::string_view pattern) {
    if (pattern.size() <= substrings::pattern_bytes_max) return {};
    return "the pattern has " + std::to_string(pattern.size()) + " bytes, more than the limit of " +
           std::to_string(substrings::pattern_bytes_max);
}

class FilesSearch {
public:
    FilesSearch(const SearchOptions& options, const SearchPatterns& patterns, const Console& console)
        : options_(options),
          patterns_(patterns),
          console_(console),
          printer_(options, patterns, console),
          bar_(console.err, console.progress_columns),
          counts_(patterns.distinct.size()) {
        for (const std::string& file : options.text_files) {
            const auto size = stored_size(file);
            all_bytes_ += size.value_or(0);
            has_unknown_size_ |= !size;
        }
    }

    int run() {
        const substrings::OccurrenceOptions how{options_.algorithm, options_.processor, options_.threads, all_bytes_};
        if (const auto refusal = substrings::OccurrenceSearch::refusal(patterns_.distinct, how); !refusal.empty()) {
            report_refusal(refusal);
            return exit_failed;
        }
        substrings::OccurrenceSearch search(patterns_.distinct, how);
        for (const std::string& file : options_.text_files) {
            search_file(search, file);
            if (Interrupt::requested()) return exit_interrupted;
            if (is_over_ || !console_.out) return exit_failed;
        }
        if (options_.output == SearchOutput::counts) printer_.print_counts(counts_);
        if (has_failed_) return exit_failed;
        return occurrences_ > 0 ? exit_done : exit_no_match;
    }

private:
    void search_file(substrings::OccurrenceSearch& search, const std::string& file) {
        const std::string name = input_name(file);
        SearchSummary summary;
        const auto kind = options_.plain ? FileKind::plain : FileKind::detect;
        const auto letter_case = options_.ignore_case ? LetterCase::lower : LetterCase::as_is;
        PieceReader reader(file, search.piece_bytes(), search.overlap_bytes(), Interrupt::requested, kind, letter_case);
        const std::uint64_t bytes_before = bytes_done_;
        while (const auto piece = reader.next()) {
            if (piece->offset == 0 && !options_.plain && !reader.fasta() && begins_like_fastq(piece->bytes))
                console_.note(name + ": FASTQ is searched line by line, quality lines included", {{"about", name}});
            const auto report = [&](const substrings::OccurrenceBlock& block) {
                if (is_as_stored(reader)) bytes_done_ += block.end - block.begin;
                return take({name, piece->offset, reader.fasta()}, block, summary);
            };
            const std::string error = search.search(piece->bytes, piece->own, wanted(), report);
            report_gpu_failure(search);
            if (!error.empty()) {
                bar_.hide();
                console_.error(name + ": " + error, {{"about", name}});
                is_over_ = true;
            }
            if (is_over_ || !console_.out || Interrupt::requested()) return bar_.hide();
            if (!is_as_stored(reader)) bytes_done_ = bytes_before + reader.file().stored_bytes_read();
        }
        bar_.hide();
        if (Interrupt::requested()) return;
        const JoinedFasta* fasta = reader.fasta();
        if (fasta) {
            summary.bytes = fasta->letters();
            summary.records = fasta->record_count();
        }
        if (!reader.error().empty()) {
            report_unreadable(file, reader.error(), console_);
            has_failed_ = true;
        } else if (fasta && !fasta->error().empty()) {
            report_bad_fasta(name, *fasta);
        } else {
            if (fasta && fasta->record_count() == 0) note_no_sequences(file, console_);
            if (options_.output == SearchOutput::summary) printer_.print_summary(name, summary, search);
        }
    }

    void report_bad_fasta(const std::string& name, const JoinedFasta& fasta) {
        console_.error(name + ":" + std::to_string(fasta.error_line()) + ": " + fasta.error() +
                           "; --plain searches the file as it is",
                       {{"about", name}, {"line", fasta.error_line()}});
        has_failed_ = true;
    }

    // Counts and prints what was found in a block. Returns whether to go on.
    bool take(const SearchedPiece& piece, const substrings::OccurrenceBlock& block, SearchSummary& summary) {
        summary.bytes += block.end - block.begin;
        summary.seconds += block.seconds;
        summary.kernel_seconds += block.kernel_seconds;
        summary.occurrences += number_of(block);
        occurrences_ += block.number;
        if (options_.output == SearchOutput::counts) {
            for (const auto& occurrence : block.occurrences) ++counts_[occurrence.pattern];
        } else if (options_.output == SearchOutput::occurrences && block.number > 0) {
            bar_.hide();
            if (!printer_.print_occurrences(piece, block.occurrences, Interrupt::requested)) return false;
        }
        if (!has_unknown_size_) bar_.show(static_cast<double>(bytes_done_) / static_cast<double>(all_bytes_));
        return !Interrupt::requested();
    }

    // Whether a piece has the bytes of the file itself, so that the progress is known within a piece.
    static bool is_as_stored(const PieceReader& reader) { return !reader.fasta() && !reader.file().is_gzip(); }

    // For the summary: a text that has several uses occurs once for each of them.
    std::uint64_t number_of(const substrings::OccurrenceBlock& block) const {
        if (!patterns_.has_duplicates()) return block.number;
        std::uint64_t number = 0;
        for (const auto& occurrence : block.occurrences) {
            for (std::uint32_t use = patterns_.first_use[occurrence.pattern]; use != SearchPatterns::none;
                 use = patterns_.next_use[use])
                ++number;
        }
        return number;
    }

    substrings::Wanted wanted() const {
        using substrings::Wanted;
        if (options_.output == SearchOutput::occurrences) return Wanted::ascending;
        const bool is_number_enough = options_.output == SearchOutput::summary && !patterns_.has_duplicates();
        return is_number_enough ? Wanted::number : Wanted::any_order;
    }

    void report_refusal(const std::string& refusal) const {
        const bool lacks_gpu =
            options_.processor == substrings::Processor::gpu && !substrings::occurrence_device_available();
        if (lacks_gpu) return console_.error(refusal);
        const std::string name = input_name(options_.patterns_file);
        const bool is_rabin_karp = options_.algorithm != substrings::Algorithm::filter;
        console_.error(name + ": " + refusal + (is_rabin_karp ? "; --algorithm filter takes more" : ""),
                       {{"about", name}});
    }

    void report_gpu_failure(const substrings::OccurrenceSearch& search) {
        if (search.gpu_error().empty() || has_reported_gpu_) return;
        has_reported_gpu_ = true;
        bar_.hide();
        console_.warning("warning: the GPU failed, and the CPU searches instead: " + search.gpu_error());
    }

    const SearchOptions& options_;
    const SearchPatterns& patterns_;
    Console console_;
    SearchPrinter printer_;
    ProgressBar bar_;
    std::vector<std::uint64_t> counts_;  // [distinct pattern]
    std::uint64_t all_bytes_ = 0, bytes_done_ = 0, occurrences_ = 0;
    bool has_unknown_size_ = false, has_failed_ = false, is_over_ = false, has_reported_gpu_ = false;
};

}  // namespace

int search(const SearchOptions& options, Console console) {
    if (reads_standard_input_twice(options)) {
        console.error("only one of the files can be standard input");
        return exit_failed;
    }
    const PatternLimits limits{searched_patterns_bytes_max, substrings::patterns_max, fault_of_searched};
    auto file = read_pattern_file(options.patterns_file, options.plain, limits, console);
    if (!file) return exit_failed;
    const auto patterns = search_patterns(std::move(*file), options.ignore_case, options.both_strands);
    if (!patterns.file.error.empty()) {
        report_error(options.patterns_file, patterns.file.error_line, patterns.file.error, console);
        return exit_failed;
    }
    const Interrupt interrupt;
    return FilesSearch(options, patterns, console).run();
}

}  // namespace sluice::cli
