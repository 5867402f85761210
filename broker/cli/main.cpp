// sluice, the client: the command line turned into a call of one of the commands.
#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <new>

#include "broker/cli/commands.hpp"

namespace {

using namespace sluice::cli;
namespace alignment = sluice::alignment;

const Console console{std::cout, std::cerr};

void add_server(CLI::App& command, std::string& server) {
    command.add_option("--server", server, "The broker's URL")->envname("SLUICE_SERVER")->capture_default_str();
}

void add_format(CLI::App& command, ItemFormat& format) {
    const std::map<std::string, ItemFormat> formats{
        {"title", ItemFormat::title}, {"json", ItemFormat::json}, {"xml", ItemFormat::xml}};
    command.add_option("--format", format, "What to print of an item: title (the default), json or xml")
        ->transform(CLI::CheckedTransformer(formats).description(""))
        ->type_name("FORMAT");
}

// Adds a command with options of its own; parsing it runs `run` on them and keeps the exit status.
template <class Options>
CLI::App& add_command(CLI::App& app, const char* name, const char* what, int (*run)(const Options&, Console),
                      int& exit_status, std::shared_ptr<Options>& options) {
    options = std::make_shared<Options>();
    auto* command = app.add_subcommand(name, what);
    command->callback([options, run, &exit_status] { exit_status = run(*options, console); });
    return *command;
}

void add_publish(CLI::App& app, int& exit_status) {
    std::shared_ptr<PublishOptions> options;
    auto& command = add_command(app, "publish", "Send documents (RSS, Atom, RDF, JSON Feed, XML) to the broker",
                                publish, exit_status, options);
    command.add_option("FILE", options->files, "Documents; - reads standard input")->required();
    command.add_option("--stream", options->stream, "Stream to publish to; the broker has a default");
    command.add_flag("--deduplicate,!--no-deduplicate", options->deduplicate,
                     "Leave out items that the stream has had unchanged (default: yes)");
    add_server(command, options->server);
}

void add_subscribe(CLI::App& app, int& exit_status) {
    std::shared_ptr<SubscribeOptions> options;
    auto& command = add_command(app, "subscribe", "Print items as they are published, until interrupted", subscribe,
                                exit_status, options);
    command.add_option("FILTER", options->filters, "Which items; of several filters, any")->required();
    command.add_option("--stream", options->stream, "Stream to subscribe to; the broker has a default");
    command.add_option("--count", options->count, "Leave after this many items");
    command
        .add_option_function<std::string>(
            "--annotate", [options](const std::string& what) { options->annotate_alignment = what == "alignment"; },
            "alignment: with score, place and CIGAR of each align() and align-global() that holds")
        ->check(CLI::IsMember({"alignment", "none"}).description(""))
        ->type_name("WHAT");
    add_format(command, options->format);
    add_server(command, options->server);
}

void add_match(CLI::App& app, int& exit_status) {
    std::shared_ptr<MatchOptions> options;
    auto& command = add_command(app, "match", "Print the items of files that a filter selects (needs no broker)", match,
                                exit_status, options);
    command.add_option("FILTER", options->filter, "Which items")->required();
    command.add_option("FILE", options->files, "Documents; - reads standard input")->required();
    command.add_option("--event-path", options->event_path, "XPath of the items of XML that is no feed");
    command.add_option("--stream", options->stream, "What $stream stands for")->capture_default_str();
    add_format(command, options->format);
}

void add_explain(CLI::App& app, int& exit_status) {
    std::shared_ptr<ExplainOptions> options;
    auto& command = add_command(app, "explain", "Say how a filter is understood, and what is slow (needs no broker)",
                                explain, exit_status, options);
    command.add_option("FILTER", options->filter, "The filter")->required();
}

alignment::Processor processor_of(const std::string& name) {
    if (name == "auto") return alignment::Processor::automatic;
    return name == "gpu" ? alignment::Processor::gpu : alignment::Processor::cpu;
}

void add_align(CLI::App& app, int& exit_status) {
    std::shared_ptr<AlignOptions> options;
    auto& command = add_command(app, "align", "Align the sequences of two FASTA files (needs no broker)", align,
                                exit_status, options);
    command.add_option("QUERY", options->query_file, "FASTA file; - reads standard input")->required();
    command.add_option("TEXT", options->text_file, "FASTA file")->required();
    command
        .add_option("--scheme", options->scheme,
                    "dna, dna:match,mismatch,first,further, blosum62:first,further or blosum50:first,further")
        ->capture_default_str();
    command.add_flag("--global", options->global, "Whole sequences (Needleman-Wunsch) instead of the best parts");
    command.add_flag("--alignment", options->alignment, "Print the alignment too (CIGAR), not only score and end");
    command.add_flag("--prune,!--no-prune", options->prune,
                     "Skip what can't be the best, of long pairs (default: yes)");
    command.add_option("--threads", options->threads, "On the CPU, for long pairs of DNA (default: as many as cores)");
    command
        .add_option_function<std::string>(
            "--processor", [options](const std::string& name) { options->processor = processor_of(name); },
            "auto (the default), cpu or gpu")
        ->check(CLI::IsMember({"auto", "cpu", "gpu"}).description(""))
        ->type_name("PROCESSOR");
    command
        .add_option("--devices", options->devices,
                    "GPUs, as CUDA numbers them, that share a text of 100,000 letters or "
                    "more: 0,1 (default: 0)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(0, 1023).description(""))
        ->type_name("NUMBERS");
}

void add_status(CLI::App& app, int& exit_status) {
    std::shared_ptr<StatusOptions> options;
    auto& command = add_command(app, "status", "Print what the broker says about itself", status, exit_status, options);
    command.add_flag("--json", options->json, "As the JSON that it sends");
    add_server(command, options->server);
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_DFL);  // sluice subscribe … | head ends quietly
    int exit_status = exit_done;
    CLI::App app("Publishes feeds to a Sluice broker, and receives the items that a filter selects.", "sluice");
    app.set_version_flag("--version", "sluice " SLUICE_VERSION);
    app.require_subcommand(1);
    app.footer(
        "A filter is an XPath 1.0 path or condition: \"//item[category='politics']\", \"price < 90 and not(sold)\".\n"
        "Exit status: 0 done, 1 nothing matched (match), 2 failed.");
    add_publish(app, exit_status);
    add_subscribe(app, exit_status);
    add_match(app, exit_status);
    add_explain(app, exit_status);
    add_align(app, exit_status);
    add_status(app, exit_status);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_done : exit_failed;
    } catch (const std::bad_alloc&) {
        std::cerr << "sluice: not enough memory\n";
        return exit_failed;
    }
    return exit_status;
}
