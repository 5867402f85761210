#include <algorithm>
#include <chrono>
#include <cmath>

#include "config/schema.hpp"
#include "config/units.hpp"
#include "protocol/text/date.hpp"
#include "protocol/text/stream_name.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::config {

namespace {

using namespace std::chrono_literals;

bool is_stream_pattern(const std::string& text) { return text::StreamSelection::is_pattern(text); }

bool is_anything(const std::string&) { return true; }

std::string check_start(const std::string& start) {
    if (start == "now" || start == "first" || parse_integer(start) || parse_duration(start)) return {};
    const std::size_t dash = start.rfind('-');
    if (dash != std::string::npos && dash != 0 && parse_integer(start.substr(dash + 1))) return {};
    if (const auto seconds = text::parse_date(start); seconds && std::isfinite(*seconds)) return {};
    return "expected now, first, an id such as EPOCH-ID or an event's number, a time such as 2026-11-27T10:00:00Z, or "
           "a "
           "duration such as 30min or 24h";
}

std::string check_dead_letter(const std::string& stream) {
    if (stream.empty() || text::is_stream_name(stream)) return {};
    return "a stream's name has " + std::string(text::stream_name_rule);
}

}  // namespace

void read_subscription_options(Section& s, SubscriptionOptions& o) {
    using Bounds = SubscriptionOptions;
    static const std::string patterns =
        "1 to " + std::to_string(Bounds::streams_max) + " streams, each " + std::string(text::StreamSelection::rule);
    static const std::string filters = "at most " + std::to_string(Bounds::filters_max) + " filters";
    s.texts("streams", o.streams, patterns, is_stream_pattern, Bounds::streams_max, 1);
    s.texts("filters", o.filters, filters, is_anything, Bounds::filters_max);
    s.text("start", o.start, check_start);
    s.choice<AckOption>("ack", o.ack,
                        {{"none", AckOption::none}, {"each", AckOption::each}, {"cumulative", AckOption::cumulative}});
    s.duration("ack_wait", o.ack_wait, 10ms, 24h * 7);
    s.integer("max_deliver", o.max_deliver, 0, 1'000'000);
    s.text("dead_letter", o.dead_letter, check_dead_letter);
    s.integer("prefetch", o.prefetch, 1, Bounds::prefetch_max);
    s.boolean("share", o.share);
    if (o.share && o.ack == AckOption::cumulative)
        s.fault("share: several consumers can't acknowledge cumulatively, since none of them gets all events");
    s.size("hold_bytes", o.hold_bytes, 0, std::size_t{1} << 40);
    if (!o.dead_letter.empty() && text::StreamSelection(o.streams).matches(o.dead_letter))
        s.fault("dead_letter: " + o.dead_letter +
                " is one of the subscription's own streams, so its dead letters would "
                "come back");
}

}  // namespace sluice::config
