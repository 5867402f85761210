// The commands that run one operator on files and need no broker, one function each. They write results and messages to
// the console, and return the exit status. Called once, from main.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/cli/common/console.hpp"
#include "broker/cli/common/output_options.hpp"
#include "gpu/tools/align/pair.hpp"
#include "gpu/tools/distance/all_pairs.hpp"
#include "gpu/tools/recurrence/analyse.hpp"
#include "gpu/tools/search/occurrences.hpp"

namespace sluice::cli {

enum class AlignFormat { text, tsv, json, paf };

struct AlignOptions : OutputOptions {
    std::string query_file, text_file;  // FASTA; every query sequence is aligned with every text sequence
    std::string scheme = "dna";
    AlignFormat format = AlignFormat::text;
    bool global = false, alignment = false, prune = true;
    bool both_strands = false;  // of DNA: the query or its reverse complement, whichever scores more
    alignment::Processor processor = alignment::Processor::automatic;
    unsigned threads = 0;            // 0: one per core
    std::vector<int> devices = {0};  // GPUs that share a long pair
};
int align(const AlignOptions& options, Console console);

enum class SearchOutput { occurrences, counts, summary };

struct SearchOptions : OutputOptions {
    std::string patterns_file;            // a pattern on each line, or FASTA; "-": standard input
    std::vector<std::string> text_files;  // "-": standard input
    bool plain = false;                   // FASTA is searched as other files are
    bool ignore_case = false;             // of a to z
    bool both_strands = false;            // of DNA: also for the patterns' reverse complements
    SearchOutput output = SearchOutput::occurrences;
    substrings::Algorithm algorithm = substrings::Algorithm::filter;
    substrings::Processor processor = substrings::Processor::automatic;
    unsigned threads = 0;  // on the CPU; 0: one per core
};
int search(const SearchOptions& options, Console console);

struct DistanceOptions : OutputOptions {
    std::string pattern_file, text_file;  // a pattern or a text per line; one of them may be "-"
    bool one_text = false;                // text_file is one text
    bool plain = false;                   // FASTA is read as other files are
    bool ignore_case = false;             // of a to z
    bool best = false, summary = false;
    std::string costs = "unit";        // unit, typing, vowels or a file
    edits::AllPairsOptions all_pairs;  // how
};
int distance(const DistanceOptions& options, Console console);

struct RecurrenceOptions : OutputOptions {
    std::string series_file;  // numbers; "-": standard input
    double epsilon = 0;
    std::uint32_t v_min = 2, l_min = 2, theiler = 1;
    recurrence::Algorithm algorithm = recurrence::Algorithm::automatic;
    std::optional<std::uint64_t> windows, seed;  // each of these three implies microstates
    std::optional<std::uint32_t> size;
    recurrence::Processor processor = recurrence::Processor::automatic;
    unsigned threads = 0;   // 0: one per core
    std::string plot_file;  // its name ends in .png; "-": draw it on standard output; empty: no plot
};
int recurrence(const RecurrenceOptions& options, Console console);

}  // namespace sluice::cli
