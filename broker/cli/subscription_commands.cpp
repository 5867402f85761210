#include "broker/cli/subscription_commands.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "broker/cli/client/add_broker.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/add_command.hpp"
#include "config/units.hpp"
#include "config/users_file.hpp"

namespace sluice::cli {

namespace {

constexpr const char* start_rule =
    "now, first, an event's id (it goes on after it), a time such as 2026-11-27T08:00:00Z, or a duration such as 30min "
    "or 24h";

// A command that names a subscription.
template <class Options>
CLI::App& add_named(CLI::App& parent, const char* name, const char* what, int (*run)(const Options&, Console),
                    int& exit_status, std::shared_ptr<Options>& options) {
    auto& command = add_command(parent, name, what, help::subscription, run, exit_status, options);
    command.add_option("NAME", options->name, "The subscription")->required();
    add_owner(command, options->owner, false);
    add_broker(command, *options, "60");
    return command;
}

CLI::Option* add_version(CLI::App& command, SubscriptionsOptions& options, const char* what) {
    base::add_number(command, "--if-version", what, std::numeric_limits<std::uint64_t>::max(),
                     [&options](std::uint64_t version) { options.if_version = version; });
    return command.get_option("--if-version");
}

// An option whose value is sent as it is written, once `is_valid` says that it is `expected`.
void add_text(CLI::App& command, const std::string& option, const std::string& what, const char* value_name,
              std::optional<std::string>& value, const char* expected,
              std::function<bool(const std::string&)> is_valid) {
    command
        .add_option_function<std::string>(
            option,
            [option, &value, expected, is_valid = std::move(is_valid)](const std::string& text) {
                if (!is_valid(text)) throw CLI::ValidationError(option + " must be " + expected + ", not " + text);
                value = text;
            },
            what)
        ->type_name(value_name);
}

void add_defaults(CLI::App& command, const std::shared_ptr<SetSubscriptionOptions>& options) {
    constexpr const char* names =
        "stream, filter, ack, ack-wait, max-deliver, dead-letter, prefetch, share or hold-bytes";
    const auto take = [options](const std::vector<std::string>& given) {
        constexpr std::pair<std::string_view, const char*> members[] = {
            {"stream", "streams"},          {"filter", "filters"},    {"ack", "ack"},
            {"ack-wait", "ack_wait"},       {"share", "share"},       {"max-deliver", "max_deliver"},
            {"dead-letter", "dead_letter"}, {"prefetch", "prefetch"}, {"hold-bytes", "hold_bytes"}};
        for (const std::string& name : given) {
            const auto* found = std::find_if(std::begin(members), std::end(members),
                                             [&](const auto& member) { return member.first == name; });
            if (found == std::end(members))
                throw CLI::ValidationError(std::string("--default must be ") + names + ", not " + name);
            options->defaults.emplace_back(found->second);
        }
    };
    command
        .add_option_function<std::vector<std::string>>(
            "--default", take, std::string("Give this option its default; may be repeated: ") + names)
        ->allow_extra_args(false)
        ->type_name("OPTION");
}

void add_set(CLI::App& parent, int& exit_status) {
    std::shared_ptr<SetSubscriptionOptions> options;
    auto& command = add_named(parent, "set", "Create a subscription, or change the options that are named",
                              set_subscription, exit_status, options);
    command
        .add_option("--stream", options->streams,
                    "A stream to read, several by a prefix ('news.*') or all ('*'); may be repeated (default: default)")
        ->allow_extra_args(false);
    command
        .add_option("--filter", options->filters,
                    "Items that it gets: those that any of the filters selects; may be repeated (default: every item)")
        ->allow_extra_args(false);
    command
        .add_option("--start", options->start,
                    std::string("Where a new one begins: ") + start_rule + " (default: now); seek moves it later")
        ->type_name("WHERE");
    base::add_choice(command, "--ack",
                     "each (the default): consumers acknowledge each event; cumulative: in order, and browsers by "
                     "connecting again; none: what has been sent counts as acknowledged",
                     "HOW", {"each", "cumulative", "none"}, [options](std::size_t choice) {
                         constexpr const char* names[] = {"each", "cumulative", "none"};
                         options->ack = names[choice];
                     });
    add_text(command, "--ack-wait", "Deliver again what is not acknowledged after this time (default: 30s)", "DURATION",
             options->ack_wait, "a duration with its unit, such as 30s",
             [](const std::string& text) { return config::parse_duration(text).has_value(); });
    base::add_number(
        command, "--max-deliver", "After so many deliveries an event is a dead letter; 0: no limit (default: 10)",
        std::numeric_limits<std::uint32_t>::max(), [options](std::uint64_t number) { options->max_deliver = number; });
    command
        .add_option("--dead-letter", options->dead_letter,
                    "The stream for dead letters (default: none; they are delivered again, ever more rarely)")
        ->type_name("STREAM");
    base::add_number(
        command, "--prefetch",
        "So many events at most are delivered and not acknowledged; few if each takes long (default: 1000)", 65'536,
        [options](std::uint64_t number) { options->prefetch = number; });
    const std::string share_text = "Several consumers at once, each event to one of them (default: no)";
    command.add_flag("--share,!--no-share", share_text)->each([options](const std::string& value) {
        options->share = value == "true";
    });
    add_text(command, "--hold-bytes",
             "Keep the streams' retention from removing what is not acknowledged, up to this size (default: 0)", "SIZE",
             options->hold_bytes, "a size, such as 10MiB",
             [](const std::string& text) { return config::parse_size(text).has_value(); });
    add_defaults(command, options);
    auto* create = command.add_flag("--create", options->create, "Fail if it exists");
    add_version(command, *options, "Change it only if it has this version, as show says")->excludes(create);
}

}  // namespace

CLI::Option* add_owner(CLI::App& command, SubscriptionOwner& owner, bool or_all) {
    const auto take = [&owner, or_all](const std::string& name) {
        if (!name.empty() && !config::is_user_name(name) && !(or_all && name == "*"))
            throw CLI::ValidationError("--owner must be the name of a user, " + std::string(config::user_name_rule) +
                                       ", or '' for nobody's" + (or_all ? ", or '*' for everybody's" : "") + ", not " +
                                       name);
        owner = name;
    };
    const std::string what = or_all ? "Another user's subscriptions, '' for nobody's or '*' for all"
                                    : "The subscription is another user's, or '' for nobody's";
    return command.add_option_function<std::string>("--owner", take, what + "; for who may operate the broker")
        ->type_name("NAME");
}

void add_subscriptions(CLI::App& app, int& exit_status) {
    auto& command =
        *app.add_subcommand("subscriptions", "List, show, set, delete and move the broker's durable subscriptions");
    command.footer(help::footer(help::subscriptions));
    command.require_subcommand(1);
    std::shared_ptr<SubscriptionsOptions> options;
    auto& list = add_command(command, "list", "List all, with what waits for them", help::subscription,
                             list_subscriptions, exit_status, options);
    add_owner(list, options->owner, true);
    add_broker(list, *options, "60");
    add_named(command, "show", "Show one, with its options, its position and what it has counted", show_subscription,
              exit_status, options);
    add_set(command, exit_status);
    auto& erase = add_named(command, "delete", "Delete one", delete_subscription, exit_status, options);
    add_version(erase, *options, "Delete it only if it has this version, as show says");
    std::shared_ptr<SeekSubscriptionOptions> seek_options;
    auto& seek = add_named(command, "seek", "Move its position; what was delivered and not acknowledged is forgotten",
                           seek_subscription, exit_status, seek_options);
    seek.add_option("TO", seek_options->to, start_rule)->required();
    add_named(command, "dead", "Print its dead letters, the newest last, with the reason of each", dead_letters,
              exit_status, options);
}

}  // namespace sluice::cli
