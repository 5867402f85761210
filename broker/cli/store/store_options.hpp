// The commands of `sluice store`, one function each. They write results and messages to the console, and return the
// exit status. Called once, from main.
#pragma once

#include <string>

#include "broker/cli/client/broker_options.hpp"
#include "broker/cli/common/console.hpp"
#include "broker/cli/common/output_options.hpp"

namespace sluice::cli {

struct BackUpOptions : BrokerOptions {
    std::string path;   // of the backup
    std::string store;  // the store's folder, which no broker has open; empty: ask the broker
};
int back_up_store(const BackUpOptions& options, Console console);

// Commands that need no broker.

struct StoreOptions : OutputOptions {
    std::string folder;  // the broker's store.path
};
int verify_store(const StoreOptions& options, Console console);
int repair_store(const StoreOptions& options, Console console);

struct StoreStatOptions : StoreOptions {
    bool all = false;  // count identities, too
};
int stat_store(const StoreStatOptions& options, Console console);

struct ExportOptions : StoreOptions {
    std::string stream;  // that one alone; empty: everything
};
int export_store(const ExportOptions& options, Console console);

struct ImportOptions : StoreOptions {
    std::string file;  // "-": standard input
};
int import_store(const ImportOptions& options, Console console);

}  // namespace sluice::cli
