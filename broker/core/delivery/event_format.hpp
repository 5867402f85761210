// The text of an event, without anything of the protocol that delivers it: as JSON, as XML, or as published. There is
// one object per format. All subscribers of an event with the same format share its text, whatever protocol they speak.
// Pure; any thread.
#pragma once

#include <string>

#include "protocol/feed/item/event_json.hpp"
#include "protocol/feed/model/event.hpp"

namespace sluice::broker {

class EventFormat {
public:
    explicit EventFormat(bool makes_objects) : is_object(makes_objects) {}
    EventFormat(const EventFormat&) = delete;
    EventFormat& operator=(const EventFormat&) = delete;
    virtual ~EventFormat() = default;

    // Called once for each event, before the event's turn to be delivered.
    virtual std::string body(const feed::Event& event) const = 0;

    const bool is_object;  // bodies are JSON objects on one line, to which members of the subscriber's own can be added
};

// feed::event_json.
const EventFormat& json_format(feed::JsonValues values = feed::JsonValues::where_needed);
// feed::item_xml.
const EventFormat& xml_format();
// feed::Item::source.
const EventFormat& source_format();

}  // namespace sluice::broker
