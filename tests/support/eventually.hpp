// How a test waits: it polls a condition, and fails when that has not come true within a minute, which no machine
// needs. Main thread only, as Catch's assertions are.
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

namespace sluice::testing {

template <class Condition>
void eventually(const char* text, Condition condition) {
    constexpr std::chrono::seconds at_most{60};
    const auto give_up = std::chrono::steady_clock::now() + at_most;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > give_up) FAIL("waited a minute for: " << text);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace sluice::testing

// EVENTUALLY(counters.requests == 3);
#define EVENTUALLY(...) ::sluice::testing::eventually(#__VA_ARGS__, [&] { return static_cast<bool>(__VA_ARGS__); })
