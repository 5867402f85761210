#include <boost/json.hpp>
#include <ostream>
#include <string>
#include <utility>

#include "broker/cli/client/members.hpp"
#include "broker/cli/client/problem.hpp"
#include "broker/cli/client/query.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/consumer.hpp"
#include "broker/cli/item_output.hpp"
#include "broker/cli/stream_hint.hpp"
#include "broker/cli/subscriber.hpp"
#include "config/units.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::cli {

namespace {

// Prints events, or those that the broker kept.
class Printer final : public EventSink {
public:
    Printer(const SubscribeOptions& options, const Console& console)
        : options_(options), console_(console), output_(options, console) {}

    bool take(const SseEvent& event, const std::string& place) override {
        output_.take(event, place);
        return console_.out && !output_.has_enough();
    }
    void end_connection() override { output_.end_run(); }
    std::size_t items() const override { return output_.items(); }
    int exit_status() override {
        if (!console_.out) return exit_failed;
        if (!options_.until_now) return exit_done;
        if (output_.any_gaps()) return exit_undecided;
        return items() == 0 ? exit_no_match : exit_done;
    }

private:
    const SubscribeOptions& options_;
    const Console& console_;
    ItemOutput output_;
};

// What a consumer has to know of its subscription; none: what is wrong has been reported.
std::optional<Acknowledger::Subscription> find_subscription(const SubscribeOptions& options, const HttpServer& server,
                                                            const Console& console) {
    HttpRequest request;
    request.target = subscription_path(options.subscription, "", options.owner);
    const Answer answer = ask(server, request, "can't subscribe", console);
    if (!answer.is_ok) return std::nullopt;
    const boost::json::object found = object_in(answer.body, "options");
    if (text_in(found, "ack") == "none") {
        console.error(std::string(options.exec ? "--exec" : "--ack") + " needs a subscription with acknowledgements; " +
                      options.subscription + " has the option ack: none");
        return std::nullopt;
    }
    Acknowledger::Subscription subscription{options.subscription, text_in(found, "ack_wait"), {}, options.owner};
    const auto ack_wait = config::parse_duration(subscription.ack_wait);
    if (!ack_wait) {
        console.error("the broker names no ack_wait of subscription " + options.subscription);
        return std::nullopt;
    }
    subscription.ack_wait_time = *ack_wait;
    return subscription;
}

int consume(const SubscribeOptions& options, const HttpServer& server, const Console& console) {
    auto subscription = find_subscription(options, server, console);
    if (!subscription) return exit_failed;
    const Interrupt interrupt;
    Consumer consumer(options, console, server, std::move(*subscription));
    return read_events(options, server, console, consumer);
}

}  // namespace

int subscribe(const SubscribeOptions& options, Console console) {
    const auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    if (!options.subscription.empty() && !text::is_stream_name(options.subscription)) {
        console.error("the name of the subscription is not valid: expected " + std::string(text::stream_name_rule));
        return exit_failed;
    }
    if (options.exec && text::trim(*options.exec).empty()) {
        console.error("--exec is empty; is a variable unset?");
        return exit_failed;
    }
    if (options.count == 0u) return exit_done;
    if (options.ack || options.exec) return consume(options, *server, console);
    // The broker refuses invalid filters.
    for (const std::string& text : options.filters)
        if (const auto filter = filter::compile_filter(text)) print_hints(*filter, console);
    Printer printer(options, console);
    const int exit_status = read_events(options, *server, console, printer);
    if (exit_status == exit_no_match && options.stream && options.stream != "*")
        hint_at_unknown_stream(*server, *options.stream, server->silence_max, console);
    return exit_status;
}

int replay(const SubscribeOptions& options, Console console) {
    SubscribeOptions all = options;
    all.until_now = true;
    all.from_first = !options.after && !options.since;
    return subscribe(all, console);
}

}  // namespace sluice::cli
