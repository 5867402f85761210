#include "broker/server/net/turns.hpp"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

namespace asio = boost::asio;
using sluice::server::Turns;

TEST_CASE("turns come one after another, behind what is ready") {
    asio::io_context io{1};
    auto& turns = asio::use_service<Turns>(io);
    std::string order;
    for (const char letter : {'a', 'b', 'c'}) {
        turns.wait([&order, letter] { order += letter; });
        asio::post(io, [&] {
            order += '.';
            asio::post(io, [&] { order += ','; });
        });
    }
    io.run();
    CHECK(order == "a...b,,,c");
}

TEST_CASE("turns that nobody takes any more are dropped") {
    const auto held = std::make_shared<int>();
    {
        asio::io_context io{1};
        asio::use_service<Turns>(io).wait([held] {});
        asio::use_service<Turns>(io).wait([held] {});
        CHECK(held.use_count() == 3);
    }
    CHECK(held.use_count() == 1);
}
