#include <boost/json.hpp>
#include <chrono>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "broker/cli/client/backoff.hpp"
#include "broker/cli/client/problem.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/with_digits.hpp"
#include "broker/cli/event_text.hpp"
#include "broker/cli/gaps.hpp"
#include "broker/cli/reset_text.hpp"
#include "broker/cli/subscription.hpp"

namespace sluice::cli {

namespace {

using Clock = std::chrono::steady_clock;

double random_share() {
    static std::mt19937 engine{std::random_device{}()};
    return std::uniform_real_distribution<double>(0, 1)(engine);
}

std::string seconds_text(Clock::duration duration) {
    return with_digits(std::chrono::duration<double>(duration).count(), 1) + " s";
}

class Subscriber {
public:
    Subscriber(const SubscribeOptions& options, const HttpServer& server, const Console& console)
        : options_(options), server_(server), console_(console), gaps_(options.filters, console_) {}

    int run() {
        for (;;) {
            const StreamEnd end = receive(server_, options_, last_id_,
                                          {[this] { opened(); }, [this](const SseEvent& event) { return take(event); },
                                           [this](const std::string& id) { keep(id); }});
            gaps_.end();
            if (end.kind == StreamEnd::Kind::enough) return is_refused_ || !console_.out ? exit_failed : exit_done;
            if (end.kind == StreamEnd::Kind::complete) return replayed();
            if (end.kind == StreamEnd::Kind::refused || !was_ever_open_ || !options_.reconnect) return give_up(end);
            wait_after(end);
        }
    }

private:
    void opened() {
        opened_at_ = Clock::now();
        was_ever_open_ = true;
        if (!lost_at_) return;
        const std::string place = last_id_.empty() ? "." : ", to continue after event " + last_id_ + ".";
        console_.note("connected to " + server_.authority + " again after " + seconds_text(Clock::now() - *lost_at_) +
                      place);
        lost_at_.reset();
    }

    // Returns whether more is wanted.
    bool take(const SseEvent& event) {
        backoff_.reset();
        if (event.type == "gap") {
            gaps_.take(event.data);
            return true;
        }
        gaps_.end();
        if (event.type == "reset") report_reset(event.data);
        if (event.type == "error") {
            const HttpReply why{.body = event.data};
            report_problem(console_, why,
                           options_.until_now ? "the broker ended the replay" : "the broker ended the subscription");
            is_refused_ = true;
            return false;
        }
        if (event.type == "message") print(event.data);
        return console_.out && !(options_.count && items_ >= *options_.count);
    }

    void keep(const std::string& id) {
        constexpr std::size_t id_bytes_max = 100;
        if (id.size() <= id_bytes_max) last_id_ = id;
    }

    void report_reset(const std::string& data) const {
        boost::system::error_code error;
        const boost::json::value reset = boost::json::parse(data, error);
        std::string place;
        if (!last_id_.empty())
            place = "after " + last_id_;
        else if (options_.after)
            place = "after " + *options_.after;
        else if (options_.since)
            place = "since " + *options_.since;
        console_.warning(reset_text(reset, place), {{"reset", reset}});
    }

    int replayed() const {
        if (!console_.out) return exit_failed;
        if (gaps_.any()) return exit_undecided;
        return items_ == 0 ? exit_no_match : exit_done;
    }

    void print(const std::string& data) {
        ++items_;
        switch (options_.format) {
            case ItemFormat::title:
                console_.out << event_text(data) << '\n';
                break;
            case ItemFormat::json:
                console_.print_json(data);
                break;
            case ItemFormat::xml:
            case ItemFormat::source:
                console_.print_raw(data);
                break;
        }
        console_.out.flush();
    }

    int give_up(const StreamEnd& end) {
        const std::string items = std::to_string(items_) + (items_ == 1 ? " item" : " items");
        if (end.reply.status != 0)
            report_problem(console_, end.reply,
                           is_about_filter(end.reply) ? "filter"
                           : options_.until_now       ? "can't replay"
                                                      : "can't subscribe");
        else
            console_.error(end.reason + (end.was_open ? " (after " + items + ")" : ""));
        return exit_failed;
    }

    // Waits until it is time to connect again. A loss is told once, not at every attempt.
    void wait_after(const StreamEnd& end) {
        const bool was_long_open = end.was_open && Clock::now() - opened_at_ > Backoff::longest;
        if (was_long_open) backoff_.reset();
        if (end.retry) backoff_.set_first(*end.retry);
        const auto wait = backoff_.next();
        if (!lost_at_) {
            lost_at_ = Clock::now();
            const std::string why = end.reply.status != 0 ? describe_problem(end.reply, "the broker") : end.reason;
            console_.warning(why + "; connecting again, first in " + seconds_text(wait));
        }
        std::this_thread::sleep_for(wait);
    }

    const SubscribeOptions& options_;
    const HttpServer& server_;
    Console console_;
    Gaps gaps_;
    Backoff backoff_{random_share};
    std::string last_id_;
    std::size_t items_ = 0;
    bool was_ever_open_ = false, is_refused_ = false;
    Clock::time_point opened_at_;
    std::optional<Clock::time_point> lost_at_;
};

}  // namespace

int subscribe(const SubscribeOptions& options, Console console) {
    const auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    if (options.count == 0u) return exit_done;
    // The broker refuses invalid filters.
    for (const std::string& text : options.filters)
        if (const auto filter = filter::compile_filter(text)) print_hints(*filter, console);
    return Subscriber(options, *server, console).run();
}

int replay(const SubscribeOptions& options, Console console) {
    SubscribeOptions all = options;
    all.until_now = true;
    all.from_first = !options.after && !options.since;
    return subscribe(all, console);
}

}  // namespace sluice::cli
