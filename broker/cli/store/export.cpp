#include <exception>
#include <ostream>

#include "broker/cli/store/store_options.hpp"
#include "broker/store/offline/export_store.hpp"

namespace sluice::cli {

int export_store(const ExportOptions& options, Console console) {
    try {
        if (console.out_is_terminal) {
            console.error("the export is not text: redirect standard output to a file");
            return exit_failed;
        }
        store::export_store(options.folder, console.out, options.stream);
        return exit_done;
    } catch (const std::exception& error) {
        console.error(error.what());
        return exit_failed;
    }
}

}  // namespace sluice::cli
