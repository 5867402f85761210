#include "protocol/bytes/equal.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sluice::bytes;

TEST_CASE("are_equal: texts of any length → equal only if every byte is") {
    for (std::size_t size = 0; size < 40; ++size) {
        const std::string text(size, 'x'), same = text;
        CHECK(are_equal(text, same));
        CHECK_FALSE(are_equal(text, text + 'x'));
        CHECK_FALSE(are_equal(text + 'x', text));
        for (std::size_t i = 0; i < size; ++i) {
            std::string other = text;
            other[i] = '\xff';
            CHECK_FALSE(are_equal(text, other));
        }
    }
    CHECK(are_equal({}, ""));
}
