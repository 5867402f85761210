#include "protocol/bytes/growing_text.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>

using sluice::bytes::GrowingText;

TEST_CASE("GrowingText: what a std::string would be") {
    std::mt19937 random(1);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    std::string source;
    for (int i = 0; i < 300; ++i) source += static_cast<char>('a' + i % 26);
    for (int trial = 0; trial < 300; ++trial) {
        GrowingText text;
        std::string expected;
        if (trial % 2 == 0) text.reserve(below(200));
        for (int step = 0; step < 60; ++step) {
            const std::size_t begin = below(source.size() + 1), size = below(source.size() - begin + 1);
            switch (below(6)) {
                case 0:
                    text.append('\0');
                    expected += '\0';
                    break;
                case 1:
                    text.append(std::string_view());
                    break;
                case 2: {
                    const std::size_t from = below(expected.size() + 1), piece = below(expected.size() - from + 1);
                    text.repeat(from, piece);
                    expected += expected.substr(from, piece);
                    if (expected.size() < 10'000) break;
                    text.shrink(100);
                    expected.resize(100);
                    break;
                }
                case 3: {
                    const std::size_t left = below(expected.size() + 1);
                    text.shrink(left);
                    expected.resize(left);
                    break;
                }
                default:
                    text.append(std::string_view(source).substr(begin, size));
                    expected.append(source, begin, size);
            }
            CHECK(text.view() == expected);
            CHECK(text.capacity() >= text.size());
        }
        text.shrink_to_fit();
        CHECK(text.view() == expected);
        CHECK(text.capacity() == text.size());
        GrowingText other = std::move(text);
        CHECK(other.view(expected.size() / 2) == std::string_view(expected).substr(expected.size() / 2));
    }
}
