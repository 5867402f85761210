// W3C Trace Context: which trace an event belongs to, from the publisher's request to the subscribers. The broker
// passes it on as it is, and adds no span of its own. Follows the recommendation of 2021-11-23
// (https://www.w3.org/TR/2021/REC-trace-context-1-20211123/). Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::text {

// Both in ASCII.
struct TraceContext {
    std::string parent;  // a well-formed traceparent; empty: no context
    std::string state;   // a well-formed tracestate; empty: none

    bool empty() const { return parent.empty(); }
    bool operator==(const TraceContext&) const = default;
};

// Whether it is a traceparent of version 00, or one of a later version as far as the recommendation knows those (§3.2).
bool is_trace_parent(std::string_view text);

// The trace-id of a well-formed traceparent: 32 hexadecimal digits.
inline std::string_view trace_id(std::string_view parent) { return parent.substr(3, 32); }

// The context of two fields. A malformed `parent` makes the whole context empty, a malformed `state` only the state.
// The state's members are joined by commas alone. If they are then longer than 512 characters, members are left out as
// §3.3.1.5 says: those longer than 128 characters first, then the last ones.
TraceContext trace_context(std::string_view parent, std::string_view state);

}  // namespace sluice::text
