#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <ostream>
#include <string>

#include "broker/cli/store/store_options.hpp"
#include "broker/store/offline/export_format.hpp"
#include "broker/store/offline/export_store.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

int import_store(const ImportOptions& options, Console console) {
    const std::string name = options.file == "-" ? "standard input" : options.file;
    try {
        std::ifstream file;
        if (options.file != "-") file.open(options.file, std::ios::binary);
        if (!file) {
            console.error(name + ": " + std::strerror(errno));
            return exit_failed;
        }
        const store::Exported imported = store::import_store(options.file == "-" ? std::cin : file, options.folder);
        if (options.json)
            console.print_json(boost::json::serialize(
                boost::json::object{{"streams", imported.streams}, {"events", imported.events}}));
        else
            console.out << "the store has " << imported.events << " events of " << imported.streams << " streams\n";
        return exit_done;
    } catch (const store::ExportError& error) {
        console.error(name + ": " + error.what());
    } catch (const std::exception& error) {
        console.error(error.what());
    }
    return exit_failed;
}

}  // namespace sluice::cli
