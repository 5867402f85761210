// A set of small numbers, one bit each. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::cpu {

class Bitmap {
public:
    explicit Bitmap(std::size_t size = 0) : words_((size + 63) / 64) {}

    bool test(std::size_t i) const { return (words_[i / 64] >> i % 64 & 1) != 0; }
    void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace sluice::cpu
