#include "broker/server/net/turn_end.hpp"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <functional>
#include <string>

namespace asio = boost::asio;
using sluice::server::TurnEnd;

TEST_CASE("TurnEnd: asked for by all that is ready → called once, after it, and again in the next turn") {
    asio::io_context io{1};
    std::string order;
    const std::function<void()> end = [&] { order += '|'; };
    TurnEnd& turn = TurnEnd::of(io.get_executor());
    CHECK(&turn == &TurnEnd::of(io.get_executor()));
    for (int round = 0; round < 2; ++round) {
        for (const char letter : {'a', 'b', 'c'}) {
            asio::post(io, [&, letter] {
                turn.call(end);
                order += letter;
            });
        }
        io.run();
        io.restart();
    }
    CHECK(order == "abc|abc|");
}

TEST_CASE("TurnEnd: two functions → both are called, and what a function asks for comes at the next end") {
    asio::io_context io{1};
    std::string order;
    TurnEnd& turn = TurnEnd::of(io.get_executor());
    const std::function<void()> last = [&] { order += '3'; };
    const std::function<void()> one = [&] { order += '1'; };
    const std::function<void()> two = [&] {
        order += '2';
        turn.call(last);
        order += '.';
    };
    asio::post(io, [&] {
        turn.call(one);
        turn.call(two);
        turn.call(two);
    });
    io.run();
    CHECK(order == "12.3");
}

TEST_CASE("TurnEnd: context that ends before the turn → nothing is called") {
    bool called = false;
    const std::function<void()> end = [&] { called = true; };
    {
        asio::io_context io{1};
        TurnEnd::of(io.get_executor()).call(end);
    }
    CHECK_FALSE(called);
}
