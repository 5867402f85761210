#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ostream>
#include <unistd.h>

#include "broker/cli/commands.hpp"
#include "broker/cli/fasta.hpp"
#include "broker/cli/input.hpp"
#include "gpu/operators/alignment/pair.hpp"

namespace sluice::cli {

namespace {

using namespace alignment;

std::optional<std::vector<FastaRecord>> read_sequences(const std::string& path, Console console) {
    const auto bytes = read_input(path);
    if (!bytes) {
        console.err << "sluice: can't read " << input_name(path) << ": " << bytes.error().message() << '\n';
        return std::nullopt;
    }
    auto file = parse_fasta(*bytes);
    if (!file.error.empty()) {
        console.err << "sluice: " << input_name(path) << ':' << file.error_line << ": " << file.error << '\n';
        return std::nullopt;
    }
    return std::move(file.records);
}

// A protein as DNA, say, scores next to nothing, and nothing else would say why.
void warn_of_foreign_letters(const Scheme& scheme, const std::vector<FastaRecord>& records, Console console) {
    if (scheme.alphabet != Scheme::Alphabet::dna) return;
    const auto foreign_letter = [](const FastaRecord& record) {
        return record.sequence.find_first_not_of("ACGTURYSWKMBDHVNacgturyswkmbdhvn");
    };
    const auto is_foreign = [&](const FastaRecord& record) { return foreign_letter(record) != std::string::npos; };
    const auto first = std::find_if(records.begin(), records.end(), is_foreign);
    if (first == records.end()) return;
    const auto others = std::count_if(first + 1, records.end(), is_foreign);
    console.err << "sluice: warning: letter " << foreign_letter(*first) + 1 << " of " << first->name << ", '"
                << first->sequence[foreign_letter(*first)] << "', is no nucleotide and matches nothing"
                << (others > 0 ? " (others with such letters: " + std::to_string(others) + ")" : "")
                << "; proteins need --scheme blosum62\n";
}

std::string with_digits(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

// A bar on the terminal, from a second after the start on.
class ProgressBar {
public:
    ProgressBar(std::ostream& out, bool wanted) : out_(out), wanted_(wanted) {}
    ~ProgressBar() {
        if (shown_) out_ << '\r' << std::string(width + 8, ' ') << '\r' << std::flush;
    }

    void show(double share) {
        using namespace std::chrono_literals;
        const auto now = std::chrono::steady_clock::now();
        if (!wanted_ || now < next_) return;
        next_ = now + 100ms;
        shown_ = true;
        const auto full = static_cast<std::size_t>(share * width);
        out_ << "\r[" << std::string(full, '#') << std::string(width - full, ' ') << "] " << with_digits(100 * share, 0)
             << " %" << std::flush;
    }

private:
    static constexpr std::size_t width = 50;

    std::ostream& out_;
    bool wanted_, shown_ = false;
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

std::string duration(double seconds) {
    if (seconds < 0.001) return with_digits(seconds * 1e6, 0) + " us";
    return seconds < 1 ? with_digits(seconds * 1000, 1) + " ms" : with_digits(seconds, 1) + " s";
}

void print_alignment(const Alignment& alignment, std::ostream& out) {
    const auto columns =
        alignment.columns('=') + alignment.columns('X') + alignment.columns('I') + alignment.columns('D');
    const double share =
        columns == 0 ? 0 : 100.0 * static_cast<double>(alignment.columns('=')) / static_cast<double>(columns);
    out << "query    " << alignment.query_begin + 1 << '-' << alignment.query_end << "\ntext     "
        << alignment.text_begin + 1 << '-' << alignment.text_end << "\nidentity " << alignment.columns('=') << " of "
        << columns << " columns (" << with_digits(share, 1) << " %), " << alignment.columns('X') << " mismatches, "
        << alignment.columns('I') + alignment.columns('D') << " gap letters\ncigar    " << alignment.cigar() << '\n';
}

std::string who_did_it(const PairResult& result) {
    if (result.on_gpu) return result.gpus == 1 ? "the GPU" : std::to_string(result.gpus) + " GPUs";
    return result.threads == 1 ? "one core" : std::to_string(result.threads) + " cores";
}

void print_result(const AlignOptions& options, const FastaRecord& query, const FastaRecord& text,
                  const PairResult& result, std::ostream& out) {
    const double cells = static_cast<double>(query.sequence.size()) * static_cast<double>(text.sequence.size());
    out << query.name << " (" << query.sequence.size() << ") x " << text.name << " (" << text.sequence.size() << ")\n"
        << "score    " << result.end.score << " (" << (options.global ? "global" : "local") << ", " << options.scheme
        << ")\n";
    if (result.alignment && (options.global || result.end.score > 0)) {
        print_alignment(*result.alignment, out);
    } else if (!options.global && result.end.score > 0) {
        out << "ends at  query " << result.end.query_end << ", text " << result.end.text_end << '\n';
    }
    if (result.pruned_share > 0) out << "pruned   " << with_digits(100 * result.pruned_share, 1) << " %\n";
    out << "time     " << duration(result.score_seconds);
    if (result.score_seconds > 0) out << ", " << with_digits(cells / result.score_seconds / 1e9, 1) << " GCUPS";
    out << " on " << who_did_it(result);
    if (result.alignment) out << "; alignment " << duration(result.trace_seconds);
    out << '\n';
    if (!result.gpu_error.empty()) out << "note     the GPU failed: " << result.gpu_error << '\n';
}

}  // namespace

int align(const AlignOptions& options, Console console) {
    const auto scheme = parse_scheme(options.scheme);
    if (!scheme.error.empty()) {
        console.err << "sluice: " << scheme.error << '\n';
        return exit_failed;
    }
    if (options.query_file == "-" && options.text_file == "-") {
        console.err << "sluice: only one of the two files can be standard input\n";
        return exit_failed;
    }
    const auto queries = read_sequences(options.query_file, console);
    const auto texts = queries ? read_sequences(options.text_file, console) : std::nullopt;
    if (!texts) return exit_failed;
    warn_of_foreign_letters(scheme.scheme, *queries, console);
    warn_of_foreign_letters(scheme.scheme, *texts, console);
    bool first = true;
    for (const auto& query : *queries) {
        const auto query_codes = scheme.scheme.encode(query.sequence);
        for (const auto& text : *texts) {
            PairOptions how;
            how.mode = options.global ? Mode::global : Mode::local;
            how.processor = options.processor;
            how.devices = options.devices;
            how.prune = options.prune;
            how.trace = options.alignment;
            how.threads = options.threads;
            PairResult result;
            {
                ProgressBar bar(console.err, isatty(STDERR_FILENO) != 0);
                how.progress = [&](double share) { bar.show(share); };
                result = align_pair(scheme.scheme, query_codes, scheme.scheme.encode(text.sequence), how);
            }
            if (!result.error.empty()) {
                console.err << "sluice: " << query.name << " x " << text.name << ": " << result.error << '\n';
                return exit_failed;
            }
            if (!first) console.out << '\n';
            first = false;
            print_result(options, query, text, result, console.out);
        }
    }
    return exit_done;
}

}  // namespace sluice::cli
