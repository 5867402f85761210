#include "broker/server/sse/sse_renderer.hpp"

#include <array>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <string_view>
#include <utility>

#include "protocol/feed/item/event_json.hpp"
#include "protocol/feed/item/item_xml.hpp"
#include "protocol/wire/sse/sse.hpp"

namespace sluice::server {

namespace {

using broker::Delivery;
using broker::EndReason;
using broker::Pieces;
namespace json = boost::json;

constexpr std::string_view object_end = "}\n\n";
constexpr std::string_view filters_begin = ",\"filters\":[";

std::string error_text(const json::object& problem) {
    return "event: error\ndata: " + json::serialize(problem) + "\n\n";
}

std::string gap_text(const Delivery& gap) {
    const json::object problem{{"type", "urn:sluice:problem:over-budget"},
                               {"title", "Not decided"},
                               {"detail",
                                "a condition of the filter exceeds its budget for these events; they are not "
                                "delivered by this filter"},
                               {"reason", "over-budget"},
                               {"filter", gap.filters.front()},
                               {"stream", *gap.event->stream},
                               {"first_id", gap.first_id},
                               {"last_id", gap.event->id}};
    return "event: gap\nid: " + std::to_string(gap.event->id) + "\ndata: " + json::serialize(problem) + "\n\n";
}

std::string slow_filter_text(const EndReason& reason) {
    return error_text({{"type", "urn:sluice:problem:slow-filter"},
                       {"title", "Filter costs too much"},
                       {"detail",
                        "a condition of the filter exceeds its budget for an event; neither this event nor any "
                        "later one is delivered"},
                       {"filter", reason.filter},
                       {"stream", *reason.stream},
                       {"id", reason.id}});
}

std::size_t digits(std::uint32_t number) {
    std::size_t n = 1;
    for (; number >= 10; number /= 10) ++n;
    return n;
}

void copy_number(std::uint32_t number, Pieces& pieces) {
    std::array<char, 10> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    pieces.copy({text.data(), static_cast<std::size_t>(end - text.data())});
}

// The common part of all formats.
class SseRenderer : public broker::Renderer {
public:
    std::size_t bytes(const Delivery& delivery) const final {
        return delivery.kind == Delivery::Kind::gap ? gap_text(delivery).size() : event_bytes(delivery);
    }
    void write(const Delivery& delivery, Pieces& pieces) const final {
        if (delivery.kind == Delivery::Kind::gap)
            pieces.copy(gap_text(delivery));
        else
            write_event(delivery, pieces);
    }
    std::string end_text(const EndReason& reason) const final {
        switch (reason.kind) {
            case EndReason::Kind::slow_consumer:
                return error_text({{"type", "urn:sluice:problem:slow-consumer"},
                                   {"title", "Slow consumer"},
                                   {"detail", "events arrived faster than they were read; events have been lost"}});
            case EndReason::Kind::undelivered:
                return error_text(
                    {{"type", "urn:sluice:problem:undelivered"},
                     {"title", "Not delivered"},
                     {"detail", "the broker could not match or deliver some events; they have been lost"}});
            default:
                return slow_filter_text(reason);
        }
    }

private:
    virtual std::size_t event_bytes(const Delivery& delivery) const = 0;
    virtual void write_event(const Delivery& delivery, Pieces& pieces) const = 0;
};

class JsonRenderer final : public SseRenderer {
public:
    explicit JsonRenderer(feed::JsonValues values) : values_(values) {}

    // "id: 42\ndata: {…" without the closing brace.
    std::string event_text(const feed::Event& event) const override {
        std::string text = feed::event_json(event, values_);
        text.pop_back();
        return "id: " + std::to_string(event.id) + "\ndata: " + text;
    }

private:
    std::size_t event_bytes(const Delivery& delivery) const override {
        std::size_t bytes = delivery.event->text.size() + object_end.size();
        if (!delivery.filters.empty()) {
            bytes += filters_begin.size() + delivery.filters.size();  // a comma or the bracket follows each
            for (const std::uint32_t filter : delivery.filters) bytes += digits(filter);
        }
        return bytes + delivery.annotations.size();
    }
    // Uses few pieces, since writing each has a cost.
    void write_event(const Delivery& delivery, Pieces& pieces) const override {
        pieces.share(delivery.event->text);
        if (delivery.filters.empty() && delivery.annotations.empty()) return pieces.share(object_end);
        std::string_view before = filters_begin;
        for (const std::uint32_t filter : delivery.filters) {
            pieces.copy(before);
            copy_number(filter, pieces);
            before = ",";
        }
        if (!delivery.filters.empty()) pieces.copy("]");
        if (!delivery.annotations.empty()) pieces.share(delivery.annotations);
        pieces.copy(object_end);
    }

    const feed::JsonValues values_;
};

// Formats that are a text without members, so nothing of the subscriber's own can be added.
class TextRenderer : public SseRenderer {
public:
    std::string event_text(const feed::Event& event) const final {
        std::string text = "id: " + std::to_string(event.id) + '\n';
        append_data(text, event);
        return text + '\n';
    }

private:
    virtual void append_data(std::string& text, const feed::Event& event) const = 0;
    std::size_t event_bytes(const Delivery& delivery) const final { return delivery.event->text.size(); }
    void write_event(const Delivery& delivery, Pieces& pieces) const final { pieces.share(delivery.event->text); }
};

class XmlRenderer final : public TextRenderer {
    void append_data(std::string& text, const feed::Event& event) const override {
        wire::append_sse_data(text, feed::item_xml(event));
    }
};

class SourceRenderer final : public TextRenderer {
    void append_data(std::string& text, const feed::Event& event) const override {
        wire::append_sse_data(text, event.item().source);
    }
};

}  // namespace

const broker::Renderer& sse_json_renderer(feed::JsonValues values) {
    static const JsonRenderer usual(feed::JsonValues::where_needed), with_all(feed::JsonValues::all);
    return values == feed::JsonValues::all ? with_all : usual;
}

const broker::Renderer& sse_xml_renderer() {
    static const XmlRenderer renderer;
    return renderer;
}

const broker::Renderer& sse_source_renderer() {
    static const SourceRenderer renderer;
    return renderer;
}

}  // namespace sluice::server
