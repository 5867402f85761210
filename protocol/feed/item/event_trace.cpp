#include "protocol/feed/item/event_trace.hpp"

#include <utility>

namespace sluice::feed {

text::TraceContext trace_of(const Event& event) {
    if (event.document->format() == FeedFormat::cloud_event) {
        const TreeNode attributes = event.item().element;
        text::TraceContext own =
            text::trace_context(attributes.child_value("traceparent"), attributes.child_value("tracestate"));
        if (!own.empty()) return own;
    }
    return event.document->trace();
}

}  // namespace sluice::feed
