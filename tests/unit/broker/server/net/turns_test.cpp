#include "broker/server/net/turns.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

namespace asio = boost::asio;
using sluice::server::piece_bytes;
using sluice::server::take_turn;

namespace {

// Coroutines that take a turn each write their letters; what is posted besides writes a dot when it is ready, and a
// comma later. After its turn, each posts a colon.
class TurnsTrial {
public:
    void add(char letter, std::size_t bytes) {
        asio::co_spawn(io_, take_one(letter, bytes), asio::detached);
        asio::post(io_, [this] {
            order_ += '.';
            asio::post(io_, [this] { order_ += ','; });
        });
    }
    const std::string& run() {
        io_.run();
        return order_;
    }

private:
    asio::awaitable<void> take_one(char letter, std::size_t bytes) {
        co_await take_turn(io_.get_executor(), bytes);
        order_ += letter;
        asio::post(io_, [this] { order_ += ':'; });
    }

    asio::io_context io_{1};
    std::string order_;
};

asio::awaitable<void> hold_for_a_turn(asio::any_io_executor executor, std::shared_ptr<int> held) {
    co_await take_turn(executor);
    ++*held;
}

}  // namespace

TEST_CASE("turns come one after another, behind what is ready") {
    TurnsTrial trial;
    for (const char letter : {'a', 'b', 'c'}) trial.add(letter, piece_bytes);
    CHECK(trial.run() == "...a,,,:b:c:");
}

TEST_CASE("Turns: short turns that together make a piece come at once, longer ones each by itself") {
    TurnsTrial trial;
    for (const char letter : {'a', 'b', 'c'}) trial.add(letter, piece_bytes / 2);
    trial.add('d', 10 * piece_bytes);
    trial.add('e', 1);
    CHECK(trial.run() == ".....ab,,,,,::c:d:e:");
}

TEST_CASE("Turns: the shortest turns count for a sixteenth of a piece") {
    TurnsTrial trial;
    for (int i = 0; i < 17; ++i) trial.add('a', 1);
    const std::string all(17, ','), first(16, 'a'), colons(16, ':');
    CHECK(trial.run() == std::string(17, '.') + first + all + colons + "a:");
}

TEST_CASE("turns that nobody takes any more are dropped") {
    const auto held = std::make_shared<int>();
    {
        asio::io_context io{1};
        for (int i = 0; i < 2; ++i) asio::co_spawn(io, hold_for_a_turn(io.get_executor(), held), asio::detached);
        for (int i = 0; i < 2; ++i) io.run_one();  // both wait now
        CHECK(held.use_count() == 3);
        CHECK(*held == 0);
    }
    CHECK(held.use_count() == 1);
}
