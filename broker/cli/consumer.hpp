// Consumes a durable subscription: prints each event, or runs a command for it, and then acknowledges it. Reading,
// handling and acknowledging have a thread each, so that events that wait can be kept from being delivered again.
// Belongs to the thread that reads.
#pragma once

#include <atomic>
#include <string>

#include "broker/cli/client/acknowledger.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/console.hpp"
#include "broker/cli/event_work.hpp"
#include "broker/cli/item_output.hpp"
#include "broker/cli/subscriber.hpp"

namespace sluice::cli {

class Consumer final : public EventSink {
public:
    // They have to outlive it, and so has an Interrupt.
    Consumer(const SubscribeOptions& options, const Console& console, const HttpServer& server,
             Acknowledger::Subscription subscription);

    bool take(const SseEvent& event, const std::string& place) override;
    bool may_stop() const override { return true; }
    bool stops() override;
    void end_connection() override;
    std::size_t items() const override { return output_.items(); }
    int exit_status() override;

private:
    bool wants_end() const;
    bool handle(const SseEvent& event);
    bool run_command(const SseEvent& event);

    const SubscribeOptions& options_;
    const Console& console_;
    ItemOutput output_;
    std::atomic<bool> has_failed_{false};
    Acknowledger acknowledger_;
    EventWork work_;  // uses the others until it is gone
};

}  // namespace sluice::cli
