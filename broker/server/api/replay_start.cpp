#include "broker/server/api/replay_start.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "broker/server/api/problems.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/sse/sse_framer.hpp"
#include "broker/store/wall_clock.hpp"
#include "config/units.hpp"
#include "protocol/text/date.hpp"

namespace sluice::server {

namespace {

constexpr std::string_view id_rule = "an id as in the event stream, EPOCH-ID, or an event's number";

std::optional<feed::RecordTime> time_of(std::string_view text) {
    if (const auto duration = config::parse_duration(text)) {
        const feed::RecordTime now = store::wall_time();
        return now - std::min(now, static_cast<feed::RecordTime>(duration->count()));
    }
    const auto seconds = text::parse_date(text);
    if (!seconds || !(std::abs(*seconds) < 1e12)) return std::nullopt;
    return static_cast<feed::RecordTime>(std::llround(*seconds * 1e6));
}

class Start {
public:
    Start(const std::string& stream, const text::StreamSelection& streams, store::EventLog& log)
        : stream_(stream), streams_(streams), log_(log) {}

    ReplayStart take() { return std::move(start_); }

    // What a client remembers, whatever it is: an error would end a browser's event stream for good.
    void from_last_event_id(std::string_view id) {
        const std::size_t dash = id.rfind('-');
        const auto number = dash == std::string_view::npos ? std::nullopt : config::parse_integer(id.substr(dash + 1));
        if (!number || id.substr(0, dash) != log_.epoch()) return reset("epoch");
        after(*number);
    }
    void from_after(std::string_view id) {
        if (const auto number = config::parse_integer(id)) return after(*number);
        const std::size_t dash = id.rfind('-');
        if (dash == std::string_view::npos || dash == 0 || !config::parse_integer(id.substr(dash + 1)))
            start_.refusal = bad_parameter("after", id, id_rule);
        else
            from_last_event_id(id);
    }
    void from_since(std::string_view text) {
        const auto since = find_since(text, streams_, log_);
        if (!since) {
            start_.refusal = bad_parameter("since", text, since_rule);
            return;
        }
        if (since->missing != nullptr) reset(since->missing);
        start_.next_id = since->next_id;
    }
    // With what there is: who asks for that need not be told that there was more.
    void from_first() {
        const std::vector<store::StreamExtent> extents = store::selected_extents(log_, streams_);
        start_.next_id = store::united(extents).first_id;
        start_.known = store::drops_of(extents);
    }
    void until_now() {
        if (!start_.next_id) from_first();
        start_.last_id = log_.last_id();
    }

private:
    void after(std::uint64_t id) {
        if (id > log_.last_id()) return reset("unknown");
        start_.next_id = id + 1;
    }
    void reset(const char* reason) {
        from_first();
        const std::uint64_t oldest = *start_.next_id;
        const auto& names = broker::reset_reasons;
        start_.reset_reason =
            static_cast<broker::ResetReason>(std::find(names.begin(), names.end(), reason) - names.begin());
        start_.reset = reset_text({stream_, oldest, log_.epoch(), oldest - 1, reason});
    }

    const std::string& stream_;
    const text::StreamSelection& streams_;
    store::EventLog& log_;
    ReplayStart start_;
};

}  // namespace

std::optional<SinceStart> find_since(std::string_view since, const text::StreamSelection& streams,
                                     store::EventLog& log) {
    const auto time = time_of(since);
    if (!time) return std::nullopt;
    const store::StreamExtent extent = store::selected_extent(log, streams);
    if (*time < log.begun_at()) return SinceStart{extent.first_id, "epoch"};
    return SinceStart{log.first_id_since(store::log_stream(streams), *time),
                      *time <= extent.dropped_time ? "retention" : nullptr};
}

ReplayStart read_replay_start(const HttpRequest& request, const std::string& stream,
                              const text::StreamSelection& streams, store::EventLog& log) {
    Start start(stream, streams, log);
    const std::string_view after = parameter(request.query, "after", ""), since = parameter(request.query, "since", ""),
                           from = parameter(request.query, "from", ""), until = parameter(request.query, "until", "");
    const auto is_start = [](const auto& pair) {
        return pair.first == "after" || pair.first == "since" || pair.first == "from";
    };
    if (std::count_if(request.query.begin(), request.query.end(), is_start) > 1)
        return {.refusal = status_reply(400, "only one of the parameters after, since and from can be given")};
    if (!from.empty() && from != "first") return {.refusal = bad_parameter("from", from, "first")};
    if (!until.empty() && until != "now") return {.refusal = bad_parameter("until", until, "now")};
    const auto header = request.headers->find("Last-Event-ID");
    std::string_view last_event_id;
    if (header != request.headers->end()) last_event_id = header->value();
    if (last_event_id.empty()) last_event_id = parameter(request.query, "lastEventId", "");
    if (!last_event_id.empty())
        start.from_last_event_id(last_event_id);
    else if (!after.empty())
        start.from_after(after);
    else if (!since.empty())
        start.from_since(since);
    else if (!from.empty())
        start.from_first();
    if (!until.empty()) start.until_now();
    return start.take();
}

}  // namespace sluice::server
