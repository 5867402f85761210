#include "broker/store/offline/verify.hpp"

#include <boost/json.hpp>
#include <exception>
#include <ostream>

#include "broker/cli/store/damage_lines.hpp"
#include "broker/cli/store/store_options.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

constexpr const char* remedy =
    "restore a backup, or let `sluice store repair` make a store of what can be read; it says what is lost";

void print_json(const store::Verified& verified, const Console& console) {
    console.print_json(boost::json::serialize(boost::json::object{{"streams", verified.streams},
                                                                  {"events", verified.events},
                                                                  {"identities", verified.identities},
                                                                  {"replies", verified.replies},
                                                                  {"values", verified.values},
                                                                  {"damage", damage_json(verified.damage)},
                                                                  {"more_damage", verified.more},
                                                                  {"notes", boost::json::value_from(verified.notes)}}));
}

void print(const store::Verified& verified, const Console& console) {
    for (const store::Damage& damage : verified.damage) console.out << "damaged: " << damage_line(damage) << '\n';
    if (verified.more != 0) console.out << "damaged: " << verified.more << " more places\n";
    for (const std::string& note : verified.notes) console.out << "note: " << text::terminal_line(note) << '\n';
    console.out << "read: " << verified.events << " events of " << verified.streams << " streams, "
                << verified.identities << " known items, " << verified.replies << " replies to publications, "
                << verified.values << " values of durable subscriptions\n";
}

}  // namespace

int verify_store(const StoreOptions& options, Console console) {
    try {
        const store::Verified verified = store::verify_store(options.folder);
        options.json ? print_json(verified, console) : print(verified, console);
        if (verified.damage.empty()) return exit_done;
        console.error(std::string("the store is damaged: ") + remedy);
        return exit_no_match;
    } catch (const std::exception& error) {
        console.error(error.what());
        return exit_failed;
    }
}

}  // namespace sluice::cli
