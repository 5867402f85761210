#include "gpu/operators/substrings/filter_kernel.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <vector>

using namespace sluice::substrings;

namespace {

// A separate copy in memory, so that an address sanitizer sees reads beyond it.
struct Text {
    Text(std::size_t length, std::mt19937& random) : bytes(new char[length]), size(length) {
        std::generate_n(bytes.get(), size, [&] { return static_cast<char>('0' + random() % 4); });
    }
    std::unique_ptr<char[]> bytes;
    std::size_t size;
};

template <class Filter>
std::vector<std::uint32_t> places(FilterScan<Filter> scan, const Filter& filter, const Text& text, std::size_t begin,
                                  std::size_t end) {
    std::vector<std::uint32_t> found(end - begin + places_slack);
    found.resize(scan(filter, text.bytes.get(), text.size, begin, end, found.data()));
    return found;
}

}  // namespace

TEST_CASE("filter kernels: grams whose bit is set are let through, by every instruction set") {
    std::mt19937 random(1);
    std::vector<std::uint32_t> bitmap(1 << 5);
    for (std::uint32_t& word : bitmap) word = static_cast<std::uint32_t>(random() & random());
    for (const std::size_t size : {1u, 4u, 16u, 17u, 63u, 64u, 65u, 79u, 80u, 130u, 300u}) {
        const Text text(size, random);
        for (std::uint32_t bytes = 1; bytes <= std::min<std::size_t>(window_bytes_max, size); ++bytes) {
            for (const std::uint32_t stride : {1u, 2u, 4u}) {
                const GramFilter filter{window_shape(bytes), stride, 22, bitmap.data()};
                for (const std::size_t begin : {std::size_t{0}, (size - bytes) / 2 / stride * stride}) {
                    const std::size_t end = size - bytes + 1;
                    std::vector<std::uint32_t> expected;
                    for (std::size_t at = begin; at < end; at += stride) {
                        const auto bit = window_hash(filter.gram, &text.bytes[at]) >> 22;
                        if ((bitmap[bit / 32] >> bit % 32) & 1) expected.push_back(static_cast<std::uint32_t>(at));
                    }
                    for (const auto set : sluice::simd::instruction_sets()) {
                        CAPTURE(sluice::simd::name_of(set), size, bytes, stride, begin);
                        REQUIRE(places(filter_kernels(set).grams, filter, text, begin, end) == expected);
                    }
                }
            }
        }
    }
}

TEST_CASE("filter kernels: windows of the sets are let through, by every instruction set") {
    std::mt19937 random(2);
    for (const std::size_t size : {8u, 31u, 33u, 39u, 40u, 50u, 63u, 64u, 71u, 72u, 200u}) {
        const Text text(size, random);
        for (std::uint32_t bytes = 1; bytes <= ByteFilter::bytes_max; ++bytes) {
            ByteFilter filter;
            filter.bytes = bytes;
            const std::size_t end = size - bytes + 1;
            const std::size_t window = random() % end;  // a window of the text: must pass the filter at any position
            for (std::uint32_t k = 0; k < bytes; ++k) {
                const auto c = static_cast<unsigned char>(text.bytes[window + k]);
                filter.by_low_bits[k][c & 63] = filter.by_low_half[k][c & 15] = filter.by_high_half[k][c >> 4] = 4;
            }
            for (const std::size_t begin : {std::size_t{0}, end / 4}) {
                std::vector<std::uint32_t> expected;
                for (std::size_t at = begin; at < end; ++at) {
                    if (std::equal(&text.bytes[at], &text.bytes[at] + bytes, &text.bytes[window]))
                        expected.push_back(static_cast<std::uint32_t>(at));
                }
                for (const auto set : sluice::simd::instruction_sets()) {
                    CAPTURE(sluice::simd::name_of(set), size, bytes, begin);
                    REQUIRE(places(filter_kernels(set).bytes, filter, text, begin, end) == expected);
                }
            }
        }
    }
}
