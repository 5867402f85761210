#include <boost/json.hpp>
#include <boost/url.hpp>
#include <ostream>

#include "broker/cli/commands.hpp"
#include "broker/cli/http_client.hpp"
#include "broker/cli/problem.hpp"
#include "broker/cli/sse_reader.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

std::string subscribe_target(const SubscribeOptions& options) {
    boost::urls::url target("/v1/events");
    if (!options.stream.empty()) target.params().append({"stream", options.stream});
    for (const auto& filter : options.filters) target.params().append({"filter", filter});
    if (options.format == ItemFormat::xml) target.params().append({"format", "xml"});
    if (options.annotate_alignment) target.params().append({"annotate", "alignment"});
    return target.buffer();
}

// The item's title, or what else it is known by.
std::string title_of(const json::object& event) {
    const auto* fields = event.if_contains("item");
    if (!fields || !fields->is_object()) return json::serialize(event);
    for (const char* name : {"title", "link", "id"}) {
        const auto* field = fields->get_object().if_contains(name);
        if (field && field->is_string() && !field->get_string().empty()) return std::string(field->get_string());
    }
    return "(untitled)";
}

// "  align(s, 'ACGT') >= 4: score 4, query 1-4, text 7-10, 4=": each on a line of its own.
std::string lines_of(const json::array& alignments) {
    std::string lines;
    for (const auto& each : alignments) {
        const auto text = [&](const char* member) {
            const auto* found = each.is_object() ? each.get_object().if_contains(member) : nullptr;
            if (!found) return std::string();
            return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
        };
        lines += "\n  " + text("leaf") + ": ";
        if (const auto reason = text("omitted"); !reason.empty()) {
            lines += "left out: " + reason;
            continue;
        }
        lines += "score " + text("score");
        if (text("query_start").empty()) continue;
        lines += ", query " + text("query_start") + "-" + text("query_end") + ", text " + text("text_start") + "-" +
                 text("text_end") + ", " + text("cigar");
    }
    return lines;
}

// What is printed of an event where its JSON is not wanted.
std::string summary_of(const std::string& data) {
    boost::system::error_code error;
    const auto event = json::parse(data, error);
    if (error || !event.is_object()) return data;
    const auto* alignments = event.get_object().if_contains("alignments");
    return title_of(event.get_object()) +
           (alignments && alignments->is_array() ? lines_of(alignments->get_array()) : "");
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
            console.out << (options.format == ItemFormat::title ? summary_of(event.data) : event.data) << std::endl;
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
