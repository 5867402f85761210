#include <algorithm>
#include <boost/json/serialize.hpp>
#include <ostream>

#include "broker/cli/common/fasta.hpp"
#include "broker/cli/common/input.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/workbench/align_output.hpp"
#include "broker/cli/workbench/operator_options.hpp"
#include "gpu/tools/align/pair.hpp"

namespace sluice::cli {

namespace {

using namespace alignment;

std::optional<std::vector<FastaRecord>> read_sequences(const std::string& path, Console console) {
    const auto bytes = read_input(path);
    if (!bytes) {
        console.error(describe_unreadable(path, bytes.error().message()), {{"about", input_name(path)}});
        return std::nullopt;
    }
    auto file = parse_fasta(*bytes);
    if (!file.error.empty()) {
        console.error(input_name(path) + ":" + std::to_string(file.error_line) + ": " + file.error,
                      {{"about", input_name(path)}, {"line", file.error_line}});
        return std::nullopt;
    }
    return std::move(file.records);
}

// Warns of letters foreign to the scheme. A protein aligned as DNA, for example, scores almost nothing, and no other
// output would explain that.
void warn_of_foreign_letters(const Scheme& scheme, const std::vector<FastaRecord>& records, Console console) {
    if (scheme.alphabet != Scheme::Alphabet::dna) return;
    const auto foreign_letter = [](const FastaRecord& record) {
        return record.sequence.find_first_not_of("ACGTURYSWKMBDHVNacgturyswkmbdhvn");
    };
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
    how.trace = options.alignment;
    how.threads = options.threads;
    return how;
}

// Returns whether it could be written.
bool print_pair(const AlignOptions& options, const FastaRecord& query, const FastaRecord& text,
                const PairResult& result, bool is_first, const Console& console) {
    switch (options.format) {
        case AlignFormat::text:
            console.out << (is_first ? "" : "\n") << align_text(options, query, text, result);
            break;
        case AlignFormat::tsv:
            console.out << (is_first ? align_tsv_header() : "") << align_tsv(options, query, text, result);
            break;
        case AlignFormat::json:
            console.print_json(boost::json::serialize(align_json(options, query, text, result)));
            break;
    }
    return console.out.good();
}

}  // namespace

int align(const AlignOptions& options, Console console) {
    const auto scheme = parse_scheme(options.scheme);
    if (!scheme.error.empty()) {
        console.error(scheme.error);
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
    ProgressBar bar(console.err, console.progress_columns);
    const std::size_t pairs = queries->size() * texts->size();
    std::size_t done = 0;
    for (const auto& query : *queries) {
        const auto query_codes = scheme.scheme.encode(query.sequence);
        for (const auto& text : *texts) {
            PairOptions how = pair_options(options);
            how.progress = [&](double share) {
                bar.show((static_cast<double>(done) + share) / static_cast<double>(pairs));
            };
            const PairResult result = align_pair(scheme.scheme, query_codes, scheme.scheme.encode(text.sequence), how);
            bar.hide();
            if (!result.error.empty()) {
                console.error(query.name + " x " + text.name + ": " + result.error);
                return exit_failed;
            }
            if (!print_pair(options, query, text, result, done == 0, console)) return exit_failed;
            ++done;
            bar.show(static_cast<double>(done) / static_cast<double>(pairs));
        }
    }
    bar.hide();
    return exit_done;
}

}  // namespace sluice::cli
