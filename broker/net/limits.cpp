#include "broker/net/limits.hpp"

namespace sluice {

FeedLimits feed_limits(const LimitOptions& options) {
    FeedLimits limits;
    limits.document_bytes_max = options.document_bytes;
    limits.depth_max = options.element_depth;
    limits.items_max = options.items;
    limits.item_values_max = options.values_per_event;
    limits.values_max = options.values;
    return limits;
}

FilterLimits filter_limits(const LimitOptions& options) {
    FilterLimits limits;
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

StreamOptions stream_options(const Options& options, const std::string& stream) {
    const auto found = options.streams.find(stream);
    return found == options.streams.end() ? StreamOptions{} : found->second;
}

}  // namespace sluice
