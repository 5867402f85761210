#include "broker/cli/user/user_commands.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "broker/cli/common/add_command.hpp"
#include "broker/cli/user/user_options.hpp"
#include "config/units.hpp"

namespace sluice::cli {

namespace {

template <class Options>
CLI::App& add_of_file(CLI::App& parent, const char* name, const char* what, int (*run)(const Options&, Console),
                      int& exit_status, std::shared_ptr<Options>& options) {
    auto& command = add_command(parent, name, what, help::user_command, run, exit_status, options);
    command.add_option("--file", options->file, "The users file, the broker's auth.users")
        ->envname("SLUICE_USERS_FILE")
        ->type_name("FILE")
        ->required();
    return command;
}

template <class Options>
CLI::App& add_of_user(CLI::App& parent, const char* name, const char* what, int (*run)(const Options&, Console),
                      int& exit_status, std::shared_ptr<Options>& options) {
    auto& command = add_of_file(parent, name, what, run, exit_status, options);
    command.add_option("NAME", options->name, "The user")->required();
    return command;
}

CLI::Option* add_password_stdin(CLI::App& command, PasswordOptions& options) {
    return command.add_flag("--password-stdin", options.from_stdin,
                            "Read the password from standard input, one line (default: ask on the terminal, twice)");
}

CLI::Option* add_patterns(CLI::App& command, const char* option, std::vector<std::string>& patterns, const char* what) {
    return command
        .add_option(option, patterns, std::string(what) + ": a name, a prefix ('news.*') or all ('*'); may be repeated")
        ->allow_extra_args(false)
        ->type_name("STREAM");
}

void add_add(CLI::App& parent, int& exit_status) {
    std::shared_ptr<AddUserOptions> options;
    auto& command = add_of_user(parent, "add", "Add a user, with these rights; makes the file if it is missing",
                                add_user, exit_status, options);
    auto* from_stdin = add_password_stdin(command, *options);
    command.add_flag("--no-password", options->no_password, "The user has none, only tokens or a certificate")
        ->excludes(from_stdin);
    command.add_flag("--certificate", options->certificate,
                     "Accept a client certificate whose common name is this user's");
    command.add_option("--role", options->roles, "A role in the file, or all; may be repeated")
        ->allow_extra_args(false)
        ->type_name("ROLE");
    add_patterns(command, "--publish", options->publish, "A stream to which they may publish");
    auto* subscribe =
        add_patterns(command, "--subscribe", options->subscribe, "A stream whose events they may receive");
    command
        .add_option("--filter", options->filter,
                    "Row filter: of the --subscribe streams, show only events that this filter accepts")
        ->needs(subscribe);
    add_patterns(command, "--manage", options->manage, "A stream that they may define, purge and delete");
    command.add_flag("--operate", options->operate,
                     "May see status and metrics, make backups, and use other users' subscriptions and tickets");
}

void add_token(CLI::App& parent, int& exit_status) {
    std::shared_ptr<TokenOptions> options;
    auto& command = add_of_user(parent, "token", "Make a token for a user and print it, once; or revoke one",
                                change_tokens, exit_status, options);
    auto* expires =
        command
            .add_option_function<std::string>(
                "--expires",
                [options](const std::string& text) {
                    constexpr auto longest = std::chrono::hours(24 * 36'500);
                    options->lifetime = config::parse_duration(text);
                    if (!options->lifetime || options->lifetime->count() <= 0 || *options->lifetime > longest)
                        throw CLI::ValidationError("--expires must be a duration up to 36500d, such as 90d, not " +
                                                   text);
                },
                "Lifetime of the token (default: until it is revoked)")
            ->type_name("DURATION");
    auto* note = command.add_option("--note", options->note, "What the token is for")->type_name("TEXT");
    command.add_option("--revoke", options->revoked_id, "Remove the token with this id")
        ->type_name("ID")
        ->excludes(expires)
        ->excludes(note);
}

}  // namespace

void add_user_commands(CLI::App& app, int& exit_status) {
    auto& command = *app.add_subcommand("user", "Edit a users file: who may use a broker, and for what");
    command.footer(help::footer(help::user));
    command.require_subcommand(1);
    add_add(command, exit_status);
    std::shared_ptr<PasswordOptions> password_options;
    auto& passwd =
        add_of_user(command, "passwd", "Change a user's password", set_password, exit_status, password_options);
    add_password_stdin(passwd, *password_options);
    add_token(command, exit_status);
    std::shared_ptr<UserOptions> options;
    add_of_file(command, "list", "List the users, with their rights", list_users, exit_status, options);
    add_of_user(command, "remove", "Remove a user, with their tokens", remove_user, exit_status, options);
}

}  // namespace sluice::cli
