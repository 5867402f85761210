#include "broker/server/sse/delivery_members.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include "broker/server/sse/annotations_json.hpp"

namespace sluice::server {

namespace {

constexpr std::string_view filters_begin = ",\"filters\":[", again_begin = ",\"redelivered\":true,\"deliveries\":";

}  // namespace

std::size_t digits(std::uint64_t number) {
    std::size_t n = 1;
    for (; number >= 10; number /= 10) ++n;
    return n;
}

void copy_number(std::uint64_t number, broker::Pieces& pieces) {
    std::array<char, 20> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    pieces.copy({text.data(), static_cast<std::size_t>(end - text.data())});
}

// Annotations are few, and took longer to find than their text takes to be made twice, here and when it is written.
std::size_t members_bytes(const broker::Delivery& delivery) {
    std::size_t bytes = delivery.annotations ? annotations_json(*delivery.annotations).size() : 0;
    if (delivery.deliveries > 1) bytes += again_begin.size() + digits(delivery.deliveries);
    if (delivery.filters.empty()) return bytes;
    bytes += filters_begin.size() + delivery.filters.size();  // a comma or the bracket follows each
    for (const std::uint32_t filter : delivery.filters) bytes += digits(filter);
    return bytes;
}

void write_members(const broker::Delivery& delivery, broker::Pieces& pieces) {
    if (delivery.deliveries > 1) {
        pieces.copy(again_begin);
        copy_number(delivery.deliveries, pieces);
    }
    std::string_view before = filters_begin;
    for (const std::uint32_t filter : delivery.filters) {
        pieces.copy(before);
        copy_number(filter, pieces);
        before = ",";
    }
    if (!delivery.filters.empty()) pieces.copy("]");
    if (delivery.annotations) pieces.copy(annotations_json(*delivery.annotations));
}

std::string delivery_json(const broker::Delivery& delivery) {
    const std::string& body = delivery.event->body;
    broker::Pieces members;
    write_members(delivery, members);
    std::string text;
    text.reserve(body.size() + members.bytes());
    text.append(body, 0, body.size() - 1);
    members.each([&text](std::string_view piece) { text += piece; });
    return text += '}';
}

}  // namespace sluice::server
