#include <boost/json.hpp>
#include <ostream>

#include "broker/cli/client/query.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/lines.hpp"
#include "broker/cli/common/plain_json.hpp"

namespace sluice::cli {

namespace {

// An empty object would say nothing about why there is no figure of a GPU.
void name_missing_gpus(boost::json::object& status) {
    auto* engine = status.if_contains("engine");
    if (!engine || !engine->is_object()) return;
    auto* devices = engine->get_object().if_contains("devices");
    if (devices && devices->is_object() && devices->get_object().empty()) *devices = "no GPU";
}

// Count and sum are enough of a histogram to read.
void leave_out_buckets(boost::json::object& object) {
    object.erase("buckets");
    for (auto& [name, value] : object)
        if (auto* nested = value.if_object()) leave_out_buckets(*nested);
}

}  // namespace

int status(const StatusOptions& options, Console console) {
    const auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    HttpRequest request;
    request.target = "/v1/status";
    auto answer = ask(*server, request, "status", console);
    if (!answer.is_ok) return exit_failed;
    if (options.json) {
        console.print_json(plain_json(answer.body));
        return exit_done;
    }
    name_missing_gpus(answer.body);
    if (auto* histograms = answer.body.if_contains("histograms"); histograms && histograms->is_object() && !options.all)
        leave_out_buckets(histograms->get_object());
    for (const auto& line : as_lines(answer.body, options.all ? Values::all : Values::telling))
        console.out << line << '\n';
    return exit_done;
}

}  // namespace sluice::cli
