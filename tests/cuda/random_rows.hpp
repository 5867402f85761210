// Random rows of literal numbers, masks for them, and the expected hits: for tests of the cluster kernels.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "gpu/cuda/clusters/cluster_match.hpp"
#include "tests/support/seed.hpp"

namespace sluice::testing {

struct Row {
    std::uint32_t target = 0;
    std::vector<std::uint32_t> literals;
    std::uint32_t access = cuda::literal_true;

    cuda::ClusterRow view() const { return {target, literals, access}; }
};

using Hits = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;  // (target, word): events

class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(static_cast<std::uint32_t>(testing::seed(seed))) {}
    std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(engine_); }
    std::uint32_t bits() { return static_cast<std::uint32_t>(engine_()); }
    bool chance(double p) { return std::bernoulli_distribution(p)(engine_); }

private:
    std::mt19937 engine_;
};

// Masks of literals that seldom, sometimes, nearly always and always hold, so that rows of any length may hold.
struct Masks {
    std::uint32_t literals, stride, words;
    std::vector<std::uint32_t> host;
    cuda::DeviceBuffer<std::uint32_t> device;

    Masks(Random& random, std::uint32_t literal_count, std::uint32_t word_count)
        : literals(literal_count), stride((literal_count + 31) / 32 * 32), words(word_count), host(stride * words) {
        for (std::uint32_t w = 0; w < words; ++w) {
            const std::uint32_t valid = w + 1 < words ? ~0u : ~0u >> random.below(32);
            host[w * stride + cuda::literal_true] = valid;
            for (std::uint32_t i = 2; i < literals; ++i) {
                const std::uint32_t kind = i * 2654435761u >> 29;
                std::uint32_t mask = random.bits();
                if (kind == 0) mask &= random.bits() & random.bits() & random.bits() & random.bits();
                if (kind == 2) mask |= random.bits() | random.bits() | random.bits() | random.bits();
                if (kind > 2) mask = ~0u;
                host[w * stride + i] = mask & valid;
            }
        }
        device = cuda::to_device(std::span<const std::uint32_t>(host));
    }
    cuda::MaskView view() const { return {device.data(), stride}; }
};

inline Row random_row(Random& random, std::uint32_t literals, std::uint32_t target) {
    static const std::vector<std::uint32_t> sizes{0,  1,  2,  3,  4,  5,   6,   7,   8,   9,   15,  16,  17, 31,
                                                  32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513};
    Row row{target, std::vector<std::uint32_t>(sizes[random.below(random.chance(0.9) ? 15 : 27)])};
    const bool likely = random.chance(0.7);
    for (std::uint32_t& literal : row.literals) {
        do literal = random.below(literals);
        while (likely && literal > 1 && literal * 2654435761u >> 29 < 3 && random.chance(0.95));
    }
    if (literals > 2 && random.chance(0.3)) row.access = 2 + random.below(std::min(literals - 2, 20u));
    return row;
}

inline Hits expected_hits(const std::vector<Row>& rows, const Masks& masks) {
    Hits hits;
    for (const Row& row : rows) {
        for (std::uint32_t w = 0; w < masks.words; ++w) {
            const std::uint32_t* word = &masks.host[w * masks.stride];
            std::uint32_t events = word[cuda::literal_true] & word[row.access];
            for (const std::uint32_t literal : row.literals) events &= word[literal];
            if (events != 0) hits[{row.target, w}] |= events;
        }
    }
    return hits;
}

// The list on the device, and back.
class List {
public:
    explicit List(std::uint32_t capacity) : hits_(capacity), count_(1) {
        cuda::check(cudaMemset(count_.data(), 0, 4), "cudaMemset");
        cuda::check(cudaMemset(hits_.data(), 0xee, hits_.bytes()), "cudaMemset");
        cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // streams that don't block would not wait
    }
    cuda::HitList view() const { return {hits_.data(), static_cast<std::uint32_t>(hits_.size()), count_.data()}; }
    std::uint32_t count() const {
        std::uint32_t n = 0;
        cuda::check(cudaMemcpy(&n, count_.data(), 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
        return n;
    }
    // Each (target, word) must occur once.
    Hits hits() const {
        std::vector<cuda::Hit> all(std::min<std::size_t>(count(), hits_.size()));
        if (!all.empty())
            cuda::check(cudaMemcpy(all.data(), hits_.data(), all.size() * sizeof(cuda::Hit), cudaMemcpyDeviceToHost),
                        "cudaMemcpy");
        Hits hits;
        for (const cuda::Hit& hit : all) {
            REQUIRE(hit.events != 0);
            REQUIRE(hits.emplace(std::pair(hit.target(), hit.word()), hit.events).second);
        }
        return hits;
    }

private:
    cuda::DeviceBuffer<cuda::Hit> hits_;
    cuda::DeviceBuffer<std::uint32_t> count_;
};

inline std::vector<cuda::ClusterRow> views(const std::vector<Row>& rows) {
    std::vector<cuda::ClusterRow> all;
    for (const Row& row : rows) all.push_back(row.view());
    return all;
}

}  // namespace sluice::testing
