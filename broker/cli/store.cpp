#include <boost/json.hpp>
#include <exception>
#include <ostream>
#include <string>

#include "broker/cli/commands.hpp"
#include "broker/store/rocks/repair.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

boost::json::array lost_json(const std::vector<store::Damage>& lost) {
    boost::json::array list;
    for (const auto& [first_id, last_id, streams, what] : lost)
        list.push_back({{"first_id", first_id},
                        {"last_id", last_id},
                        {"streams", boost::json::value_from(streams)},
                        {"what", what}});
    return list;
}

void print(const store::Repaired& repaired, const StoreOptions& options, const Console& console) {
    if (options.json) {
        console.print_json(
            boost::json::serialize(boost::json::object{{"events", repaired.events},
                                                       {"streams", repaired.streams},
                                                       {"lost", lost_json(repaired.lost)},
                                                       {"missing", repaired.missing},
                                                       {"missing_of", boost::json::value_from(repaired.missing_of)},
                                                       {"notes", boost::json::value_from(repaired.notes)},
                                                       {"damaged_store", repaired.damaged_path}}));
        return;
    }
    for (const auto& [first_id, last_id, streams, what] : repaired.lost)
        console.out << "lost: events from " << first_id << " to " << last_id << " of " << listed(streams) << ": "
                    << text::terminal_line(what) << '\n';
    if (repaired.missing != 0)
        console.out << "lost: " << repaired.missing << " more events of " << listed(repaired.missing_of) << '\n';
    for (const std::string& note : repaired.notes) console.out << "lost: " << note << '\n';
    console.out << "the store has " << repaired.events << " events of " << repaired.streams
                << " streams; what it was is in " << text::terminal_line(repaired.damaged_path) << '\n';
}

}  // namespace

int store(const StoreOptions& options, Console console) {
    try {
        print(store::repair_store(options.folder), options, console);
        return exit_done;
    } catch (const std::exception& error) {
        console.error(error.what());
        return exit_failed;
    }
}

}  // namespace sluice::cli
