#include "broker/core/ingest/idempotency.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace sluice;
using broker::IdempotencyKeys;
using State = IdempotencyKeys::State;
using namespace std::chrono_literals;

namespace {

const text::Digest one = text::digest("one"), two = text::digest("two");

struct Fixture {
    base::MemoryBudget memory{std::size_t{1} << 20};
    std::shared_ptr<IdempotencyKeys> keys = std::make_shared<IdempotencyKeys>(IdempotencyKeys::Settings{2, 1h}, memory);
    IdempotencyKeys::Clock::time_point now{};

    // Publishes with success; returns what begin() said.
    State publish(const char* scope, const char* key, const text::Digest& request = one) {
        auto answer = keys->begin(scope, key, request, now);
        if (answer.state == State::begun) answer.claim.keep("reply to " + std::string(key), now);
        return answer.state;
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a key belongs to the request that first came with it") {
    CHECK(publish("s", "k") == State::begun);
    const auto again = keys->begin("s", "k", one, now);
    CHECK(again.state == State::replayed);
    CHECK(again.reply == "reply to k");
    CHECK(publish("s", "k", two) == State::mismatch);
    CHECK(publish("t", "k", two) == State::begun);
    CHECK(keys->size() == 2);
}

TEST_CASE_METHOD(Fixture,
                 "while the first publication runs, others with its key wait, and a failed one leaves nothing") {
    {
        const auto first = keys->begin("s", "k", one, now);
        CHECK(first.state == State::begun);
        CHECK(keys->begin("s", "k", one, now).state == State::in_progress);
        CHECK(keys->begin("s", "k", two, now).state == State::mismatch);
    }
    CHECK(keys->size() == 0);
    CHECK(memory.used() == 0);
    CHECK(publish("s", "k", two) == State::begun);
}

TEST_CASE_METHOD(Fixture, "the oldest keys are forgotten: by number in a scope, and by age") {
    CHECK(publish("s", "1") == State::begun);
    CHECK(publish("t", "1") == State::begun);
    CHECK(publish("s", "2") == State::begun);
    CHECK(publish("s", "3") == State::begun);
    CHECK(publish("s", "2") == State::replayed);
    CHECK(publish("t", "1") == State::replayed);
    CHECK(publish("s", "1") == State::begun);
    now += 1h;
    CHECK(publish("s", "1") == State::replayed);
    now += 1us;
    CHECK(publish("s", "1") == State::begun);
    CHECK(keys->size() == 1);
}

TEST_CASE_METHOD(Fixture, "keys take a share of the memory, and a publication that runs keeps its own") {
    const auto running = keys->begin("running", "k", one, now);
    CHECK(running.state == State::begun);
    for (int i = 0; i < 1'000; ++i) CHECK(publish(std::to_string(i).c_str(), "k") == State::begun);
    CHECK(keys->size() < 100);
    CHECK(memory.used() <= memory.bytes_max() / 32 + 100);
    CHECK(publish("999", "k") == State::replayed);
    CHECK(keys->begin("running", "k", one, now).state == State::in_progress);

    std::vector<IdempotencyKeys::Answer> claims;
    while (claims.empty() || claims.back().state == State::begun)
        claims.push_back(keys->begin("many", std::to_string(claims.size()), one, now));
    CHECK(claims.back().state == State::no_memory);
    claims.clear();
    CHECK(publish("s", "k") == State::begun);
}
