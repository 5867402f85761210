#include "broker/server/sse/sse_framer.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <spdlog/fmt/compile.h>
#include <spdlog/fmt/fmt.h>
#include <string_view>

#include "broker/server/sse/annotations_json.hpp"
#include "protocol/wire/sse/sse.hpp"

namespace sluice::server {

namespace {

using broker::Delivery;
using broker::EndReason;
using broker::GapReason;
using broker::Pieces;
namespace json = boost::json;

// A line of data begins behind the line before it.
constexpr std::string_view data_begin = "\ndata: ", object_end = "}\n\n", lines_end = "\n\n";
constexpr std::string_view filters_begin = ",\"filters\":[";

std::string error_text(const json::object& problem) {
    return "event: error\ndata: " + json::serialize(problem) + "\n\n";
}

struct GapText {
    const char* reason;
    const char* detail;
};

GapText describe(GapReason reason) {
    switch (reason) {
        case GapReason::context:
            return {"context",
                    "the filter looks at what is beside the item, which the log has not kept of these events; they are "
                    "not delivered by this filter"};
        case GapReason::undelivered:
            return {"undelivered", "the broker could not match or deliver these events"};
        default:
            return {"over-budget",
                    "a condition of the filter exceeds its budget for these events; they are not delivered by this "
                    "filter"};
    }
}

const char* detail_of(std::string_view reason) {
    if (reason == "epoch") return "the events with such ids are gone; it goes on with the oldest event that is kept";
    if (reason == "unknown") return "no event has this id yet; it goes on with the oldest event that is kept";
    if (reason == "damaged") return "the log can't read all of the events asked for; it goes on with those that it has";
    return "the log no longer has all of the events asked for; it goes on with those that it has";
}

json::object gap_json(const Delivery& gap) {
    const GapText text = describe(gap.reason);
    return {{"type", std::string("urn:sluice:problem:") + text.reason},
            {"title", "Not decided"},
            {"detail", text.detail},
            {"reason", text.reason},
            {"filter", gap.filters.front()},
            {"stream", *gap.event->stream},
            {"first_id", gap.first_id},
            {"last_id", gap.event->id},
            {"events", gap.gap_events}};
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

std::size_t digits(std::uint64_t number) {
    std::size_t n = 1;
    for (; number >= 10; number /= 10) ++n;
    return n;
}

void copy_number(std::uint64_t number, Pieces& pieces) {
    std::array<char, 20> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    pieces.copy({text.data(), static_cast<std::size_t>(end - text.data())});
}

}  // namespace

class SseFramer final : public broker::Framer {
public:
    SseFramer(const broker::EventFormat& of_events, const std::string& epoch)
        : Framer(of_events), epoch_(epoch), id_begin_("id: " + epoch + "-") {}

    std::size_t bytes(const Delivery& delivery) const override {
        if (delivery.kind != Delivery::Kind::event) return notice(delivery).size();
        return id_begin_.size() + digits(delivery.position()) +
               (format.is_object ? object_bytes(delivery) : lines_bytes(delivery.event->body));
    }
    void write(const Delivery& delivery, Pieces& pieces) const override {
        if (delivery.kind != Delivery::Kind::event) return pieces.copy(notice(delivery));
        std::array<char, 64> head;  // the line `id:` and, of an object, the beginning of its only line of data
        char* end = std::copy(id_begin_.begin(), id_begin_.end(), head.data());
        end = std::to_chars(end, head.data() + head.size(), delivery.position()).ptr;
        if (format.is_object) end = std::copy(data_begin.begin(), data_begin.end(), end);
        pieces.copy({head.data(), static_cast<std::size_t>(end - head.data())});
        if (format.is_object)
            write_object(delivery, pieces);
        else
            write_lines(delivery.event->body, pieces);
    }
    std::string end_text(const EndReason& reason) const override {
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
    // What stands in place of events.
    std::string notice(const Delivery& delivery) const {
        if (delivery.kind == Delivery::Kind::reset)
            return reset_text({*delivery.event->stream, delivery.event->id, epoch_, delivery.first_id - 1,
                               delivery.is_damage ? "damaged" : "retention"});
        return "event: gap\n" + sse_id(epoch_, delivery.position()) + "data: " + json::serialize(gap_json(delivery)) +
               "\n\n";
    }

    // Annotations are few, and took longer to find than their text takes to be made twice, here and when it is written.
    static std::size_t object_bytes(const Delivery& delivery) {
        std::size_t bytes = data_begin.size() + delivery.event->body.size() - 1 + object_end.size();
        if (!delivery.filters.empty()) {
            bytes += filters_begin.size() + delivery.filters.size();  // a comma or the bracket follows each
            for (const std::uint32_t filter : delivery.filters) bytes += digits(filter);
        }
        return bytes + (delivery.annotations ? annotations_json(*delivery.annotations).size() : 0);
    }
    // Uses few pieces, since writing each has a cost.
    static void write_object(const Delivery& delivery, Pieces& pieces) {
        pieces.share(std::string_view(delivery.event->body).substr(0, delivery.event->body.size() - 1));
        std::string_view before = filters_begin;
        for (const std::uint32_t filter : delivery.filters) {
            pieces.copy(before);
            copy_number(filter, pieces);
            before = ",";
        }
        if (!delivery.filters.empty()) pieces.copy("]");
        if (delivery.annotations) pieces.copy(annotations_json(*delivery.annotations));
        pieces.copy(object_end);
    }

    static std::size_t lines_bytes(std::string_view body) {
        std::size_t bytes = lines_end.size();
        wire::each_sse_line(body, [&](std::string_view line) { bytes += data_begin.size() + line.size(); });
        return bytes;
    }
    static void write_lines(std::string_view body, Pieces& pieces) {
        wire::each_sse_line(body, [&](std::string_view line) {
            pieces.copy(data_begin);
            pieces.share(line);
        });
        pieces.copy(lines_end);
    }

    const std::string epoch_, id_begin_;
};

std::string sse_id(std::string_view epoch, std::uint64_t id) {
    return fmt::format(FMT_COMPILE("id: {}-{}\n"), epoch, id);
}

std::string reset_text(const Reset& reset) {
    const json::object problem{{"type", "urn:sluice:problem:reset"},
                               {"title", "Events are missing"},
                               {"detail", detail_of(reset.reason)},
                               {"stream", reset.stream},
                               {"oldest_id", reset.oldest_id},
                               {"epoch", reset.epoch},
                               {"reason", reset.reason}};
    return "event: reset\n" + sse_id(reset.epoch, reset.position) + "data: " + json::serialize(problem) + "\n\n";
}

SseFramers::SseFramers(const std::string& epoch)
    : json_(std::make_unique<SseFramer>(broker::json_format(), epoch)),
      json_with_values_(std::make_unique<SseFramer>(broker::json_format(feed::JsonValues::all), epoch)),
      xml_(std::make_unique<SseFramer>(broker::xml_format(), epoch)),
      source_(std::make_unique<SseFramer>(broker::source_format(), epoch)) {}

SseFramers::~SseFramers() = default;

const broker::Framer& SseFramers::json(feed::JsonValues values) const {
    return values == feed::JsonValues::all ? *json_with_values_ : *json_;
}
const broker::Framer& SseFramers::xml() const { return *xml_; }
const broker::Framer& SseFramers::source() const { return *source_; }

}  // namespace sluice::server
