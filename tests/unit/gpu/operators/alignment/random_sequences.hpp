// Random sequences, pairs and schemes for the tests of alignments: unrelated and related sequences, of lengths around
// the widths of vectors, some of them empty.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "gpu/operators/alignment/many.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"
#include "gpu/operators/alignment/scheme/sequences.hpp"
#include "tests/support/rounds.hpp"

namespace sluice::alignment {

using Random = std::mt19937;

inline std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

using simd::instruction_sets;

// The repetitions of a random test: `usual`, times SLUICE_TEST_ROUNDS.
inline std::size_t test_rounds(std::size_t usual) {
    const char* factor = std::getenv("SLUICE_TEST_ROUNDS");
    return sluice::testing::fewer_if_sanitized(usual) * (factor != nullptr ? std::strtoul(factor, nullptr, 10) : 1);
}

inline std::vector<Code> random_sequence(Random& random, const Scheme& scheme, std::size_t length) {
    std::vector<Code> sequence(length);
    for (auto& code : sequence) code = static_cast<Code>(below(random, static_cast<std::size_t>(scheme.letters)));
    return sequence;
}

// Substitutions, insertions and deletions at one position in `every`, some of the gaps long.
inline std::vector<Code> mutated(Random& random, const Scheme& scheme, Codes sequence, std::size_t every) {
    std::vector<Code> result;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
        const std::size_t kind = below(random, every) == 0 ? below(random, 4) : 4;
        if (kind == 0) {
            i += below(random, 12);
        } else if (kind == 1) {
            const auto inserted = random_sequence(random, scheme, 1 + below(random, 12));
            result.insert(result.end(), inserted.begin(), inserted.end());
        } else if (kind < 4) {
            result.push_back(random_sequence(random, scheme, 1)[0]);
        } else {
            result.push_back(sequence[i]);
        }
    }
    return result;
}

inline Scheme random_scheme(Random& random) {
    const auto up_to = [&](std::size_t most) { return 1 + static_cast<int>(below(random, most)); };
    switch (below(random, 6)) {
        case 0:
            return Scheme::blosum62(up_to(20), up_to(5));
        case 1:
            return Scheme::blosum50();
        case 2:
            return Scheme::dna(up_to(5), -up_to(5), up_to(9), up_to(4));
        case 3:
            return Scheme::dna(up_to(1000), -up_to(1000), up_to(1000), up_to(1000));
        case 4:
            return Scheme::blosum62();
        default:
            return Scheme::dna();
    }
}

inline std::size_t random_length(Random& random, std::size_t most) {
    static constexpr std::size_t edges[] = {0,  1,  2,  3,  4,  5,  7,  8,   9,   15, 16,
                                            17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
    return std::min(below(random, 3) == 0 ? edges[below(random, std::size(edges))] : below(random, most + 1), most);
}

// `count` sequences up to about `longest` letters, half of them mutants of `ancestor`.
inline SequenceSet random_set(Random& random, const Scheme& scheme, std::size_t count, std::size_t longest,
                              Codes ancestor) {
    SequenceSet set;
    for (std::size_t i = 0; i < count; ++i) {
        const bool related = below(random, 2) == 0;
        set.add(related ? mutated(random, scheme, ancestor, 5 + below(random, 60))
                        : random_sequence(random, scheme, random_length(random, longest)));
    }
    return set;
}

// About `share` tenths of all pairs, in any order.
inline std::vector<Pair> random_pairs(Random& random, std::size_t queries, std::size_t texts, std::size_t share) {
    std::vector<Pair> pairs;
    for (std::uint32_t q = 0; q < queries; ++q) {
        for (std::uint32_t t = 0; t < texts; ++t) {
            if (below(random, 10) < share) pairs.push_back({q, t});
        }
    }
    std::shuffle(pairs.begin(), pairs.end(), random);
    return pairs;
}

}  // namespace sluice::alignment
