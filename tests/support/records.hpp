// Equality of records for tests. Texts are compared by content, not by address.
#pragma once

#include <algorithm>

#include "protocol/feed/record/record_codec.hpp"

namespace sluice::feed {

inline bool is_same(const FeedLimits& a, const FeedLimits& b) {
    return a.document_bytes_max == b.document_bytes_max && a.depth_max == b.depth_max && a.items_max == b.items_max &&
           a.item_values_max == b.item_values_max && a.values_max == b.values_max;
}

inline bool is_same(const DocumentRecord& a, const DocumentRecord& b) {
    return *a.text == *b.text && a.content_type == b.content_type && a.event_path == b.event_path &&
           a.context == b.context && a.feed_fields.title == b.feed_fields.title &&
           a.feed_fields.link == b.feed_fields.link && a.feed_fields.authors == b.feed_fields.authors &&
           a.owner == b.owner && a.trace_parent == b.trace_parent && a.trace_state == b.trace_state &&
           (a.dead_letter == nullptr) == (b.dead_letter == nullptr) &&
           (a.dead_letter == nullptr || *a.dead_letter == *b.dead_letter) && a.attributes == b.attributes &&
           a.repairs == b.repairs && is_same(a.limits, b.limits);
}

// Ignores the document, which belongs to the append.
inline bool is_same(const EventRecord& a, const EventRecord& b) {
    return a.id == b.id && a.time == b.time && a.change == b.change && a.identity == b.identity &&
           a.content == b.content && a.item == b.item;
}

inline bool is_same(const RecordAppend& a, const RecordAppend& b) {
    const auto same_event = [](const EventRecord& x, const EventRecord& y) { return is_same(x, y); };
    return is_same(*a.document, *b.document) &&
           std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), same_event);
}

}  // namespace sluice::feed
