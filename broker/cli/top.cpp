#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string_view>
#include <thread>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/client/problem.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "broker/cli/top_exposition.hpp"
#include "broker/cli/top_figures.hpp"
#include "broker/cli/top_screen.hpp"
#include "broker/cli/top_table.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* top_name = "top";  // in messages

// Ends a request to a broker that does not answer.
struct Interrupted {};

struct Reading {
    Exposition exposition;
    std::vector<TopFigures::Condition> conditions;
    Clock::time_point time;
    std::string error;  // empty: none
};

// A reply with status 200. Throws Interrupted if `stops` returns true meanwhile.
boost::system::result<HttpReply, HttpError> fetch(const HttpServer& server, const std::string& target,
                                                  const std::string& accept, const std::function<bool()>& stops) {
    HttpRequest request;
    request.target = target;
    request.headers = {"Accept: " + accept};
    HttpWatch watch;
    watch.sent = [&](std::size_t) {  // called every second, too
        if (stops()) throw Interrupted();
    };
    auto reply = send(server, request, watch);
    if (reply && reply->status != 200) return HttpError{describe_problem(*reply, top_name)};
    return reply;
}

Reading take_reading(const HttpServer& server, const std::function<bool()>& stops) {
    Reading reading;
    const auto reply = fetch(server, "/metrics", "application/openmetrics-text", stops);
    reading.time = Clock::now();
    if (!reply) {
        reading.error = reply.error().message;
        return reading;
    }
    reading.exposition = read_exposition(reply->body);
    if (!reading.exposition.error.empty()) {
        reading.error =
            server.url + "/metrics:" + std::to_string(reading.exposition.error_line) + ": " + reading.exposition.error;
        return reading;
    }
    // Without them there is still enough to show.
    if (const auto status = fetch(server, "/v1/status", "application/json", stops)) {
        boost::system::error_code error;
        const auto value = boost::json::parse(status->body, error);
        if (!error && value.is_object()) reading.conditions = costly_conditions(value.get_object());
    }
    return reading;
}

TopFigures figures_of(const Reading* before, const Reading& now) {
    const double seconds = before == nullptr ? 0 : std::chrono::duration<double>(now.time - before->time).count();
    TopFigures figures = top_figures(before == nullptr ? nullptr : &before->exposition, now.exposition, seconds);
    figures.conditions = now.conditions;
    return figures;
}

// Returns false if it was interrupted.
bool sleep_until(Clock::time_point end) {
    constexpr std::chrono::milliseconds turn_max{100};
    while (!Interrupt::requested()) {
        const auto left = end - Clock::now();
        if (left <= Clock::duration::zero()) return true;
        std::this_thread::sleep_for(std::min<Clock::duration>(left, turn_max));
    }
    return false;
}

// A table or an object after each interval. An error ends it.
int print_tables(const HttpServer& server, const TopOptions& options, const Console& console) {
    const auto stops = [] { return Interrupt::requested(); };
    Reading before = take_reading(server, stops);
    for (std::uint64_t n = 0; before.error.empty() && n != options.count; ++n) {
        if (!sleep_until(before.time + options.interval)) return exit_interrupted;
        Reading now = take_reading(server, stops);
        if (now.error.empty()) {
            const TopFigures figures = figures_of(&before, now);
            if (options.json) {
                console.print_json(plain_json(top_json(figures)));
            } else {
                if (n != 0) console.out << '\n';
                for (const std::string& line : top_table(figures, server.authority, SIZE_MAX))
                    console.out << line << '\n';
            }
            console.out.flush();
            if (!console.out) return exit_failed;
        }
        before = std::move(now);
    }
    if (before.error.empty()) return exit_done;
    console.error(before.error, {{"about", top_name}});
    return exit_failed;
}

// The table on the whole terminal. While the broker can't be reached, the last figures stay.
int show_live(const HttpServer& server, const TopOptions& options, const Console& console) {
    Reading now = take_reading(server, [] { return Interrupt::requested(); });
    if (!now.error.empty()) {
        console.error(now.error, {{"about", top_name}});
        return exit_failed;
    }
    TopScreen screen(console.out);
    TopScreen::Key key = TopScreen::Key::none;
    const auto ends = [&] { return key == TopScreen::Key::quit || key == TopScreen::Key::interrupt; };
    const auto stops = [&] {
        if (!ends()) key = screen.wait(std::chrono::milliseconds(0));
        return ends();
    };
    TopFigures figures = figures_of(nullptr, now);
    std::string error;
    Clock::time_point next = now.time + options.interval;
    while (!ends()) {
        auto lines = top_table(figures, server.authority, screen.rows() - (error.empty() ? 0 : 1));
        if (!error.empty()) lines.insert(lines.begin(), text::terminal_line(error));
        if (!lines.empty() && error.empty())
            lines[0] = console.coloured(first_columns(lines[0], screen.columns()), Colour::bold);
        screen.show(lines);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
        key = screen.wait(std::max(left, std::chrono::milliseconds(0)));
        if (key != TopScreen::Key::none) continue;  // resized: the same figures again
        try {
            Reading read_now = take_reading(server, stops);
            error = read_now.error;
            next = Clock::now() + options.interval;
            if (!error.empty()) continue;
            figures = figures_of(&now, read_now);
            now = std::move(read_now);
        } catch (const Interrupted&) {
        }
    }
    return key == TopScreen::Key::quit ? exit_done : exit_interrupted;
}

}  // namespace

int top(const TopOptions& options, Console console) {
    auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    if (!options.timeout) server->connect_timeout = server->silence_max = top_timeout;
    const Interrupt interrupt;
    try {
        const char* terminal = std::getenv("TERM");
        const bool is_live = console.out_is_terminal && !options.json && !options.count && terminal != nullptr &&
                             std::string_view(terminal) != "dumb";
        return is_live ? show_live(*server, options, console) : print_tables(*server, options, console);
    } catch (const Interrupted&) {
        return exit_interrupted;
    }
}

}  // namespace sluice::cli
