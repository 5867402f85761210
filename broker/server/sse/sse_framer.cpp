#include "broker/server/sse/sse_framer.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <spdlog/fmt/compile.h>
#include <spdlog/fmt/fmt.h>
#include <string_view>

#include "broker/server/sse/delivery_members.hpp"
#include "broker/server/sse/notices.hpp"
#include "protocol/wire/sse/sse.hpp"

namespace sluice::server {

namespace {

using broker::Delivery;
using broker::EndReason;
using broker::Pieces;
namespace json = boost::json;

// A line of data begins behind the line before it.
constexpr std::string_view data_begin = "\ndata: ", object_end = "}\n\n", lines_end = "\n\n";

std::string error_text(const json::object& problem) {
    return "event: error\ndata: " + json::serialize(problem) + "\n\n";
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

}  // namespace

class SseFramer final : public broker::Framer {
public:
    SseFramer(const broker::EventFormat& of_events, const std::string& epoch)
        : Framer(of_events), epoch_(epoch), id_begin_("id: " + epoch + "-") {}

    std::size_t bytes(const Delivery& delivery) const override {
        if (delivery.kind != Delivery::Kind::event) return notice(delivery).size();
        return id_begin_.size() + digits(delivery.position()) +
               (format.is_object ? object_bytes(delivery)
                                 : again_text(delivery).size() + lines_bytes(delivery.event->body));
    }
    void write(const Delivery& delivery, Pieces& pieces) const override {
        if (delivery.kind != Delivery::Kind::event) return pieces.copy(notice(delivery));
        if (!format.is_object) pieces.copy(again_text(delivery));
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
            case EndReason::Kind::revoked:
                return revoked_text();
            default:
                return slow_filter_text(reason);
        }
    }

private:
    // Where the event itself has no place for it.
    static std::string again_text(const Delivery& delivery) {
        return delivery.deliveries == 1 ? std::string()
                                        : fmt::format(FMT_COMPILE(": redelivered, delivery {}\n"), delivery.deliveries);
    }
    // What stands in place of events.
    std::string notice(const Delivery& delivery) const {
        if (delivery.kind == Delivery::Kind::reset) return reset_text(reset_of(delivery, epoch_));
        return "event: gap\n" + sse_id(epoch_, delivery.position()) + "data: " + json::serialize(gap_json(delivery)) +
               "\n\n";
    }

    static std::size_t object_bytes(const Delivery& delivery) {
        return data_begin.size() + delivery.event->body.size() - 1 + members_bytes(delivery) + object_end.size();
    }
    // Uses few pieces, since writing each has a cost.
    static void write_object(const Delivery& delivery, Pieces& pieces) {
        pieces.share(std::string_view(delivery.event->body).substr(0, delivery.event->body.size() - 1));
        write_members(delivery, pieces);
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
    return "event: reset\n" + sse_id(reset.epoch, reset.position) + "data: " + json::serialize(reset_json(reset)) +
           "\n\n";
}

std::string revoked_text() {
    return error_text(
        {{"type", "urn:sluice:problem:revoked"},
         {"title", "Revoked"},
         {"detail", "the user, the user's rights or the ticket changed or no longer exist; connect again"}});
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
