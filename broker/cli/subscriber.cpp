#include "broker/cli/subscriber.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "broker/cli/client/backoff.hpp"
#include "broker/cli/client/problem.hpp"
#include "broker/cli/common/with_digits.hpp"
#include "broker/cli/stream_hint.hpp"
#include "broker/cli/subscription.hpp"
#include "protocol/text/terminal.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

using Clock = std::chrono::steady_clock;

std::string seconds_text(Clock::duration duration) {
    return with_digits(std::chrono::duration<double>(duration).count(), 1) + " s";
}

class Subscriber {
public:
    Subscriber(const SubscribeOptions& options, const HttpServer& server, const Console& console, EventSink& sink)
        : options_(options), server_(server), console_(console), sink_(sink) {}

    int run() {
        StreamReceiver receiver{[this] { opened(); }, [this](const SseEvent& event) { return take(event); },
                                [this](const std::string& id) { keep(id); }};
        if (sink_.may_stop()) receiver.stops = [this] { return sink_.stops(); };
        for (;;) {
            const StreamEnd end = receive(server_, options_, last_id_, receiver);
            sink_.end_connection();
            if (end.kind == StreamEnd::Kind::enough || end.kind == StreamEnd::Kind::complete) {
                const int exit_status = sink_.exit_status();
                return is_refused_ ? exit_failed : exit_status;
            }
            if (is_final(end) || !was_ever_open_ || !options_.reconnect) return give_up(end);
            if (!wait_after(end)) return sink_.exit_status();
        }
    }

private:
    void opened() {
        opened_at_ = Clock::now();
        if (!was_ever_open_ && !options_.until_now) tell_subscribed();
        was_ever_open_ = true;
        if (!lost_at_) return;
        const std::string place = last_id_.empty() ? "." : ", to continue after event " + last_id_ + ".";
        console_.note("connected to " + server_.authority + " again after " + seconds_text(Clock::now() - *lost_at_) +
                      place);
        lost_at_.reset();
    }

    void tell_subscribed() const {
        constexpr std::size_t filter_bytes_max = 200;
        boost::json::object more{{"server", server_.url}};
        if (!options_.subscription.empty()) {
            more["subscription"] = options_.subscription;
            return console_.note("subscribed to " + options_.subscription + " at " + server_.url, more);
        }
        const std::string stream = options_.stream.value_or("default");
        const std::string filters =
            options_.filters.size() == 1
                ? ": " + text::shortened_utf8(text::terminal_line(options_.filters.front()), filter_bytes_max)
                : " with " + std::to_string(options_.filters.size()) + " filters";
        more["stream"] = stream;
        more["filters"] = boost::json::array(options_.filters.begin(), options_.filters.end());
        console_.note(
            "subscribed to " + (stream == "*" ? "all streams" : "stream " + stream) + " at " + server_.url + filters,
            more);
        constexpr std::chrono::milliseconds hint_max{1'000};  // events wait meanwhile
        if (options_.stream && stream != "*")
            hint_at_unknown_stream(server_, stream, std::min(options_.timeout.value_or(hint_max), hint_max), console_);
    }

    // Returns whether more is wanted.
    bool take(const SseEvent& event) {
        backoff_.reset();
        if (event.type != "error") return sink_.take(event, event.type == "reset" ? place() : "");
        sink_.end_connection();
        const HttpReply why{.body = event.data};
        report_problem(console_, why,
                       options_.until_now ? "the broker ended the replay" : "the broker ended the subscription");
        is_refused_ = true;
        return false;
    }

    // A durable subscription knows where it is.
    void keep(const std::string& id) {
        constexpr std::size_t id_bytes_max = 100;
        if (id.size() <= id_bytes_max && options_.subscription.empty()) last_id_ = id;
    }

    std::string place() const {
        if (!last_id_.empty()) return "after " + last_id_;
        if (options_.after) return "after " + *options_.after;
        if (options_.since) return "since " + *options_.since;
        return "";
    }

    // Of a durable subscription, the broker may not know yet that the connection is lost.
    bool is_final(const StreamEnd& end) const {
        constexpr unsigned conflict = 409;
        const bool is_in_use = !options_.subscription.empty() && end.reply.status == conflict;
        return end.kind == StreamEnd::Kind::refused && !is_in_use;
    }

    int give_up(const StreamEnd& end) {
        const std::size_t items = sink_.items();
        if (end.reply.status != 0)
            report_problem(console_, end.reply,
                           is_about_filter(end.reply) ? "filter"
                           : options_.until_now       ? "can't replay"
                                                      : "can't subscribe");
        else
            console_.error(end.reason + (end.was_open
                                             ? " (after " + std::to_string(items) + (items == 1 ? " item)" : " items)")
                                             : ""));
        if (end.reply.body.find("takeover=true") != std::string::npos)  // the broker's reason names its parameter
            console_.note("--takeover takes it over");
        static_cast<void>(sink_.exit_status());
        return exit_failed;
    }

    // Waits until it is time to connect again. A loss is told once, not at every attempt. Returns false if no more is
    // wanted.
    bool wait_after(const StreamEnd& end) {
        const bool was_long_open = end.was_open && Clock::now() - opened_at_ > Backoff::longest;
        if (was_long_open) backoff_.reset();
        if (end.retry) backoff_.set_first(*end.retry);
        const auto wait = backoff_.next();
        if (!lost_at_) {
            lost_at_ = Clock::now();
            const std::string why = end.reply.status != 0 ? describe_problem(end.reply, "the broker") : end.reason;
            console_.warning(why + "; connecting again, first in " + seconds_text(wait));
        }
        constexpr std::chrono::milliseconds turn_max{100};
        for (const auto end_of_wait = Clock::now() + wait; Clock::now() < end_of_wait;) {
            if (sink_.stops()) return false;
            std::this_thread::sleep_for(std::min<Clock::duration>(turn_max, end_of_wait - Clock::now()));
        }
        return !sink_.stops();
    }

    const SubscribeOptions& options_;
    const HttpServer& server_;
    const Console& console_;
    EventSink& sink_;
    Backoff backoff_{random_share};
    std::string last_id_;
    bool was_ever_open_ = false, is_refused_ = false;
    Clock::time_point opened_at_;
    std::optional<Clock::time_point> lost_at_;
};

}  // namespace

int read_events(const SubscribeOptions& options, const HttpServer& server, const Console& console, EventSink& sink) {
    return Subscriber(options, server, console, sink).run();
}

}  // namespace sluice::cli
