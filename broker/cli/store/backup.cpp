#include <boost/json.hpp>
#include <exception>
#include <ostream>
#include <string>

#include "broker/cli/client/members.hpp"
#include "broker/cli/client/query.hpp"
#include "broker/cli/store/store_options.hpp"
#include "broker/store/offline/copy_store.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

void print(const boost::json::object& backup, bool as_json, const Console& console) {
    if (as_json) return console.print_json(boost::json::serialize(backup));
    console.out << text_in(backup, "path") << ": " << number_in(backup, "bytes") << " bytes, with the events up to "
                << number_in(backup, "last_id") << '\n';
}

}  // namespace

int back_up_store(const BackUpOptions& options, Console console) {
    if (!options.store.empty()) {
        try {
            const store::Backup backup = store::copy_store(options.store, options.path);
            print(
                {{"path", backup.path}, {"bytes", backup.bytes}, {"last_id", backup.last_id}, {"epoch", backup.epoch}},
                options.json, console);
            return exit_done;
        } catch (const std::exception& error) {
            console.error(error.what());
            return exit_failed;
        }
    }
    const auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    HttpRequest request;
    request.method = "POST";
    request.target = "/v1/store/backup";
    request.content_type = "application/json";
    request.body = boost::json::serialize(boost::json::object{{"path", options.path}});
    const Answer answer = ask(*server, request, "backup", console);
    if (!answer.is_ok) return exit_failed;
    print(answer.body, options.json, console);
    return exit_done;
}

}  // namespace sluice::cli
