// Prints what an event stream has for its subscriber: items, and what is missing. Belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <string>

#include "broker/cli/client/sse_reader.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/events/gaps.hpp"

namespace sluice::cli {

class ItemOutput {
public:
    // Both have to outlive it.
    ItemOutput(const SubscribeOptions& options, const Console& console)
        : options_(options), console_(console), gaps_(options.filters, console_) {}

    // An event of type message is printed as the options say; gap and reset are reported, others are ignored. `place`
    // is that of reset_text().
    void take(const SseEvent& event, const std::string& place);
    // The same, except that messages are not printed.
    void take_notice(const SseEvent& event, const std::string& place);
    void end_run() { gaps_.end(); }  // of gaps

    std::size_t items() const { return items_; }
    void count_item() { ++items_; }
    // Whether as many items have come as the options want.
    bool has_enough() const { return options_.count && items_ >= *options_.count; }
    bool any_gaps() const { return gaps_.any(); }

private:
    void print(const std::string& data);

    const SubscribeOptions& options_;
    const Console& console_;
    Gaps gaps_;
    std::size_t items_ = 0;
};

}  // namespace sluice::cli
