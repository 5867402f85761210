#include "broker/cli/workbench/operator_commands.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "broker/cli/common/add_command.hpp"
#include "broker/cli/workbench/operator_options.hpp"

namespace sluice::cli {

namespace {

constexpr std::uint64_t device_max = 1023, parts_max = 1'000'000;

void add_align(CLI::App& app, int& exit_status) {
    std::shared_ptr<AlignOptions> options;
    auto& command = add_command(app, "align", "Align the sequences of two FASTA files (needs no broker)", help::align,
                                align, exit_status, options);
    command
        .add_option("QUERY", options->query_file, "FASTA file, which may be compressed by gzip; - reads standard input")
        ->type_name("FILE")
        ->required();
    command
        .add_option("TEXT", options->text_file,
                    "FASTA file, likewise; all its sequences are aligned with all those of QUERY")
        ->type_name("FILE")
        ->required();
    command
        .add_option(
            "--scheme", options->scheme,
            "dna (which is dna:1,-3,5,2), dna:match,mismatch,first,extend, blosum62:first,extend or "
            "blosum50:first,extend. match and mismatch are scores. first and extend are costs, with or without "
            "a minus sign: first is that of a gap's first letter (BLAST's open + extend), extend that of each "
            "further letter. DNA and proteins may be in upper or lower case. Letters for several nucleotides, such as "
            "N, match nothing, not even themselves, and so do X, J, O and U of proteins")
        ->capture_default_str();
    command.add_flag("--global", options->global, "Whole sequences (Needleman-Wunsch) instead of the best parts");
    command.add_flag(
        "--alignment", options->alignment,
        "Print the alignment, too, not only score and end: positions, and a CIGAR as SAM has it (= match, X "
        "mismatch, I letters that only QUERY has, D letters that only TEXT has)");
    command.add_flag("--both-strands", options->both_strands,
                     "DNA only: align the reverse complement of each query, too, and print the alignment that scores "
                     "more, with its strand, + or -. Positions count in the query as the file has it");
    base::add_choice(command, "--format",
                     "text (the default), or a line for each pair: tsv (with a line of names above), json or paf "
                     "(alignments as minimap2 writes them, with their CIGAR)",
                     "FORMAT", {"text", "tsv", "json", "paf"}, [options](std::size_t choice) {
                         constexpr AlignFormat formats[] = {AlignFormat::text, AlignFormat::tsv, AlignFormat::json,
                                                            AlignFormat::paf};
                         options->format = formats[choice];
                     });
    command.get_option("--json")->excludes(command.get_option("--format"))->each([options](const std::string&) {
        options->format = AlignFormat::json;
    });
    command.add_flag("--prune,!--no-prune", options->prune,
                     "Skip parts of long pairs that can't be in the best alignment (default: yes)");
    base::add_number(command, "--threads", "Threads for long pairs of DNA on the CPU (default: one per core)",
                     threads_max, [options](std::uint64_t n) { options->threads = static_cast<unsigned>(n); });
    base::add_choice(command, "--processor", "auto (the default), cpu or gpu", "PROCESSOR", {"auto", "cpu", "gpu"},
                     [options](std::size_t choice) {
                         using alignment::Processor;
                         constexpr Processor processors[] = {Processor::automatic, Processor::cpu, Processor::gpu};
                         options->processor = processors[choice];
                     });
    base::add_numbers(command, "--devices",
                      "CUDA numbers of the GPUs that share a text of 100,000 letters or more: 0,1 (default: 0)",
                      device_max, [options](const std::vector<std::uint64_t>& numbers) {
                          options->devices.assign(numbers.begin(), numbers.end());
                      });
}

void add_search(CLI::App& app, int& exit_status) {
    std::shared_ptr<SearchOptions> options;
    auto& command = add_command(app, "search", "Find many exact patterns in files of any size (needs no broker)",
                                help::search, search, exit_status, options);
    command
        .add_option(
            "PATTERNS", options->patterns_file,
            "File with one pattern per line, or FASTA by its name, which may be compressed by gzip; - reads standard "
            "input")
        ->type_name("FILE")
        ->required();
    command
        .add_option("TEXT", options->text_files,
                    "Files to search, which may be compressed by gzip; - reads standard input. FASTA, by its name or a "
                    "first character '>', is searched by the record: lines are joined, and the offset is that in the "
                    "record's sequence, behind its name")
        ->type_name("FILE")
        ->required();
    command.add_flag("--plain", options->plain, "Search FASTA as other files: line by line, and with its headers");
    command.add_flag("--ignore-case", options->ignore_case,
                     "Ignore the case of the letters a to z (soft-masked FASTA)");
    command.add_flag("--both-strands", options->both_strands,
                     "DNA only: search for the reverse complements of the patterns, too, and print the strand, + or "
                     "-, after the offset. Offsets count in the text as the file has it. A pattern that is its own "
                     "reverse complement is found on strand + only");
    auto* count = command.add_flag_callback(
        "--count", [options] { options->output = SearchOutput::counts; },
        "Print how often each pattern occurs in all files, instead of the occurrences");
    command
        .add_flag_callback(
            "--summary", [options] { options->output = SearchOutput::summary; },
            "Print for each file only the number of occurrences, and the time")
        ->excludes(count);
    base::add_choice(
        command, "--algorithm", "filter (the default), prefix-sums (Rabin-Karp with prefix sums) or plain (Rabin-Karp)",
        "ALGORITHM", {"filter", "prefix-sums", "plain"}, [options](std::size_t choice) {
            using substrings::Algorithm;
            constexpr Algorithm algorithms[] = {Algorithm::filter, Algorithm::prefix_sums, Algorithm::plain};
            options->algorithm = algorithms[choice];
        });
    base::add_number(command, "--threads", "Threads on the CPU (default: one per core)", threads_max,
                     [options](std::uint64_t n) { options->threads = static_cast<unsigned>(n); });
    base::add_choice(command, "--processor",
                     "auto (the default: a GPU for files of 256 MiB and more in all), cpu or gpu", "PROCESSOR",
                     {"auto", "cpu", "gpu"}, [options](std::size_t choice) {
                         using substrings::Processor;
                         constexpr Processor processors[] = {Processor::automatic, Processor::cpu, Processor::gpu};
                         options->processor = processors[choice];
                     });
}

void add_distance(CLI::App& app, int& exit_status) {
    std::shared_ptr<DistanceOptions> options;
    auto& command = add_command(app, "distance", "Print how near the texts of a file are to patterns (needs no broker)",
                                help::distance, distance, exit_status, options);
    command
        .add_option(
            "PATTERNS", options->pattern_file,
            "A pattern per line, UTF-8, or FASTA by its name: per record; may be compressed by gzip; - reads standard "
            "input")
        ->type_name("FILE")
        ->required();
    command
        .add_option("TEXTS", options->text_file,
                    "A text per line, UTF-8, or FASTA by its name or a first character '>': per record, whose name is "
                    "printed; may be compressed by gzip; - reads standard input")
        ->type_name("FILE")
        ->required();
    command.add_flag("--plain", options->plain, "Read FASTA as other files: line by line, and with its headers");
    command.add_flag("--ignore-case", options->ignore_case,
                     "Ignore the case of the letters a to z (soft-masked FASTA)");
    auto* whole = command.add_flag_callback(
        "--whole", [options] { options->all_pairs.extent = edits::Extent::whole; },
        "Compare whole texts (edit distance) instead of the most similar substring");
    command.add_flag("--one-text", options->one_text, "TEXTS is one text, without the line end at its end");
    base::add_number(command, "--within", "Print only pairs with a distance of at most this",
                     std::numeric_limits<std::uint32_t>::max() - 1,
                     [options](std::uint64_t k) { options->all_pairs.within = static_cast<std::uint32_t>(k); });
    auto* best = command.add_flag("--best", options->best, "Print only the nearest pattern of each text");
    command.add_flag("--summary", options->summary, "Print only how much was compared, and how fast")->excludes(best);
    command
        .add_option("--costs", options->costs,
                    "What edits cost: unit (1 each), typing (by distance on a keyboard), vowels, or a file")
        ->type_name("COSTS")
        ->capture_default_str();
    base::add_choice(command, "--algorithm",
                     "bit-parallel (the default for unit costs), o-asm, w-scan or w-shuffle (of substrings; patterns "
                     "of at most 1024 characters)",
                     "ALGORITHM", {"bit-parallel", "o-asm", "w-scan", "w-shuffle"}, [options](std::size_t choice) {
                         using edits::Algorithm;
                         constexpr Algorithm algorithms[] = {Algorithm::bit_parallel, Algorithm::o_asm,
                                                             Algorithm::w_scan, Algorithm::w_shuffle};
                         options->all_pairs.algorithm = algorithms[choice];
                     });
    base::add_number(command, "--parts", "Overlapping parts that each text is cut into (default: as many as are fast)",
                     parts_max, [options](std::uint64_t n) { options->all_pairs.parts = n; });
    command.get_option("--parts")->excludes(whole);
    base::add_number(command, "--threads", "Threads on the CPU (default: one per core)", threads_max,
                     [options](std::uint64_t n) { options->all_pairs.threads = static_cast<unsigned>(n); });
    base::add_choice(command, "--processor", "auto (the default), cpu or gpu", "PROCESSOR", {"auto", "cpu", "gpu"},
                     [options](std::size_t choice) {
                         using edits::Processor;
                         constexpr Processor processors[] = {Processor::automatic, Processor::cpu, Processor::gpu};
                         options->all_pairs.processor = processors[choice];
                     });
}

}  // namespace

void add_operator_commands(CLI::App& app, int& exit_status) {
    add_align(app, exit_status);
    add_search(app, exit_status);
    add_distance(app, exit_status);
    add_recurrence(app, exit_status);
}

}  // namespace sluice::cli
