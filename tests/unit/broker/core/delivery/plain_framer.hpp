// A minimal protocol for tests of deliveries: "ID TITLE" for each event, followed by the subscriber's own part.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/core/delivery/framer.hpp"

namespace sluice::broker {

class PlainFormat : public EventFormat {
public:
    PlainFormat() : EventFormat(false) {}
    std::string body(const feed::Event& event) const override {
        ++bodies;
        return std::to_string(event.id) + ' ' + std::string(event.item().source);
    }

    mutable std::atomic<int> bodies{0};  // the number of bodies made
};

inline const PlainFormat plain_format;

class PlainFramer : public Framer {
public:
    explicit PlainFramer(const EventFormat& of_events = plain_format) : Framer(of_events) {}
    std::size_t bytes(const Delivery& delivery) const override {
        Pieces pieces;
        write(delivery, pieces);
        return pieces.bytes();
    }
    void write(const Delivery& delivery, Pieces& pieces) const override {
        pieces.share(delivery.event->body);
        if (delivery.kind == Delivery::Kind::gap) pieces.copy("gap " + std::to_string(delivery.event->id));
        for (const std::uint32_t filter : delivery.filters) pieces.copy(' ' + std::to_string(filter));
        if (!delivery.annotations) return;
        for (const std::string& condition : delivery.annotations->estimated) pieces.copy(" estimated: " + condition);
    }
    std::string end_text(const EndReason&) const override { return "end"; }
};

inline const PlainFramer plain_framer;

// The text that a subscriber would read, delivery by delivery.
inline std::vector<std::string> texts_of(const Framer& framer, const std::vector<Delivery>& deliveries) {
    std::vector<std::string> texts;
    for (const Delivery& delivery : deliveries) {
        Pieces pieces;
        framer.write(delivery, pieces);
        texts.emplace_back();
        pieces.each([&](std::string_view piece) { texts.back() += piece; });
    }
    return texts;
}

// A delivery of an event with only that text.
inline Delivery delivery_of(SharedEventPtr event) {
    Delivery delivery;
    delivery.bytes = event->body.size();
    delivery.event = std::move(event);
    return delivery;
}

inline std::vector<Delivery> deliveries(std::size_t n, const std::string& text = "0123456789") {
    return std::vector<Delivery>(n, delivery_of(std::make_shared<const SharedEvent>(
                                        SharedEvent{std::make_shared<const std::string>("s"), 1, text})));
}

}  // namespace sluice::broker
