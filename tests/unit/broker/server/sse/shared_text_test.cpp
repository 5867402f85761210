#include "broker/server/sse/shared_text.hpp"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "broker/server/net/turns.hpp"
#include "tests/unit/broker/core/delivery/plain_framer.hpp"

using namespace sluice::broker;
using sluice::server::SharedText;

namespace {

SharedEventPtr event_of(const std::string& body) {
    return std::make_shared<const SharedEvent>(SharedEvent{std::make_shared<const std::string>("s"), 1, body});
}

std::vector<Delivery> both(const SharedEventPtr& first, const SharedEventPtr& second) {
    return {delivery_of(first), delivery_of(second)};
}

std::vector<Delivery> one(const Delivery& delivery) { return {delivery}; }

Pieces framed(const std::vector<Delivery>& deliveries) {
    Pieces pieces;
    for (const Delivery& delivery : deliveries) plain_framer.write(delivery, pieces);
    return pieces;
}

}  // namespace

TEST_CASE("SharedText: subscribers of the same events share one text") {
    boost::asio::io_context io{1};
    SharedText& shared = SharedText::of(io.get_executor());
    const PlainFramer other_framer;
    const SharedEventPtr a = event_of("a"), b = event_of("b");
    CHECK(shared.find(plain_framer, both(a, b), true) == nullptr);
    const std::vector<Delivery> first = both(a, b);
    shared.keep(plain_framer, first, true, framed(first));
    const std::string* const text = shared.find(plain_framer, both(a, b), true);
    REQUIRE(text != nullptr);
    CHECK(*text == "ab");
    CHECK(shared.find(plain_framer, both(a, b), true) == text);
    CHECK(shared.find(plain_framer, both(a, b), false) == nullptr);
    CHECK(shared.find(other_framer, both(a, b), true) == nullptr);
    CHECK(shared.find(plain_framer, both(b, a), true) == nullptr);
    CHECK(shared.find(plain_framer, both(a, event_of("b")), true) == nullptr);
    CHECK(shared.find(plain_framer, one(delivery_of(a)), true) == nullptr);
    shared.keep(plain_framer, both(b, a), true, framed(both(b, a)));
    CHECK(*shared.find(plain_framer, both(b, a), true) == "ba");
    CHECK(shared.find(plain_framer, both(a, b), true) == nullptr);
}

TEST_CASE("SharedText: what has a part of the subscriber's own is not shared") {
    boost::asio::io_context io{1};
    SharedText& shared = SharedText::of(io.get_executor());
    const SharedEventPtr event = event_of("a");
    std::vector<Delivery> own(5, delivery_of(event));
    own[0].filters = {1};
    own[1].annotations = std::make_shared<const Annotations>();
    own[2].deliveries = 2;
    own[3].decided_id = 0;
    own[4].kind = Delivery::Kind::gap;
    for (const Delivery& delivery : own) {
        shared.keep(plain_framer, one(delivery), true, framed(one(delivery)));
        CHECK(shared.find(plain_framer, one(delivery), true) == nullptr);
    }
    shared.keep(plain_framer, one(delivery_of(event)), true, framed(one(delivery_of(event))));
    for (const Delivery& delivery : own) CHECK(shared.find(plain_framer, one(delivery), true) == nullptr);
}

TEST_CASE("SharedText: long texts are not kept, and events live no longer for those that are") {
    boost::asio::io_context io{1};
    SharedText& shared = SharedText::of(io.get_executor());
    const std::vector<Delivery> long_one{delivery_of(event_of(std::string(sluice::server::piece_bytes + 1, 'x')))};
    shared.keep(plain_framer, long_one, true, framed(long_one));
    CHECK(shared.find(plain_framer, long_one, true) == nullptr);
    std::weak_ptr<const SharedEvent> seen;
    {
        const std::vector<Delivery> short_one{delivery_of(event_of("x"))};
        seen = short_one.front().event;
        shared.keep(plain_framer, short_one, true, framed(short_one));
        CHECK(shared.find(plain_framer, short_one, true) != nullptr);
    }
    CHECK(seen.expired());
}
