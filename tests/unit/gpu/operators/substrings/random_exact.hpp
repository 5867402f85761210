// Random texts and patterns that are likely to match: small alphabets, patterns cut from texts, repetitions, lengths
// around the sizes of words and blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/operators/substrings/window.hpp"
#include "gpu/tools/search/substrings.hpp"
#include "tests/support/seed.hpp"

namespace sluice::substrings {

enum class Place : std::uint8_t { anywhere, start, end };

struct RandomCase {
    std::vector<std::string> texts;
    std::vector<std::pair<std::string, Place>> owned;  // distinct
    std::vector<std::string_view> views;               // of texts
};

class RandomExact {
public:
    explicit RandomExact(std::uint64_t seed) : random_(testing::seed(seed)) {}

    RandomCase next(std::size_t texts, std::size_t count_max) {
        static constexpr unsigned alphabets[] = {1, 2, 4, 26, 256};
        alphabet_ = alphabets[random_() % 5];
        RandomCase c;
        for (std::size_t t = 0; t < texts; ++t) c.texts.push_back(text(length(random_() % 16 == 0 ? 5000 : 300)));
        std::set<std::pair<std::string, Place>> distinct;
        const std::size_t count = random_() % (count_max + 1);
        const std::size_t shortest = random_() % 3 == 0 ? 0 : random_() % 20;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string& from = c.texts[random_() % texts];
            const std::size_t size = shortest + length(random_() % 8 == 0 ? 200 : 24);
            std::string pattern =
                random_() % 2 == 0 || from.empty() ? text(size) : from.substr(random_() % from.size(), size);
            if (random_() % 8 == 0) pattern = from.substr(0, size);
            if (random_() % 8 == 0) pattern = from.substr(from.size() - std::min(size, from.size()));
            distinct.emplace(std::move(pattern), static_cast<Place>(random_() % 4 == 0 ? random_() % 3 : 0));
        }
        c.owned.assign(distinct.begin(), distinct.end());
        std::shuffle(c.owned.begin(), c.owned.end(), random_);
        c.views.assign(c.texts.begin(), c.texts.end());
        return c;
    }

private:
    std::size_t length(std::size_t most) {
        static constexpr std::size_t edges[] = {0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
        if (random_() % 3 == 0) return std::min(most, edges[random_() % std::size(edges)]);
        return random_() % (most + 1);
    }
    std::string text(std::size_t size) {
        std::string text(size, '\0');
        for (char& c : text)
            c = static_cast<char>(alphabet_ == 256 ? random_() % 256
                                                   : (alphabet_ > 4 ? 'a' : '0') + random_() % alphabet_);
        return text;
    }

    std::mt19937_64 random_;
    unsigned alphabet_ = 2;
};

// Distinct windows of eight bytes that have the same hash: what a word adds, the other takes away.
inline std::vector<std::string> windows_of_one_hash(std::size_t count) {
    std::vector<std::string> windows;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t words[] = {0x64636261u - i * window_multiplier(1), 0x68676665u + i * window_multiplier(0)};
        std::string window(sizeof words, '\0');
        std::memcpy(window.data(), words, sizeof words);
        windows.push_back(std::move(window));
    }
    return windows;
}

// The total number of texts to search; SLUICE_TEST_ROUNDS sets more than the test's own small number.
inline std::size_t rounds(std::size_t otherwise) {
    const char* asked = std::getenv("SLUICE_TEST_ROUNDS");
    return asked == nullptr ? otherwise : static_cast<std::size_t>(std::strtoull(asked, nullptr, 10));
}

}  // namespace sluice::substrings
