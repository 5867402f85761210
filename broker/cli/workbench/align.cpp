#include <algorithm>
#include <ostream>
#include <utility>

#include "broker/cli/common/fasta.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/workbench/align_output.hpp"
#include "broker/cli/workbench/file_errors.hpp"
#include "broker/cli/workbench/input_file.hpp"
#include "broker/cli/workbench/operator_options.hpp"
#include "broker/cli/workbench/strands.hpp"
#include "gpu/tools/align/pair.hpp"

namespace sluice::cli {

namespace {

using namespace alignment;

void warn_of_empty_records(const std::string& path, const std::vector<EmptyFastaRecord>& empty,
                           const Console& console) {
    if (empty.empty()) return;
    const auto& first = empty.front();
    report_warning(path, first.line,
                   (first.name.empty() ? "the record" : first.name) + " has no letters; left out" +
                       (empty.size() > 1 ? " (others without letters: " + std::to_string(empty.size() - 1) + ")" : ""),
                   console);
}

std::optional<std::vector<FastaRecord>> read_sequences(const std::string& path, Console console) {
    const auto [bytes, error] = read_whole_file(path);
    if (!error.empty()) {
        report_unreadable(path, error, console);
        return std::nullopt;
    }
    auto file = parse_fasta(bytes);
    if (!file.error.empty()) {
        report_error(path, file.error_line, file.error, console);
        return std::nullopt;
    }
    warn_of_empty_records(path, file.empty_records, console);
    return std::move(file.records);
}

// Warns of letters foreign to the scheme. A protein aligned as DNA, for example, scores almost nothing, and no other
// output would explain that.
void warn_of_foreign_letters(const Scheme& scheme, const std::vector<FastaRecord>& records, Console console) {
    if (scheme.alphabet != Scheme::Alphabet::dna) return;
    const auto foreign_letter = [](const FastaRecord& record) { return find_foreign_letter(record.sequence); };
    const auto is_foreign = [&](const FastaRecord& record) { return foreign_letter(record) != std::string::npos; };
    const auto first = std::find_if(records.begin(), records.end(), is_foreign);
    if (first == records.end()) return;
    const auto others = std::count_if(first + 1, records.end(), is_foreign);
    console.warning("warning: letter " + std::to_string(foreign_letter(*first) + 1) + " of " + first->name + ", '" +
                    first->sequence[foreign_letter(*first)] + "', is not a nucleotide and matches nothing" +
                    (others > 0 ? " (others with such letters: " + std::to_string(others) + ")" : "") +
                    "; proteins need --scheme blosum62");
}

PairOptions pair_options(const AlignOptions& options) {
    PairOptions how;
    how.mode = options.global ? Mode::global : Mode::local;
    how.processor = options.processor;
    how.devices = options.devices;
    how.prune = options.prune;
    how.trace = options.alignment || options.format == AlignFormat::paf;
    how.threads = options.threads;
    return how;
}

struct Query {
    std::vector<Code> forward, reverse;  // reverse: empty unless both strands are aligned
};

struct StrandResult {
    bool is_reverse = false;
    PairResult result;
};

// Aligns the query, or the strand of it that scores more. `progress`: as PairOptions has it.
StrandResult align_strands(const Scheme& scheme, const Query& query, Codes text, PairOptions how,
                           const std::function<void(double)>& progress) {
    const bool has_both = !query.reverse.empty(), trace = how.trace;
    const double runs = has_both ? (trace ? 3 : 2) : 1;
    double run = 0;
    how.progress = [&](double share) { progress((run + share) / runs); };
    how.trace = trace && !has_both;
    StrandResult best{false, align_pair(scheme, query.forward, text, how)};
    if (!has_both || !best.result.error.empty()) return best;
    ++run;
    StrandResult other{true, align_pair(scheme, query.reverse, text, how)};
    if (!other.result.error.empty() || other.result.end.score > best.result.end.score) best = std::move(other);
    if (!trace || !best.result.error.empty()) return best;
    ++run;
    how.trace = true;
    best.result = align_pair(scheme, best.is_reverse ? query.reverse : query.forward, text, how);
    return best;
}

// Returns whether it could be written.
bool print_pair(const AlignOptions& options, const AlignedPair& pair, bool is_first, const Console& console) {
    switch (options.format) {
        case AlignFormat::text:
            console.out << (is_first ? "" : "\n") << align_text(options, pair);
            break;
        case AlignFormat::tsv:
            console.out << (is_first ? align_tsv_header() : "") << align_tsv(options, pair);
            break;
        case AlignFormat::json:
            console.print_json(plain_json(align_json(options, pair)));
            break;
        case AlignFormat::paf:
            console.out << align_paf(options, pair);
            break;
    }
    return console.out.good();
}

void note_number_of_pairs(std::size_t queries, std::size_t texts, const Console& console) {
    if (queries < 2 || texts < 2) return;
    console.note(std::to_string(queries) + " x " + std::to_string(texts) + " records: all against all, " +
                 std::to_string(queries * texts) + " pairs");
}

}  // namespace

int align(const AlignOptions& options, Console console) {
    const auto scheme = parse_scheme(options.scheme);
    if (!scheme.error.empty()) {
        console.error(scheme.error);
        return exit_failed;
    }
    if (options.both_strands && scheme.scheme.alphabet != Scheme::Alphabet::dna) {
        console.error("--both-strands is for DNA, since proteins have no second strand; got --scheme " +
                      options.scheme);
        return exit_failed;
    }
    if (options.query_file == "-" && options.text_file == "-") {
        console.error("only one of the two files can be standard input");
        return exit_failed;
    }
    const auto queries = read_sequences(options.query_file, console);
    const auto texts = queries ? read_sequences(options.text_file, console) : std::nullopt;
    if (!texts) return exit_failed;
    warn_of_foreign_letters(scheme.scheme, *queries, console);
    warn_of_foreign_letters(scheme.scheme, *texts, console);
    note_number_of_pairs(queries->size(), texts->size(), console);
    ProgressBar bar(console.err, console.progress_columns);
    const std::size_t pairs = queries->size() * texts->size();
    std::size_t done = 0;
    const auto show = [&](double share) { bar.show((static_cast<double>(done) + share) / static_cast<double>(pairs)); };
    for (const auto& record : *queries) {
        Query query{scheme.scheme.encode(record.sequence), {}};
        if (options.both_strands) query.reverse = scheme.scheme.encode(reverse_complement(record.sequence));
        for (const auto& text : *texts) {
            const auto [is_reverse, result] =
                align_strands(scheme.scheme, query, scheme.scheme.encode(text.sequence), pair_options(options), show);
            bar.hide();
            if (!result.error.empty()) {
                console.error(record.name + " x " + text.name + ": " + result.error);
                return exit_failed;
            }
            const AlignedPair pair{record, text, scheme.scheme, is_reverse, result};
            if (!print_pair(options, pair, done == 0, console)) return exit_failed;
            ++done;
            show(0);
        }
    }
    bar.hide();
    return exit_done;
}

}  // namespace sluice::cli
