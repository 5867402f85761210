// Events as server-sent events. Each is rendered once for all subscribers that want its format. Pure; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "protocol/feed/event.hpp"

namespace sluice {

using Frame = std::shared_ptr<const std::string>;

// "id: 42\ndata: {…" without the closing brace: each subscriber gets its own json_frame_end() behind it.
Frame json_frame(const Event& event);

// "}\n\n", or `,"filters":[0,3],"alignments":[…]}` and a blank line: the indices of the filters that hold, if any, and
// a JSON array, if not empty.
std::string json_frame_end(std::span<const std::uint32_t> filters, const std::string& alignments = {});

// The item as it was published, whole.
Frame xml_frame(const Event& event);

// The error with which a connection ends that has lost events because it reads too slowly; because the broker
// could not deliver them; and because its filter of that index takes too long for an event.
std::string slow_consumer_frame();
std::string undelivered_frame();
std::string slow_filter_frame(const Event& event, std::uint32_t filter);

}  // namespace sluice
