#include "broker/server/limits.hpp"

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

AddressLimits address_limits(const config::LimitOptions& options) {
    AddressLimits limits;
    limits.connections = options.address_connections;
    limits.requests = options.address_requests;
    limits.bytes = options.address_bytes;
    limits.streams = options.address_streams;
    limits.exempt = options.address_exempt;
    return limits;
}

// The cost of an honest condition grows with the document. One that is slow even for a short document is slow for every
// event, so shorter documents get a smaller budget.
constexpr std::size_t full_budget_bytes = 200'000;

std::chrono::steady_clock::time_point worker_deadline(const config::PublishOptions& options) {
    constexpr config::Duration shortest = std::chrono::seconds(10);
    return std::chrono::steady_clock::now() + std::max(options.wait, shortest);
}

broker::BatchLimits batch_limits(const config::LimitOptions& options, base::MemoryBudget& memory,
                                 const broker::ScanOwners* owners, const broker::ScanOwners* computed_owners) {
    broker::BatchLimits limits;
    limits.condition_time = options.condition_time;
    limits.event_time = options.event_time;
    limits.document_time = options.document_time;
    limits.scan.condition_steps_max = options.condition_steps;
    limits.scan.owner_steps_max = options.subscriber_steps;
    limits.scan.document_steps_max = options.document_steps;
    limits.scan.full_budget_bytes = full_budget_bytes;
    limits.owners = owners;
    limits.computed_owners = computed_owners;
    limits.memory = &memory;
    return limits;
}

}  // namespace sluice::server
