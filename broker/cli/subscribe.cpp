#include <boost/json.hpp>
#include <boost/url.hpp>
#include <ostream>

#include "broker/cli/commands.hpp"
#include "broker/cli/http_client.hpp"
#include "broker/cli/problem.hpp"
#include "broker/cli/sse_reader.hpp"

namespace sluice::cli {

namespace {

std::string subscribe_target(const SubscribeOptions& options) {
    boost::urls::url target("/v1/events");
    if (!options.stream.empty()) target.params().append({"stream", options.stream});
    for (const auto& filter : options.filters) target.params().append({"filter", filter});
    if (options.format == ItemFormat::xml) target.params().append({"format", "xml"});
    return target.buffer();
}

// The item's title, or what else it is known by.
std::string title_of(const std::string& data) {
    boost::system::error_code error;
    const auto event = boost::json::parse(data, error);
    const auto* fields = error || !event.is_object() ? nullptr : event.get_object().if_contains("item");
    if (!fields || !fields->is_object()) return data;
    for (const char* name : {"title", "link", "id"}) {
        const auto* field = fields->get_object().if_contains(name);
        if (field && field->is_string() && !field->get_string().empty()) return std::string(field->get_string());
    }
    return "(untitled)";
}

}  // namespace

int subscribe(const SubscribeOptions& options, Console console) {
    const auto server = parse_server(options.server);
    if (!server) {
        console.err << "sluice: " << server.error().message << '\n';
        return exit_failed;
    }
    if (options.count == 0u) return exit_done;
    SseReader reader;
    std::size_t items = 0;
    bool told_why = false;
    const auto enough = [&] { return options.count && items >= *options.count; };
    const auto take = [&](const SseEvent& event) {
        if (event.type != "message") {
            const HttpReply why{.body = event.data};
            console.err << "sluice: " << describe_problem(why, "the broker ended the subscription") << '\n';
            told_why = true;
        } else if (!enough()) {
            console.out << (options.format == ItemFormat::title ? title_of(event.data) : event.data) << std::endl;
            ++items;
        }
    };
    const auto reply = send(*server, {.target = subscribe_target(options)},
                            [&](std::string_view piece) { return reader.read(piece, take) && !enough(); });
    if (enough()) return exit_done;
    if (!reply) {
        console.err << "sluice: " << reply.error().message << '\n';
    } else if (reply->status != 200) {
        console.err << "sluice: " << describe_problem(*reply, "filter") << '\n';
    } else if (!told_why) {
        console.err << "sluice: the broker closed the connection after " << items << " items\n";
    }
    return exit_failed;
}

}  // namespace sluice::cli
