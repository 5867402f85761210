#include "protocol/bytes/find.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/protocol/bytes/texts.hpp"

using namespace sluice;
using namespace sluice::bytes;

namespace {

template <class Set>
void check_found(std::string_view text) {
    const std::size_t expected = find_byte_by_byte<Set>(text, 0);
    require_same(find_in<Set>(text), expected, text, "in place");
    if (text.size() < find_bytes_min) return;
    for (const simd::InstructionSet set : simd::instruction_sets()) {
        const std::size_t found = find_kernels(set).of(Set())(text.data(), text.size());
        require_same(found, expected, text, simd::name_of(set));
    }
}

template <class Set>
void check_find(std::string_view bytes) {
    std::mt19937 random(11);
    for (const unsigned one_in : {2u, 30u, 300u}) {
        const auto make = [&](std::size_t size) { return random_text(size, bytes, one_in, random); };
        for_each_place(make, check_found<Set>);
    }
    for (int c = 0; c < 256; ++c) {
        std::string text(100, 'x');
        text[80] = static_cast<char>(c);
        check_found<Set>(text);
        check_found<Set>(std::string_view(text).substr(60, 21));
        check_found<Set>(std::string_view(text).substr(75, 9));
        CHECK(Set::has(static_cast<char>(c)) == (bytes.find(static_cast<char>(c)) != std::string_view::npos));
    }
}

std::string controls() {
    std::string bytes = "\"\\\x7f";
    for (char c = 0; c < 0x20; ++c) bytes += c;
    return bytes;
}

std::string forbidden_controls() {
    std::string bytes;
    for (char c = 0; c < 0x20; ++c)
        if (c != '\t' && c != '\n' && c != '\r') bytes += c;
    return bytes;
}

std::string not_ascii() {
    std::string bytes;
    for (int c = 0x80; c < 0x100; ++c) bytes += static_cast<char>(c);
    return bytes;
}

}  // namespace

TEST_CASE("find_in: all instruction sets find the first byte of a set, at every length and place") {
    using namespace std::string_view_literals;
    check_find<XmlTextEnd>("<&]\r\0"sv);
    check_find<XmlValueEnd>("<&\"'\t\r\n\0"sv);
    check_find<AddressMark>(":?");
    check_find<XmlValueResolved>("&\t\r\n");
    check_find<JsonQuote>("\"\\");
    check_find<JsonStringEnd>(controls().erase(2, 1));
    check_find<JsonSpace>("\" \t\n\r");
    check_find<JsonEscaped>(controls());
    check_find<JsonSpecial>(controls() + not_ascii());
    check_find<NotAscii>(not_ascii());
    check_find<NotXmlAscii>(forbidden_controls() + not_ascii());
}

TEST_CASE("find_exponent: all instruction sets find the same, at every length and place") {
    using namespace std::string_view_literals;
    std::mt19937 random(18);
    for (const unsigned one_in : {2u, 10u}) {
        const auto make = [&](std::size_t size) { return random_text(size, "eE+-019/:\0"sv, one_in, random); };
        for_each_place(make, [](std::string_view text) {
            const std::size_t expected =
                find_kernels(simd::InstructionSet::portable).exponent(text.data(), text.size());
            require_same(find_exponent(text, 0), expected, text, "best");
            for (const simd::InstructionSet set : simd::instruction_sets()) {
                const std::size_t found = find_kernels(set).exponent(text.data(), text.size());
                require_same(found, expected, text, simd::name_of(set));
            }
        });
    }
    for (const std::string_view text : {"", "e", "E", "ee", "1e/", "1e:", "sea"})
        CHECK(find_exponent(text, 0) == text.size());
    for (const std::string_view text : {"xe0"sv, "xE9"sv, "xe+"sv, "xe-"sv, "xe\0"sv, "eE1"sv})
        CHECK(find_exponent(text, 0) == 1);
    CHECK(find_exponent("1e5, 2e7", 2) == 6);
}

TEST_CASE("find_in: searches from a place on") {
    std::mt19937 random(12);
    for (std::size_t size = 0; size <= 300; size = size < 100 ? size + 1 : size + 37) {
        const std::string text = random_text(size, "<&", 70, random);
        for (std::size_t at = 0; at <= size; ++at) {
            const std::size_t found = find_in<XmlTextEnd>(text, at);
            require_same(found, find_byte_by_byte<XmlTextEnd>(text, at), text, "in place");
        }
    }
}
