#include "broker/cli/store/store_commands.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "broker/cli/client/add_broker.hpp"
#include "broker/cli/common/add_command.hpp"
#include "broker/cli/store/store_options.hpp"

namespace sluice::cli {

namespace {

template <class Options>
CLI::App& add_of_folder(CLI::App& parent, const char* name, const char* what, const help::CommandHelp& help,
                        int (*run)(const Options&, Console), int& exit_status, std::shared_ptr<Options>& options) {
    auto& command = add_command(parent, name, what, help, run, exit_status, options);
    command.add_option("STORE", options->folder, "The broker's store.path")->required();
    return command;
}

}  // namespace

void add_store(CLI::App& app, int& exit_status) {
    auto& command = *app.add_subcommand("store", "Look at, check, back up and repair a broker's store on disk");
    command.footer(help::footer(help::store));
    command.require_subcommand(1);
    std::shared_ptr<StoreStatOptions> stat_options;
    auto& stat = add_of_folder(command, "stat", "Print what it has, by stream and by part; a broker may have it open",
                               help::store_command, stat_store, exit_status, stat_options);
    stat.add_flag("--all", stat_options->all, "Count the known items of each stream, too, which reads all of them");
    std::shared_ptr<BackUpOptions> backup_options;
    auto& backup =
        add_command(command, "backup",
                    "Let the broker copy its store to a folder, while it goes on; to restore it, copy the folder to "
                    "store.path before the broker starts",
                    help::store_command, back_up_store, exit_status, backup_options);
    backup
        .add_option("DIR", backup_options->path,
                    "The backup's folder, which must not exist, below the broker's store.backups")
        ->required();
    backup
        .add_option("--store", backup_options->store,
                    "Ask no broker, but copy this store, which no broker may have open; DIR may then be anywhere")
        ->type_name("STORE");
    add_broker(backup, *backup_options, "600");
    std::shared_ptr<StoreOptions> options;
    add_of_folder(command, "verify", "Read everything in a store that no broker has open, and say what is damaged",
                  help::store_verify, verify_store, exit_status, options);
    add_of_folder(command, "repair",
                  "Make a store of what can be read of a damaged one, which no broker may have open, and say what is "
                  "lost; the damaged one is kept beside it",
                  help::store_command, repair_store, exit_status, options);
    std::shared_ptr<ExportOptions> export_options;
    auto& exporting =
        add_of_folder(command, "export",
                      "Write everything in a store that no broker has open to standard output, to import it elsewhere",
                      help::store_command, export_store, exit_status, export_options);
    exporting.add_option("--stream", export_options->stream, "This stream alone, without durable subscriptions");
    std::shared_ptr<ImportOptions> import_options;
    auto& importing = add_command(command, "import", "Make a store of an export", help::store_command, import_store,
                                  exit_status, import_options);
    importing.add_option("FILE", import_options->file, "What export has written; - reads standard input")->required();
    importing.add_option("STORE", import_options->folder, "The new store's folder, which must be empty or not exist")
        ->required();
}

}  // namespace sluice::cli
