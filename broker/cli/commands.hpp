// What the sluice program does, one function a command. Results go to `out`, complaints to `err`; the exit status comes
// back. Each is called once, from main.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "gpu/operators/alignment/pair.hpp"

namespace sluice::cli {

// As of grep: 1 is an answer (nothing matched), 2 a failure.
constexpr int exit_done = 0, exit_no_match = 1, exit_failed = 2;

constexpr const char* default_server = "http://127.0.0.1:8080";

struct Console {
    std::ostream& out;
    std::ostream& err;
};

enum class ItemFormat { title, json, xml };

// Talking to a broker; `server` is its URL.

struct PublishOptions {
    std::string server = default_server, stream;
    std::vector<std::string> files;  // "-": standard input
    bool deduplicate = true;
};
int publish(const PublishOptions& options, Console console);

struct SubscribeOptions {
    std::string server = default_server, stream;
    std::vector<std::string> filters;  // items that satisfy any of them
    ItemFormat format = ItemFormat::title;
    bool annotate_alignment = false;   // with the alignments behind what the filters say
    std::optional<std::size_t> count;  // leave after so many items
};
int subscribe(const SubscribeOptions& options, Console console);

struct StatusOptions {
    std::string server = default_server;
    bool json = false;
};
int status(const StatusOptions& options, Console console);

// Needing none.

struct ExplainOptions {
    std::string filter;
};
int explain(const ExplainOptions& options, Console console);

struct MatchOptions {
    std::string filter, stream = "default", event_path;
    std::vector<std::string> files;  // "-": standard input
    ItemFormat format = ItemFormat::title;
};
int match(const MatchOptions& options, Console console);

struct AlignOptions {
    std::string query_file, text_file;  // FASTA; every sequence of the one with every sequence of the other
    std::string scheme = "dna";
    bool global = false, alignment = false, prune = true;
    alignment::Processor processor = alignment::Processor::automatic;
    unsigned threads = 0;            // 0: as many as the processor has
    std::vector<int> devices = {0};  // GPUs that share a long pair
};
int align(const AlignOptions& options, Console console);

}  // namespace sluice::cli
