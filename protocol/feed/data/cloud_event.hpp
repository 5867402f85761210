// CloudEvents 1.0: the rules for attributes, and the binary mode of its HTTP binding, in which the attributes are
// headers and the body is the data. Such an event is published in the structured form. Pure functions; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/feed/model/document.hpp"

namespace sluice::feed {

// Bounds an event's attributes, which are compared with each other.
inline constexpr std::size_t cloud_event_attributes_max = 100;

// Lower-case letters and digits (§ Attribute Naming Convention).
bool is_cloud_event_name(std::string_view name);

struct BinaryCloudEvent {
    // The headers "ce-NAME", without "ce-" and in lower case, as received: values may have percent-encoded parts.
    std::vector<std::pair<std::string, std::string>> attributes;
    std::string content_type;  // of the data; empty: none
};

// The most bytes that structured_cloud_event() gives.
std::size_t structured_bytes_max(const BinaryCloudEvent& event, std::string_view body);

// The event as application/cloudevents+json. JSON data is a value, text in UTF-8 a string, and other data base64; an
// empty body is no data. Errors: an attribute with another name, JSON data that is not well-formed or nests too deeply
// (at its place in `body`), or "datacontenttype" as a header. What else is wrong with the attributes, parsing shows.
boost::system::result<std::string, FeedError> structured_cloud_event(const BinaryCloudEvent& event,
                                                                     std::string_view body, const FeedLimits& limits);

}  // namespace sluice::feed
