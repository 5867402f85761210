#include "broker/server/api/limits.hpp"

#include <algorithm>

namespace sluice::server {

std::optional<feed::RepairMode> read_repair(std::string_view asked, const config::StreamOptions& of_stream) {
    if (asked == "lenient") return feed::RepairMode::lenient;
    if (asked == "strict") return feed::RepairMode::strict;
    if (!asked.empty()) return std::nullopt;
    return of_stream.repair == config::RepairOption::strict ? feed::RepairMode::strict : feed::RepairMode::lenient;
}

feed::FeedLimits feed_limits(const config::LimitOptions& options) {
    feed::FeedLimits limits;
    limits.document_bytes_max = options.document_bytes;
    limits.depth_max = options.element_depth;
    limits.items_max = options.items;
    limits.item_values_max = options.values_per_event;
    limits.values_max = options.values;
    return limits;
}

filter::FilterLimits filter_limits(const config::LimitOptions& options) {
    filter::FilterLimits limits;
    limits.text_bytes_max = options.filter_bytes;
    limits.depth_max = options.filter_depth;
    limits.conjunctions_max = options.filter_conjunctions;
    limits.literals_max = options.filter_literals;
    limits.searches_max = options.filter_searches;
    limits.operators_max = options.filter_operators;
    limits.pattern_bytes_max = options.filter_pattern_bytes;
    limits.edits_max = options.filter_edits;
    limits.sequence_letters_max = options.filter_sequence_letters;
    return limits;
}

std::chrono::steady_clock::time_point worker_deadline(const config::PublishOptions& options) {
    constexpr config::Duration shortest = std::chrono::seconds(10);
    return std::chrono::steady_clock::now() + std::max(options.wait, shortest);
}

}  // namespace sluice::server
