#include <boost/json.hpp>
#include <chrono>
#include <ostream>
#include <string>
#include <utility>

#include "broker/cli/client/members.hpp"
#include "broker/cli/client/problem.hpp"
#include "broker/cli/client/query.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/columns.hpp"
#include "broker/cli/common/lines.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/stream_hint.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

constexpr const char* about_subscriptions = "subscriptions";  // what errors are about

// The broker, and where it has the subscription; an empty name if what is wrong has been reported.
struct Place {
    HttpServer server;
    std::string name;
    SubscriptionOwner owner;

    std::string path(std::string_view behind = "") const { return subscription_path(name, behind, owner); }
};

Place find_place(const SubscriptionsOptions& options, const Console& console) {
    const auto server = find_server(options);
    if (!server)
        console.error(server.error().message);
    else if (!text::is_stream_name(options.name))
        console.error("the name of the subscription is not valid: expected " + std::string(text::stream_name_rule));
    else
        return {*server, options.name, options.owner};
    return {};
}

HttpRequest subscription_request(const char* method, std::string target, const json::object* body = nullptr) {
    HttpRequest request;
    request.method = method;
    request.target = std::move(target);
    if (body == nullptr) return request;
    request.content_type = "application/json";
    request.body = json::serialize(*body);
    return request;
}

void add_condition(const SubscriptionsOptions& options, HttpRequest& request) {
    if (options.if_version) request.headers.push_back("If-Match: \"" + std::to_string(*options.if_version) + "\"");
}

// Behind the name, since the body does not have it.
json::object with_version(const Answer& answer) {
    json::object body;
    for (const auto& [name, value] : answer.body) {
        body[name] = value;
        if (name == "name" && answer.etag.size() > 2) {
            boost::system::error_code error;
            const auto version = json::parse(std::string_view(answer.etag).substr(1, answer.etag.size() - 2), error);
            if (!error) body["version"] = version;
        }
    }
    return body;
}

int print_subscription(const Answer& answer, const SubscriptionsOptions& options, const Console& console) {
    if (!answer.is_ok) return exit_failed;
    json::object body = with_version(answer);
    if (options.json) {
        console.print_json(plain_json(body));
        return exit_done;
    }
    const std::string warning = text_in(body, "warning");
    body.stable_erase("warning");
    if (const auto* owner = body.if_contains("owner"); owner != nullptr && owner->is_null()) body.stable_erase("owner");
    for (const auto& line : as_lines(body, Values::all)) console.out << line << '\n';
    if (!warning.empty()) console.warning(warning, {{"about", about_subscriptions}});
    return exit_done;
}

// With a column for the owners if `has_owners`.
void print_table(const json::array& subscriptions, bool has_owners, const Console& console) {
    std::vector<std::vector<std::string>> rows{
        {"SUBSCRIPTION", "CONSUMERS", "UNACKNOWLEDGED", "LAG", "BEHIND", "REDELIVERED", "DEAD LETTERS"}};
    for (const json::value& each : subscriptions) {
        if (!each.is_object()) continue;
        const json::object& subscription = each.get_object();
        // The broker tells only some how far they are behind.
        const bool has_lag = subscription.if_contains("lag") != nullptr && subscription.at("lag").is_object();
        const json::object lag = object_in(subscription, "lag"), counts = object_in(subscription, "counts");
        const auto number = [](const json::object& object, const char* name) {
            return std::to_string(number_in(object, name));
        };
        const auto* behind = lag.if_contains("seconds");
        const double seconds = behind != nullptr && behind->is_number() ? behind->to_number<double>() : 0;
        auto& row = rows.emplace_back(std::vector<std::string>{
            text_in(subscription, "name"), number(subscription, "consumers"), number(subscription, "unacknowledged"),
            has_lag ? number(lag, "events") : "-",
            number_in(lag, "events") == 0 ? "-" : duration_in_words(std::chrono::duration<double>(seconds)),
            number(counts, "redelivered"), number(counts, "dead_letters")});
        if (has_owners) {
            const std::string owner = text_in(subscription, "owner");
            row.insert(row.begin(), owner.empty() ? "-" : owner);
        }
    }
    std::vector<Side> sides{Side::left, Side::right, Side::right, Side::right, Side::right, Side::right, Side::right};
    if (has_owners) {
        sides.insert(sides.begin(), Side::left);
        rows.front().insert(rows.front().begin(), "OWNER");
    }
    const auto lines = in_columns(rows, sides);
    for (std::size_t i = 0; i < lines.size(); ++i)
        console.out << (i == 0 ? console.coloured(lines[i], Colour::bold) : lines[i]) << '\n';
}

json::object members_of(const SetSubscriptionOptions& options) {
    json::object members;
    for (const std::string& name : options.defaults) members[name] = nullptr;
    const auto add = [&](const char* name, const auto& value) {
        if (value) members[name] = json::value_from(*value);
    };
    if (!options.streams.empty()) members["streams"] = json::value_from(options.streams);
    if (!options.filters.empty()) members["filters"] = json::value_from(options.filters);
    add("start", options.start);
    add("ack", options.ack);
    add("ack_wait", options.ack_wait);
    add("max_deliver", options.max_deliver);
    add("dead_letter", options.dead_letter);
    add("prefetch", options.prefetch);
    add("share", options.share);
    add("hold_bytes", options.hold_bytes);
    return members;
}

// A subscription that there is not yet; `unreported`: as for ask(), 412 if there is one.
Answer create(const Place& place, json::object members, unsigned unreported, const Console& console) {
    for (auto member = members.begin(); member != members.end();)
        member = member->value().is_null() ? members.erase(member) : std::next(member);
    HttpRequest request = subscription_request("PUT", place.path(), &members);
    request.headers.emplace_back("If-None-Match: *");
    return ask(place.server, request, about_subscriptions, console, unreported);
}

// Changes what it is given, or creates the subscription if there is none; another client may do so at the same time.
Answer change_or_create(const Place& place, const json::object& members, const Console& console) {
    constexpr unsigned not_found = 404, precondition_failed = 412;
    const HttpRequest request = subscription_request("PATCH", place.path(), &members);
    Answer answer = ask(place.server, request, about_subscriptions, console, not_found);
    if (answer.status != not_found) return answer;
    answer = create(place, members, precondition_failed, console);
    if (answer.status != precondition_failed) return answer;
    return ask(place.server, request, about_subscriptions, console);
}

// The broker's reason names its endpoint; this is the command for that.
void hint_at_seek(const Answer& answer, const SetSubscriptionOptions& options, const Console& console) {
    if (!options.start || answer.refusal.find("/seek moves") == std::string::npos) return;
    console.note("`sluice subscriptions seek " + options.name + " " + *options.start + "` moves it",
                 {{"about", about_subscriptions}});
}

}  // namespace

int list_subscriptions(const SubscriptionsOptions& options, Console console) {
    const auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    const auto all = ask_pages(*server, subscription_path("", "", options.owner), about_subscriptions, console);
    if (!all) return exit_failed;
    if (!options.json) print_table(*all, options.owner == "*", console);
    for (std::size_t i = 0; options.json && i < all->size(); ++i) console.print_json(plain_json((*all)[i]));
    return exit_done;
}

int show_subscription(const SubscriptionsOptions& options, Console console) {
    const Place place = find_place(options, console);
    if (place.name.empty()) return exit_failed;
    const HttpRequest request = subscription_request("GET", place.path());
    return print_subscription(ask(place.server, request, about_subscriptions, console), options, console);
}

int set_subscription(const SetSubscriptionOptions& options, Console console) {
    const Place place = find_place(options, console);
    if (place.name.empty()) return exit_failed;
    const json::object members = members_of(options);
    // The broker refuses invalid filters.
    for (const std::string& text : options.filters)
        if (const auto filter = filter::compile_filter(text)) print_hints(*filter, console);
    Answer answer;
    if (options.create) {
        constexpr unsigned precondition_failed = 412;
        answer = create(place, members, precondition_failed, console);
        if (answer.status == precondition_failed)
            console.error("subscription " + options.name + " exists", {{"about", about_subscriptions}});
    } else if (options.if_version) {
        HttpRequest request = subscription_request("PATCH", place.path(), &members);
        add_condition(options, request);
        answer = ask(place.server, request, about_subscriptions, console);
    } else {
        answer = change_or_create(place, members, console);
    }
    hint_at_seek(answer, options, console);
    const int exit_status = print_subscription(answer, options, console);
    for (const std::string& stream : options.streams)
        if (answer.is_ok && !stream.ends_with('*'))
            hint_at_unknown_stream(place.server, stream, place.server.silence_max, console);
    return exit_status;
}

int delete_subscription(const SubscriptionsOptions& options, Console console) {
    const Place place = find_place(options, console);
    if (place.name.empty()) return exit_failed;
    HttpRequest request = subscription_request("DELETE", place.path());
    add_condition(options, request);
    return ask(place.server, request, about_subscriptions, console).is_ok ? exit_done : exit_failed;
}

int seek_subscription(const SeekSubscriptionOptions& options, Console console) {
    const Place place = find_place(options, console);
    if (place.name.empty()) return exit_failed;
    const json::object body{{"to", options.to}};
    const HttpRequest request = subscription_request("POST", place.path("/seek"), &body);
    return print_subscription(ask(place.server, request, about_subscriptions, console), options, console);
}

}  // namespace sluice::cli
