#include "gpu/simd/streaming_copy.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace sluice;

TEST_CASE("a streaming copy writes what memcpy writes, and nothing around it") {
    std::string from;
    for (int i = 0; i < 400; ++i) from += static_cast<char>(i * 7 + 1);
    for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 129u, 200u, 300u}) {
        for (std::size_t offset = 0; offset < 80; ++offset) {
            std::vector<char> to(500, 'x'), expected(500, 'x');
            simd::streaming_copy(to.data() + offset, from.data() + offset % 7, bytes);
            simd::streaming_fence();
            std::memcpy(expected.data() + offset, from.data() + offset % 7, bytes);
            CAPTURE(bytes, offset);
            CHECK((to == expected));
        }
    }
}
