#include "broker/core/delivery/pieces.hpp"

#include <catch2/catch.hpp>

using sluice::broker::Pieces;

TEST_CASE("pieces are in order, what is shared stays where it is, and neighbours that are copied are one") {
    const std::string shared = "shared";
    Pieces pieces;
    pieces.share("");
    pieces.copy("");
    pieces.copy("a");
    for (int i = 0; i < 1'000; ++i) pieces.copy("b");  // which moves what was copied before
    pieces.share(shared);
    pieces.share(shared);
    pieces.copy("c");
    CHECK(pieces.size() == 4);
    CHECK(pieces.bytes() == 1'001 + 2 * shared.size() + 1);
    std::vector<std::string_view> texts;
    pieces.each([&](std::string_view text) { texts.push_back(text); });
    const std::string copied = "a" + std::string(1'000, 'b');
    CHECK(texts == std::vector<std::string_view>{copied, "shared", "shared", "c"});
    CHECK(texts[1].data() == shared.data());
}
