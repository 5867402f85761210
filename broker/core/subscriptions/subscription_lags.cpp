#include "broker/core/subscriptions/subscription_lags.hpp"

#include <algorithm>

#include "broker/store/wall_clock.hpp"

namespace sluice::broker {

std::uint64_t SubscriptionLags::events(const text::StreamSelection& streams, std::uint64_t position) {
    if (last_id_ <= position) return 0;
    const auto has_more = [&](std::string_view stream) { return extent(stream).last_id > position; };
    const bool is_behind =
        streams.is_all()
            ? has_more(store::all_streams)
            : std::any_of(streams.names().begin(), streams.names().end(), has_more) ||
                  std::any_of(streams.prefixes().begin(), streams.prefixes().end(),
                              [&](const std::string& prefix) { return last_id_of_prefix(prefix) > position; });
    return is_behind ? last_id_ - position : 0;
}

std::optional<SubscriptionLags::Event> SubscriptionLags::first_event(const text::StreamSelection& streams,
                                                                     std::uint64_t position) {
    std::optional<Event> first;
    const auto read = [&](std::string_view stream) {
        const store::Slice slice = log_.read(stream, position + 1, 1, 1);
        if (slice.kept.empty()) return;
        const store::KeptEvents& kept = slice.kept.front();
        const feed::EventHead& head = kept.events.front();
        if (!first || head.id < first->id) first = Event{*kept.of->stream, head.id, head.time};
    };
    const auto read_if_earlier = [&](const std::string& stream) {
        const Extent& of = extent(stream);
        if (of.last_id > position && (!first || std::max(of.first_id, position + 1) < first->id)) read(stream);
    };
    if (streams.is_all()) read(store::all_streams);
    for (const std::string& stream : streams.names()) read_if_earlier(stream);
    for (const std::string& prefix : streams.prefixes()) each_of_prefix(prefix, read_if_earlier);
    return first;
}

bool SubscriptionLags::is_retained(const Event& event) { return extent(event.stream).first_id <= event.id; }

SubscriptionLag SubscriptionLags::of(const text::StreamSelection& streams, std::uint64_t position) {
    const std::uint64_t behind = events(streams, position);
    if (behind == 0) return {};
    const auto first = first_event(streams, position);
    if (!first) return {};
    return {behind, age_of(*first)};
}

std::chrono::microseconds SubscriptionLags::age_of(const Event& event) {
    const feed::RecordTime now = store::wall_time();
    return std::chrono::microseconds(now - std::min(now, event.time));
}

const SubscriptionLags::Extent& SubscriptionLags::extent(std::string_view stream) {
    const auto found = extents_.find(stream);
    if (found != extents_.end()) return found->second;
    const store::StreamExtent of = log_.extent(stream);
    return extents_.emplace(stream, Extent{of.first_id, of.last_id}).first->second;
}

std::uint64_t SubscriptionLags::last_id_of_prefix(const std::string& prefix) {
    const auto [found, is_new] = last_ids_of_prefixes_.try_emplace(prefix);
    if (is_new)
        each_of_prefix(prefix, [&, &last_id = found->second](const std::string& stream) {
            last_id = std::max(last_id, extent(stream).last_id);
        });
    return found->second;
}

void SubscriptionLags::each_of_prefix(const std::string& prefix,
                                      const std::function<void(const std::string& stream)>& call) {
    if (!names_) names_ = streams_.names();
    for (auto at = std::lower_bound(names_->begin(), names_->end(), prefix);
         at != names_->end() && at->starts_with(prefix); ++at)
        call(*at);
}

}  // namespace sluice::broker
