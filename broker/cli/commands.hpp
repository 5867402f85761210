// The commands of the sluice program, one function each. They write results and messages to the console, and return the
// exit status. Called once, from main.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "broker/cli/console.hpp"
#include "gpu/operators/alignment/pair.hpp"
#include "gpu/operators/edits/all_pairs.hpp"
#include "gpu/operators/recurrence/analyse.hpp"
#include "gpu/operators/substrings/occurrences.hpp"

namespace sluice::cli {

// As for grep: 1 is a result (nothing matched), 2 is a failure. 3: match left an item undecided.
constexpr int exit_done = 0, exit_no_match = 1, exit_failed = 2, exit_undecided = 3;
constexpr int exit_interrupted = 130;  // as shells report a process that Ctrl-C ended

constexpr const char* default_server = "http://127.0.0.1:8080";

// Of every command. `json`: results are JSON, one object a line, and so are messages.
struct OutputOptions {
    bool json = false;
    ColourChoice colour = ColourChoice::automatic;
};

enum class ItemFormat { title, json, xml, source };

// Commands that talk to a broker.

struct BrokerOptions : OutputOptions {
    std::string server = default_server;               // its URL
    std::string ca_file;                               // certificates to trust, PEM; empty: the system's
    std::optional<std::chrono::milliseconds> timeout;  // for a sign of the broker; none: as suits the command
};

struct PublishOptions : BrokerOptions {
    std::string stream;
    std::vector<std::string> files;  // "-": standard input
    bool deduplicate = true;
    std::string content_type;  // of all files; empty: by their names and texts
    std::string repair;        // "lenient" or "strict"; empty: the stream's
};
int publish(const PublishOptions& options, Console console);

struct SubscribeOptions : BrokerOptions {
    std::string stream;
    std::vector<std::string> filters;  // items that satisfy any of them
    ItemFormat format = ItemFormat::title;
    bool all_values = false;           // the JSON has the values by path, whatever was published
    bool annotate_alignment = false;   // print the alignments that made the filters match
    bool reconnect = true;             // after the connection is lost
    std::optional<std::size_t> count;  // exit after this many items
};
int subscribe(const SubscribeOptions& options, Console console);

struct StatusOptions : BrokerOptions {
    bool all = false;  // also what is zero or empty, and the buckets of histograms
};
int status(const StatusOptions& options, Console console);

struct StreamsOptions : BrokerOptions {
    std::optional<std::string> stream;  // none: list all streams
    std::vector<std::string> set;       // NAME=VALUE, such as deduplicate=false; creates the stream
    bool erase = false;
};
int streams(const StreamsOptions& options, Console console);

// Commands that need no broker.

struct ExplainOptions : OutputOptions {
    std::string filter;
};
int explain(const ExplainOptions& options, Console console);

struct MatchOptions : OutputOptions {
    std::string filter, stream = "default", event_path;
    std::vector<std::string> files;  // "-": standard input
    std::string content_type;        // of all files; empty: by their names and texts
    std::string repair = "lenient";  // or "strict"
    ItemFormat format = ItemFormat::title;
    bool all_values = false;  // as for subscribe
};
int match(const MatchOptions& options, Console console);

enum class AlignFormat { text, tsv, json };

struct AlignOptions : OutputOptions {
    std::string query_file, text_file;  // FASTA; every query sequence is aligned with every text sequence
    std::string scheme = "dna";
    AlignFormat format = AlignFormat::text;
    bool global = false, alignment = false, prune = true;
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
    std::string plot_file;  // PNG; "-": draw it on standard output; empty: no plot
};
int recurrence(const RecurrenceOptions& options, Console console);

}  // namespace sluice::cli
