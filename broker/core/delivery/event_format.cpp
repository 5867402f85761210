#include "broker/core/delivery/event_format.hpp"

#include "protocol/feed/item/item_xml.hpp"

namespace sluice::broker {

namespace {

class JsonFormat final : public EventFormat {
public:
    explicit JsonFormat(feed::JsonValues values) : EventFormat(true), values_(values) {}
    std::string body(const feed::Event& event) const override { return feed::event_json(event, values_); }

private:
    const feed::JsonValues values_;
};

class XmlFormat final : public EventFormat {
public:
    XmlFormat() : EventFormat(false) {}
    std::string body(const feed::Event& event) const override { return feed::item_xml(event); }
};

class SourceFormat final : public EventFormat {
public:
    SourceFormat() : EventFormat(false) {}
    std::string body(const feed::Event& event) const override { return std::string(event.item().source); }
};

}  // namespace

const EventFormat& json_format(feed::JsonValues values) {
    static const JsonFormat usual(feed::JsonValues::where_needed), with_all(feed::JsonValues::all);
    return values == feed::JsonValues::all ? with_all : usual;
}

const EventFormat& xml_format() {
    static const XmlFormat format;
    return format;
}

const EventFormat& source_format() {
    static const SourceFormat format;
    return format;
}

}  // namespace sluice::broker
