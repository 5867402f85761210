#include "protocol/bytes/copy.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/protocol/bytes/texts.hpp"

using namespace sluice::bytes;

TEST_CASE("copy_short, copy_text: copy the text and nothing else") {
    std::mt19937 random(17);
    const auto make = [&](std::size_t size) { return random_text(size, "<", 9, random); };
    for_each_place(make, [](std::string_view text) {
        std::string copy(text.size() + 2, '\0');
        copy_short(copy.data() + 1, text.data(), text.size());
        require_same(copy, '\0' + std::string(text) + '\0', text, "copy_short");
        copy.assign(text.size() + 2, '\0');
        copy_text(copy.data() + 1, text.data(), text.size());
        require_same(copy, '\0' + std::string(text) + '\0', text, "copy_text");
    });
}
