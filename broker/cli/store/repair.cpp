#include "broker/store/offline/repair.hpp"

#include <boost/json.hpp>
#include <exception>
#include <ostream>
#include <string>

#include "broker/cli/store/damage_lines.hpp"
#include "broker/cli/store/store_options.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

void print(const store::Repaired& repaired, bool as_json, const Console& console) {
    if (as_json) {
        console.print_json(
            boost::json::serialize(boost::json::object{{"events", repaired.events},
                                                       {"streams", repaired.streams},
                                                       {"lost", damage_json(repaired.lost)},
                                                       {"missing", repaired.missing},
                                                       {"missing_of", boost::json::value_from(repaired.missing_of)},
                                                       {"notes", boost::json::value_from(repaired.notes)},
                                                       {"damaged_store", repaired.damaged_path}}));
        return;
    }
    for (const store::Damage& lost : repaired.lost) console.out << "lost: " << damage_line(lost) << '\n';
    if (repaired.missing != 0)
        console.out << "lost: " << repaired.missing << " more events of " << listed(repaired.missing_of) << '\n';
    for (const std::string& note : repaired.notes) console.out << "lost: " << note << '\n';
    console.out << "the store has " << repaired.events << " events of " << repaired.streams
                << " streams; what it was is in " << text::terminal_line(repaired.damaged_path) << '\n';
}

}  // namespace

int repair_store(const StoreOptions& options, Console console) {
    try {
        print(store::repair_store(options.folder), options.json, console);
        return exit_done;
    } catch (const std::exception& error) {
        console.error(error.what());
        return exit_failed;
    }
}

}  // namespace sluice::cli
