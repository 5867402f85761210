// Random events and predicates that are likely to hold for each other, for the tests of the mask kernels: few
// attributes, many values per event, and operands from the same small pools as the values. Views into static text.
#pragma once

#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "gpu/api/predicate.hpp"

namespace sluice::testing {

class RandomPredicates {
public:
    explicit RandomPredicates(std::uint32_t seed) : random_(seed) {}

    std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_); }
    bool chance(double p) { return std::bernoulli_distribution(p)(random_); }

    // Values of attributes below `attributes`, some of them several times.
    engine::EventBatch batch(std::size_t events, std::uint32_t attributes) {
        engine::EventBatch batch;
        for (std::size_t e = 0; e < events; ++e) {
            const std::uint32_t most = chance(0.05) ? 40 : 3;  // sometimes more than a tile of 128 values per word
            for (std::uint32_t a = 0; a < attributes; ++a) {
                for (std::uint32_t n = chance(0.3) ? below(most + 1) : below(2); n > 0; --n)
                    batch.values.push_back({a, text(), number()});
            }
            batch.end_event();
        }
        return batch;
    }

    engine::Predicate predicate(const std::string& attribute) {
        engine::Predicate p;
        p.attribute = attribute;
        p.op = static_cast<engine::Operator>(below(static_cast<std::uint32_t>(engine::Operator::scanned)));
        if (engine::is_numeric(p.op)) p.number = number();
        if (p.op != engine::Operator::exists && !engine::is_numeric(p.op)) {
            const std::string_view whole = text();
            const std::size_t begin = below(static_cast<std::uint32_t>(whole.size()) + 1);
            p.text = chance(0.5) ? whole : whole.substr(begin, below(20));
            if (chance(0.3)) p.text = whole.substr(0, begin);
        }
        return p;
    }

private:
    std::string_view text() {
        static const std::string huge(5000, 'x');
        static const std::vector<std::string_view> texts{
            "",
            "a",
            "b",
            "ab",
            "abc",
            "abcdefg",
            "abcdefgh",
            "abcdefghi",
            "bcdefghi",
            "abcdefghij",
            "politics",
            "politics and economics",
            "economics and politics",
            "ünïcöde",
            "日本",
            "😀",
            std::string_view("nul\0inside", 10),
            "aaaaaaaaaaaaaaaaaaab",
            huge,
        };
        return texts[below(static_cast<std::uint32_t>(texts.size() - (chance(0.9) ? 1 : 0)))];
    }
    double number() {
        using limits = std::numeric_limits<double>;
        static const std::vector<double> numbers{
            0.0,
            -0.0,
            1,
            -1,
            2,
            3,
            0.1,
            1e308,
            -1e308,
            limits::denorm_min(),
            -limits::denorm_min(),
            limits::max(),
            limits::infinity(),
            -limits::infinity(),
            limits::quiet_NaN(),
            1 + limits::epsilon(),
        };
        return numbers[below(static_cast<std::uint32_t>(numbers.size()))];
    }

    std::mt19937 random_;
};

}  // namespace sluice::testing
