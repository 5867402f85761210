// The trace context of an event. Pure function; any thread.
#pragma once

#include "protocol/feed/model/event.hpp"
#include "protocol/text/trace_context.hpp"

namespace sluice::feed {

// A CloudEvent's own context comes first: its attributes "traceparent" and "tracestate" (the extension Distributed
// Tracing). Events of a batch each have theirs, and keep it wherever the event is read again, since it is a part of the
// item. All other events have that of the request which published their document. Empty: none.
text::TraceContext trace_of(const Event& event);

}  // namespace sluice::feed
