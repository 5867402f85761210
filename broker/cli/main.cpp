// sluice, the client: turns the command line into a call of one of the commands.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdint>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <limits>
#include <memory>
#include <new>
#include <unistd.h>

#include "broker/base/program/command_line.hpp"
#include "broker/cli/build_options.hpp"
#include "broker/cli/client/add_broker.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/add_command.hpp"
#include "broker/cli/common/help_texts.hpp"
#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/common/output_options.hpp"
#include "broker/cli/manual/manual_commands.hpp"
#include "broker/cli/store/store_commands.hpp"
#include "broker/cli/subscription_commands.hpp"
#include "broker/cli/user/user_commands.hpp"
#include "broker/cli/workbench/operator_commands.hpp"
#include "config/units.hpp"
#include "protocol/text/nearest.hpp"
#include "protocol/text/trace_context.hpp"

namespace {

using namespace sluice::cli;

CLI::Option* add_format(CLI::App& command, ItemFormat& format) {
    sluice::base::add_choice(
        command, "--format",
        "What to print of an item: title (the default; for data its values), json, xml or source (as it was published)",
        "FORMAT", {"title", "json", "xml", "source"}, [&format](std::size_t choice) {
            constexpr ItemFormat formats[] = {ItemFormat::title, ItemFormat::json, ItemFormat::xml, ItemFormat::source};
            format = formats[choice];
        });
    return command.get_option("--format");
}

// For commands whose --json is --format json as well.
template <class Options>
void add_item_format(CLI::App& command, const std::shared_ptr<Options>& options) {
    auto* format = add_format(command, options->format);
    command.get_option("--json")->excludes(format)->each(
        [options](const std::string&) { options->format = ItemFormat::json; });
    command.add_flag("--values", options->all_values,
                     "With --json: add the item's values by path, as filters name them");
    command.parse_complete_callback([options] {
        if (options->all_values && options->format != ItemFormat::json)
            throw CLI::ValidationError("--values needs --json");
    });
}

void add_repair(CLI::App& command, std::string& repair, const char* default_repair) {
    sluice::base::add_choice(
        command, "--repair",
        std::string("XML that is not well-formed: lenient repairs what can be, strict refuses it (default: ") +
            default_repair + ")",
        "HOW", {"lenient", "strict"}, [&repair](std::size_t choice) { repair = choice == 0 ? "lenient" : "strict"; });
}

void add_content_type(CLI::App& command, std::string& content_type) {
    command
        .add_option("--content-type", content_type,
                    "The documents' media type, such as text/csv for standard input (default: by name and text)")
        ->type_name("TYPE");
}

void add_publish(CLI::App& app, int& exit_status) {
    std::shared_ptr<PublishOptions> options;
    auto& command =
        add_command(app, "publish", "Send documents to the broker: feeds, XML, JSON, NDJSON, CSV, FASTA, FASTQ",
                    help::publish, publish, exit_status, options);
    command
        .add_option("FILE", options->files,
                    "Documents, which may be compressed by gzip; - reads standard input. Names ending in .ndjson, "
                    ".jsonl, .csv, .tsv, .fasta, .fa, .fastq, .fq and .json, in upper or lower case, also with .gz, "
                    "tell the format, else the text does")
        ->required();
    command.add_option("--stream", options->stream, "Stream to publish to; the broker has a default");
    command.add_flag(
        "--deduplicate,!--no-deduplicate", options->deduplicate,
        "Leave out items that the stream already has unchanged (default: yes); of data that is not a feed, "
        "only in a stream with an id_path");
    add_content_type(command, options->content_type);
    const std::string lines_text =
        "Send each line as a document of its own, as it comes; --whole: all as one document (default: lines if "
        "standard input has a JSON object a line, or an NDJSON file is too large for one document)";
    command.add_flag("--lines,!--whole", lines_text)->each([options](const std::string& value) {
        options->lines = value == "true";
    });
    add_repair(command, options->repair, "the stream's");
    command
        .add_option(
            "--traceparent", options->trace_parent,
            "The W3C trace context to publish in (default: that of the environment, TRACEPARENT and TRACESTATE)")
        ->type_name("VALUE")
        ->check([](const std::string& value) {
            return sluice::text::is_trace_parent(value)
                       ? std::string()
                       : "not a W3C traceparent, such as 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01: " +
                             value;
        });
    add_broker(command, *options, "60");
}

// The options that subscribe and replay have in common. Returns FILTER.
CLI::Option* add_subscription(CLI::App& command, const std::shared_ptr<SubscribeOptions>& options) {
    auto* filters = command
                        .add_option("FILTER", options->filters,
                                    "The items to print: those that any of the filters selects; 'true()' selects all")
                        ->required();
    command.add_option("--stream", options->stream, "Stream to read, or '*' for all; the broker has a default");
    auto* after =
        command.add_option("--after", options->after, "Begin after the event with this id, such as k3v9x0a2-105")
            ->type_name("ID");
    auto* since =
        command
            .add_option("--since", options->since,
                        "Begin at this time, such as 2026-11-27T08:00:00Z, or this long ago, such as 30min or 24h")
            ->type_name("TIME|DURATION")
            ->excludes(after);
    command
        .add_flag("--from-first", options->from_first,
                  "Begin with the oldest event that the broker keeps (replay's default)")
        ->excludes(after)
        ->excludes(since);
    sluice::base::add_choice(
        command, "--annotate", "alignment: add score, position and CIGAR of each align() and align-global() that holds",
        "WHAT", {"alignment", "none"}, [options](std::size_t choice) { options->annotate_alignment = choice == 0; });
    add_item_format(command, options);
    add_broker(command, *options, "three of the broker's heartbeats");
    return filters;
}

// Of a durable subscription, which has streams and filters of its own.
void add_consuming(CLI::App& command, const std::shared_ptr<SubscribeOptions>& options, CLI::Option* filters) {
    auto* subscription = command.add_option_function<std::string>(
        "--subscription",
        [options, filters](const std::string& name) {
            options->subscription = name;
            filters->required(false);
        },
        "Instead of FILTER: consume this durable subscription, from where it is");
    subscription->type_name("NAME")->excludes(filters);
    for (const char* of_filters : {"--stream", "--after", "--since", "--from-first"})
        subscription->excludes(command.get_option(of_filters));
    add_owner(command, options->owner, false)->needs(subscription);
    command.add_flag("--takeover", options->takeover, "End the consumer that the subscription has")
        ->needs(subscription);
    command.add_flag("--ack", options->ack, "Acknowledge what has been printed; else it is delivered again")
        ->needs(subscription);
    auto* exec =
        command
            .add_option("--exec", options->exec,
                        "Instead of printing, run this by /bin/sh for each event, one at a time, with its JSON as "
                        "standard input and SLUICE_ID, SLUICE_STREAM and SLUICE_DELIVERIES in its environment; exit "
                        "status 0 acknowledges the event, others reject it; 126 and 127, which the shell has for what "
                        "it can't run, end sluice")
            ->type_name("COMMAND")
            ->needs(subscription)
            ->excludes(command.get_option("--format"));
    command
        .add_option_function<std::string>(
            "--retry-delay",
            [options](const std::string& text) {
                if (!sluice::config::parse_duration(text))
                    throw CLI::ValidationError("--retry-delay must be a duration with its unit, such as 1s, not " +
                                               text);
                options->retry_delay = text;
            },
            "With --exec: deliver a rejected event again after this time (default: 1s)")
        ->type_name("DURATION")
        ->needs(exec);
}

void add_subscribe(CLI::App& app, int& exit_status) {
    std::shared_ptr<SubscribeOptions> options;
    auto& command = add_command(app, "subscribe", "Print items as they are published, until interrupted",
                                help::subscribe, subscribe, exit_status, options);
    add_consuming(command, options, add_subscription(command, options));
    sluice::base::add_number(command, "--count", "Exit after this many items", std::numeric_limits<std::size_t>::max(),
                             [options](std::uint64_t count) { options->count = count; });
    command.add_flag("--reconnect,!--no-reconnect", options->reconnect,
                     "Connect again when the connection is lost, and continue after the last event (default: yes)");
}

void add_replay(CLI::App& app, int& exit_status) {
    std::shared_ptr<SubscribeOptions> options;
    auto& command = add_command(app, "replay", "Print the items that the broker keeps and a filter selects",
                                help::replay, replay, exit_status, options);
    add_subscription(command, options);
}

void add_match(CLI::App& app, int& exit_status) {
    std::shared_ptr<MatchOptions> options;
    auto& command = add_command(app, "match",
                                "Print the items of files that a filter selects (needs no broker), or with --since "
                                "count the matching events that the broker retains",
                                help::match, match, exit_status, options);
    command.add_option("FILTER", options->filter, "The items to print")->required();
    auto* files =
        command
            .add_option("FILE", options->files, "Documents, which may be compressed by gzip; - reads standard input")
            ->required();
    command.add_option("--event-path", options->event_path, "XPath of the items in XML that is not a feed");
    command
        .add_option("--stream", options->stream, "The value of $stream; with --since, the stream, or * for all of them")
        ->capture_default_str();
    auto* since = command.add_option_function<std::string>(
        "--since",
        [options, files](const std::string& text) {
            options->since = text;
            files->required(false);
        },
        "Instead of FILE: count the stream's retained events since a time (2026-11-27T10:00:00Z) or for a duration "
        "(24h), by hour, and print the newest that match");
    since->type_name("TIME");
    add_content_type(command, options->content_type);
    add_repair(command, options->repair, "lenient");
    add_item_format(command, options);
    add_broker(command, *options, "600");
    for (const char* of_files : {"--event-path", "--content-type", "--repair", "--format", "--values"})
        since->excludes(command.get_option(of_files));
    since->excludes(files);
}

void add_why(CLI::App& app, int& exit_status) {
    std::shared_ptr<WhyOptions> options;
    auto& command = add_command(app, "why", "Say why a filter selects a published event, or does not", help::why, why,
                                exit_status, options);
    command.add_option("FILTER", options->filter, "The filter")->required();
    command.add_option("--id", options->id, "The event's id, such as 105 or k3v9x0a2-105")->type_name("ID")->required();
    command.add_option("--stream", options->stream, "The stream that the event must be of (default: any)");
    add_broker(command, *options, "60");
}

void add_explain(CLI::App& app, int& exit_status) {
    std::shared_ptr<ExplainOptions> options;
    auto& command = add_command(app, "explain",
                                "Show how a filter is interpreted, which parts are slow, and hints (needs no broker)",
                                help::explain, explain, exit_status, options);
    command.add_option("FILTER", options->filter, "The filter")->required();
}

void add_status(CLI::App& app, int& exit_status) {
    std::shared_ptr<StatusOptions> options;
    auto& command = add_command(app, "status", "Print the broker's status", help::status, status, exit_status, options);
    command.add_flag("--all", options->all, "Print also what is zero or empty");
    add_broker(command, *options, "60");
}

std::chrono::milliseconds read_interval(const std::string& text) {
    using namespace std::chrono_literals;
    const auto interval = sluice::config::parse_duration(text);
    if (!interval || *interval < 100ms || *interval > 1h)
        throw CLI::ValidationError("--interval must be a duration from 100ms to 1h, such as 2s, not " + text);
    return std::chrono::duration_cast<std::chrono::milliseconds>(*interval);
}

void add_top(CLI::App& app, int& exit_status) {
    std::shared_ptr<TopOptions> options;
    auto& command = add_command(app, "top", "Show what the broker does, again and again; q ends it", help::top, top,
                                exit_status, options);
    command
        .add_option_function<std::string>(
            "--interval", [options](const std::string& text) { options->interval = read_interval(text); },
            "Show new figures so often (default: 2s)")
        ->type_name("DURATION");
    sluice::base::add_number(command, "--count", "Print so many tables, one after each interval, and exit",
                             std::numeric_limits<std::size_t>::max(),
                             [options](std::uint64_t count) { options->count = count; });
    add_broker(command, *options, "10");
}

void add_streams(CLI::App& app, int& exit_status) {
    std::shared_ptr<StreamsOptions> options;
    auto& command = add_command(app, "streams", "List the broker's streams; show, create, change, purge or delete one",
                                help::streams, streams, exit_status, options);
    auto* stream = command.add_option(
        "STREAM", options->stream,
        "Show this one, with its options. Without it, list all: the events that the broker keeps of "
        "each and their size; LAST ID, of its newest event, where ids count the events of all streams "
        "together; KNOWN ITEMS, which are delivered again only if they have changed; and whether it "
        "is DEFINED, by --set or PUT, and so stays without events");
    auto* set =
        command
            .add_option("--set", options->set,
                        "NAME=VALUE: change an option, and create the stream if there is none. Options: event_path, "
                        "id_path, deduplicate, deduplication_window, deduplication_ignore, repair, retention.age, "
                        "retention.events, retention.bytes, context. VALUE null: its default")
            ->allow_extra_args(false)
            ->needs(stream);
    command.add_flag("--delete", options->erase, "Delete it with its retained events")->needs(stream)->excludes(set);
    add_broker(command, *options, "60");
    constexpr auto id_max = std::numeric_limits<std::uint64_t>::max();
    auto& purge = *command.add_subcommand("purge", "Drop the events that a stream retains, and keep all else of it");
    purge.add_option("STREAM", options->stream, "The stream")->required();
    sluice::base::add_number(purge, "--before", "Drop only events with a lower id", id_max,
                             [options](std::uint64_t id) { options->before = id; });
    purge.callback([options] { options->purge = true; });
    auto& erase = *command.add_subcommand(
        "erase",
        "Erase one event: its bytes are in no file of the broker's store then, except for copies of the store");
    erase.add_option("STREAM", options->stream, "The stream")->required();
    sluice::base::add_number(erase, "ID", "The event's id", id_max,
                             [options](std::uint64_t id) { options->event = id; });
    erase.get_option("ID")->required();
    for (CLI::App* each : {&purge, &erase}) each->fallthrough();
}

const CLI::App& subcommand_named(const CLI::App& app, const std::string& name) {
    std::vector<std::string_view> names;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.emplace_back(each->get_name());
        if (each->get_name() == name) return *each;
    }
    const std::string_view best = sluice::text::nearest(name, names);
    throw CLI::ValidationError("there is no subcommand '" + name + "'" +
                               (best.empty() ? "" : "; did you mean '" + std::string(best) + "'?"));
}

void add_help(CLI::App& app) {
    const auto wanted = std::make_shared<std::vector<std::string>>();
    auto* command = app.add_subcommand("help", "Say more about a command");
    std::vector<std::string> names;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(each->get_name());
    sluice::base::set_choices(*command->add_option("COMMAND", *wanted, "The command"), names);
    command->footer("sluice help without a COMMAND lists them.");
    command->callback([&app, wanted] {
        if (wanted->empty()) {
            // app.help() would be the parsed subcommand's.
            std::cout << app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
            return;
        }
        const CLI::App* found = &app;
        std::string before;
        for (const std::string& name : *wanted) {
            before += (before.empty() ? "" : " ") + found->get_name();
            found = &subcommand_named(*found, name);
        }
        std::cout << found->help(before);
    });
}

// A closed standard stream's number would be given to a connection, which would then get what is printed.
void reserve_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) == -1) static_cast<void>(open("/dev/null", O_RDONLY));  // can't be written to
    }
}

}  // namespace

int main(int argc, char** argv) {
    reserve_standard_streams();
    std::signal(SIGPIPE, SIG_IGN);  // output that nobody reads is a failed write
    int exit_status = exit_done;
    CLI::App app("Publishes feeds to a Sluice broker, and receives the items that a filter selects.", "sluice");
    sluice::base::format_help(app);
    app.set_version_flag("-V,--version", version_text);
    app.require_subcommand(1);
    app.footer(help::program);
    add_publish(app, exit_status);
    add_subscribe(app, exit_status);
    add_replay(app, exit_status);
    add_match(app, exit_status);
    add_why(app, exit_status);
    add_explain(app, exit_status);
    add_operator_commands(app, exit_status);
    add_status(app, exit_status);
    add_top(app, exit_status);
    add_streams(app, exit_status);
    add_subscriptions(app, exit_status);
    add_user_commands(app, exit_status);
    add_store(app, exit_status);
    add_manual(app);
    add_completion(app);
    add_help(app);
    try {
        if (const auto status = sluice::base::parse_command_line(app, argc, argv, exit_failed)) exit_status = *status;
    } catch (const std::bad_alloc&) {
        std::cerr << "sluice: not enough memory\n";
        return exit_failed;
    } catch (const std::exception& failure) {
        std::cerr << "sluice: " << failure.what() << '\n';
        return exit_failed;
    }
    if (!sluice::base::finish_output("sluice")) return exit_failed;
    if (exit_status == exit_interrupted) end_by_interrupt();
    return exit_status;
}
