#include "broker/cli/consumer.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "broker/cli/client/problem.hpp"
#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/common/shell_command.hpp"
#include "broker/cli/events/event_members.hpp"

namespace sluice::cli {

namespace {

// The shell has not found the command, or may not run it: that would be so for every event.
bool is_not_runnable(const ShellResult& result) {
    constexpr int not_executable = 126, not_found = 127;
    return result.exit_status == not_executable || result.exit_status == not_found;
}

}  // namespace

Consumer::Consumer(const SubscribeOptions& options, const Console& console, const HttpServer& server,
                   Acknowledger::Subscription subscription)
    : options_(options),
      console_(console),
      output_(options, console),
      acknowledger_(server, std::move(subscription)),
      work_([this](const SseEvent& event) { return handle(event); }) {}

bool Consumer::wants_end() const {
    return Interrupt::requested() || work_.has_ended() || acknowledger_.refusal().has_value();
}

bool Consumer::take(const SseEvent& event, const std::string&) {
    if (event.type == "message" && !acknowledger_.hold(event.id)) return true;  // delivered again while it waits
    if (work_.add(event, [this] { return wants_end(); })) return true;
    end_connection();
    return false;
}

// The connection is open until it returns: the broker takes no rejections of a consumer that has left.
bool Consumer::stops() {
    if (!wants_end()) return false;
    end_connection();
    return true;
}

void Consumer::end_connection() {
    work_.drop();
    acknowledger_.forget_held();
    acknowledger_.flush();
    output_.end_run();
}

int Consumer::exit_status() {
    if (const auto refusal = acknowledger_.refusal()) {
        report_problem(console_, *refusal, "can't acknowledge");
        return exit_failed;
    }
    const Acknowledger::Unsent unsent = acknowledger_.unsent();
    if (unsent.events != 0)
        console_.error(std::to_string(unsent.events) + (unsent.events == 1 ? " event is" : " events are") +
                       " not acknowledged and may come again: " +
                       (unsent.reason.empty() ? "the broker has not replied" : unsent.reason));
    if (!console_.out || has_failed_ || unsent.events != 0) return exit_failed;
    return Interrupt::requested() ? exit_interrupted : exit_done;
}

bool Consumer::handle(const SseEvent& event) {
    if (event.type != "message") {
        output_.take_notice(event, "");
        return true;
    }
    if (options_.exec) return run_command(event);
    output_.take(event, "");
    if (!console_.out) return false;
    acknowledger_.acknowledge(event.id);
    return !output_.has_enough();
}

bool Consumer::run_command(const SseEvent& event) {
    output_.take_notice(event, "");
    output_.count_item();
    const EventMembers members(event.data);
    const std::uint64_t deliveries = std::max<std::uint64_t>(members.number("deliveries"), 1);
    const ShellResult result = run_shell_command(*options_.exec, event.data + "\n",
                                                 {{"SLUICE_ID", event.id},
                                                  {"SLUICE_STREAM", members.string("stream")},
                                                  {"SLUICE_DELIVERIES", std::to_string(deliveries)}});
    if (!result.error.empty()) {
        console_.error(result.error);
        has_failed_ = true;
        return false;
    }
    if (is_not_runnable(result)) {
        console_.error("--exec: '" + *options_.exec + "' can't be run (exit status " +
                           std::to_string(result.exit_status) + " of the shell); event " + event.id +
                           " is neither acknowledged nor rejected, and comes again",
                       {{"id", event.id}});
        has_failed_ = true;
        return false;
    }
    if (result.signal != 0 && Interrupt::requested()) return false;  // Ctrl-C ended it, too: it has not failed
    if (result.exit_status == 0) {
        acknowledger_.acknowledge(event.id);
    } else {
        const std::string reason = result.signal != 0 ? "ended by signal " + std::to_string(result.signal)
                                                      : "exit status " + std::to_string(result.exit_status);
        acknowledger_.reject(event.id, reason, options_.retry_delay);
        console_.warning("event " + event.id + ", delivery " + std::to_string(deliveries) + ": " + reason,
                         {{"id", event.id}, {"deliveries", deliveries}, {"reason", reason}});
    }
    return !output_.has_enough();
}

}  // namespace sluice::cli
