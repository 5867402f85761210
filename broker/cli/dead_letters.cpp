#include <boost/json.hpp>
#include <ostream>
#include <string>
#include <utility>

#include "broker/cli/client/members.hpp"
#include "broker/cli/client/query.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/events/event_members.hpp"
#include "broker/cli/events/event_text.hpp"
#include "broker/cli/events/reset_text.hpp"
#include "broker/cli/subscriber.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::cli {

namespace {

// Prints the events of a stream of dead letters that come from one subscription.
class DeadLetterPrinter final : public EventSink {
public:
    DeadLetterPrinter(std::string subscription, const Console& console)
        : subscription_(std::move(subscription)), console_(console) {}

    bool take(const SseEvent& event, const std::string& place) override {
        if (event.type == "reset") {
            boost::system::error_code error;
            const boost::json::value reset = boost::json::parse(event.data, error);
            console_.warning(reset_text(reset, place), {{"reset", reset}});
        } else if (event.type == "message") {
            print(event.data);
        }
        return static_cast<bool>(console_.out);
    }
    void end_connection() override {}
    std::size_t items() const override { return items_; }
    int exit_status() override { return console_.out ? exit_done : exit_failed; }

private:
    void print(const std::string& data) {
        const boost::json::value member = EventMembers(data).value("dead_letter");
        if (!member.is_object() || text_in(member.get_object(), "subscription") != subscription_) return;
        ++items_;
        if (console_.json) return console_.print_json(data);
        const boost::json::object& letter = member.get_object();
        const std::uint64_t deliveries = number_in(letter, "deliveries");
        console_.out << event_text(data) << "\n  event " << number_in(letter, "id") << " of "
                     << text_in(letter, "stream") << ", " << deliveries
                     << (deliveries == 1 ? " delivery: " : " deliveries: ") << text_in(letter, "reason") << '\n';
    }

    const std::string subscription_;
    const Console& console_;
    std::size_t items_ = 0;
};

}  // namespace

int dead_letters(const SubscriptionsOptions& options, Console console) {
    const auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    if (!text::is_stream_name(options.name)) {
        console.error("the name of the subscription is not valid: expected " + std::string(text::stream_name_rule));
        return exit_failed;
    }
    HttpRequest request;
    request.target = subscription_path(options.name, "", options.owner);
    const Answer answer = ask(*server, request, "subscriptions", console);
    if (!answer.is_ok) return exit_failed;
    SubscribeOptions letters;
    static_cast<BrokerOptions&>(letters) = options;
    letters.stream = text_in(object_in(answer.body, "options"), "dead_letter");
    if (letters.stream->empty()) {
        console.error("subscription " + options.name + " has no stream of dead letters (set " + options.name +
                      " --dead-letter STREAM)");
        return exit_failed;
    }
    letters.filters = {"true()"};
    letters.from_first = letters.until_now = true;
    const std::string owner = text_in(answer.body, "owner");  // as dead letters name their subscription
    DeadLetterPrinter printer(owner.empty() ? options.name : owner + "/" + options.name, console);
    return read_events(letters, *server, console, printer);
}

}  // namespace sluice::cli
