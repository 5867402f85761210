#include <boost/json.hpp>
#include <ostream>
#include <string>

#include "broker/cli/client/members.hpp"
#include "broker/cli/client/query.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/columns.hpp"
#include "broker/cli/common/lines.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "broker/cli/common/with_digits.hpp"
#include "broker/cli/stream_hint.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::cli {

namespace {

constexpr const char* about = "streams";  // what errors are about

// Numbers, true, false, null and arrays keep their types; everything else is text.
boost::json::value value_of(std::string_view text) {
    boost::system::error_code error;
    auto value = boost::json::parse(text, error);
    if (!error && !value.is_string() && !value.is_object()) return value;
    return boost::json::value(text);
}

// Adds {"deduplicate":false} for "deduplicate=false", {"retention":{"age":"3d"}} for "retention.age=3d". Returns false
// unless `setting` is NAME=VALUE.
bool set_member(boost::json::object& object, std::string_view setting) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    std::string_view name = setting.substr(0, equals);
    boost::json::object* in = &object;
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
        boost::json::value& nested = (*in)[name.substr(0, dot)];
        in = nested.is_object() ? &nested.get_object() : &nested.emplace_object();
        name.remove_prefix(dot + 1);
    }
    (*in)[name] = value_of(setting.substr(equals + 1));
    return true;
}

void print_streams(const boost::json::array& streams, const Console& console) {
    std::vector<std::vector<std::string>> rows{{"STREAM", "EVENTS", "SIZE", "LAST ID", "KNOWN ITEMS", "DEFINED"}};
    for (const boost::json::value& each : streams) {
        if (!each.is_object()) continue;
        const boost::json::object& stream = each.get_object();
        const boost::json::object retained = object_in(stream, "retained");
        // The broker tells only some users the figures.
        const bool has_figures = !retained.empty();
        const auto number = [&](const boost::json::object& object, const char* name) {
            return has_figures ? std::to_string(number_in(object, name)) : "-";
        };
        const std::string size = has_figures ? bytes_text(static_cast<double>(number_in(retained, "bytes"))) : "-";
        rows.push_back({text_in(stream, "name"), number(retained, "events"), size, number(stream, "last_id"),
                        number(stream, "items"), bool_in(stream, "defined").value_or(false) ? "yes" : "no"});
    }
    const auto lines = in_columns(rows, {Side::left, Side::right, Side::right, Side::right, Side::right});
    for (std::size_t i = 0; i < lines.size(); ++i)
        console.out << (i == 0 ? console.coloured(lines[i], Colour::bold) : lines[i]) << '\n';
}

HttpRequest request_to(const std::string& target, const std::string& method = "GET") {
    HttpRequest request;
    request.method = method;
    request.target = target;
    return request;
}

// Changes the given options; creates the stream if it does not exist.
Answer change(const HttpServer& server, const std::string& target, const boost::json::object& members,
              const Console& console) {
    HttpRequest request = request_to(target, "PATCH");
    request.content_type = "application/json";
    request.body = boost::json::serialize(members);
    constexpr unsigned not_found = 404;
    Answer answer = ask(server, request, about, console, not_found);
    if (answer.status != not_found) return answer;
    request.method = "PUT";
    return ask(server, request, about, console);
}

// The size of what is retained, for people.
void write_size(boost::json::object& stream) {
    auto* retained = stream.if_contains("retained");
    if (retained == nullptr || !retained->is_object()) return;
    if (auto* bytes = retained->get_object().if_contains("bytes"); bytes != nullptr && bytes->is_number())
        *bytes = bytes_text(bytes->to_number<double>());
}

int print_answer(Answer answer, bool as_json, const Console& console) {
    if (!answer.is_ok) return exit_failed;
    if (answer.body.empty()) return exit_done;
    if (as_json) {
        console.print_json(plain_json(answer.body));
        return exit_done;
    }
    write_size(answer.body);
    for (const auto& line : as_lines(answer.body, Values::all)) console.out << line << '\n';
    return exit_done;
}

}  // namespace

int streams(const StreamsOptions& options, Console console) {
    const auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    if (!options.stream) {
        const auto all = ask_pages(*server, "/v1/streams", about, console);
        if (!all) return exit_failed;
        if (!options.json) print_streams(*all, console);
        for (std::size_t i = 0; options.json && i < all->size(); ++i) console.print_json(plain_json((*all)[i]));
        return exit_done;
    }
    if (!text::is_stream_name(*options.stream)) {
        console.error("the name of the stream is not valid: expected " + std::string(text::stream_name_rule));
        return exit_failed;
    }
    const auto conclude = [&](const Answer& answer) {
        constexpr unsigned not_found = 404;
        const bool is_shown = !options.purge && !options.event && !options.erase;
        if (answer.status == not_found && is_shown && options.stream == "list")
            console.note("`sluice streams` lists them", {{"about", about}});
        else if (answer.status == not_found)
            hint_at_nearest_stream(*server, *options.stream, server->silence_max, console);
        return print_answer(answer, options.json, console);
    };
    const std::string target = "/v1/streams/" + *options.stream;
    if (options.purge) {
        const std::string before = options.before ? "?before=" + std::to_string(*options.before) : "";
        return conclude(ask(*server, request_to(target + "/purge" + before, "POST"), about, console));
    }
    if (options.event) {
        const HttpRequest request = request_to(target + "/events/" + std::to_string(*options.event), "DELETE");
        return conclude(ask(*server, request, about, console));
    }
    if (options.erase) return conclude(ask(*server, request_to(target, "DELETE"), about, console));
    boost::json::object members;
    for (const std::string& setting : options.set) {
        if (set_member(members, setting)) continue;
        console.error("--set " + setting + ": expected NAME=VALUE, such as deduplicate=false");
        return exit_failed;
    }
    return conclude(options.set.empty() ? ask(*server, request_to(target), about, console)
                                        : change(*server, target, members, console));
}

}  // namespace sluice::cli
