#include "protocol/bytes/utf8.hpp"

#include <catch2/catch.hpp>

#include "protocol/bytes/utf8_character.hpp"
#include "tests/unit/protocol/bytes/texts.hpp"

using namespace sluice;
using namespace sluice::bytes;

namespace {

template <class Rule>
void check_prefix(std::string_view text, std::size_t found) {
    const std::size_t expected = prefix_by_character<Rule>(text, 0);
    require_same(found, expected, text, "best");
    if (text.size() < prefix_bytes_min) return;
    for (const simd::InstructionSet set : simd::instruction_sets()) {
        const std::size_t prefix = utf8_kernels(set).of(Rule())(text.data(), text.size());
        const bool is_all = prefix == text.size(), is_close = prefix + prefix_short_max >= expected;
        require_same(is_all, expected == text.size(), text, simd::name_of(set));
        require_same(is_close && prefix <= expected, true, text, simd::name_of(set));
        require_same(prefix_by_character<Rule>(text, prefix), expected, text, simd::name_of(set));
    }
}

void check_prefixes(std::string_view text) {
    check_prefix<Utf8>(text, utf8_prefix(text));
    check_prefix<XmlUtf8>(text, xml_prefix(text));
}

// Characters of each size, at the limits of what is allowed, and now and then a damaged or forbidden one.
std::string random_utf8(std::size_t size, unsigned ascii_in_8, unsigned damaged_one_in, std::mt19937& random) {
    using namespace std::string_view_literals;
    static constexpr std::string_view good[] = {"\u0080", "é",          "я",          "߿",        "ࠀ",      "€",
                                                "中",     "\uD7FF",     "\uE000",     "\uFFFD",    "\uFFEF", "𐀀",
                                                "😀",      "\U000FFFFF", "\U0010FFFF", "\U0001FFFE"};
    static constexpr std::string_view bad[] = {"\x80",
                                               "\xBF\xBF",
                                               "\xC0\x80",
                                               "\xC1\xBF",
                                               "\xC3",
                                               "\xE0\x80\x80",
                                               "\xE0\x9F\xBF",
                                               "\xE2\x82",
                                               "\xED\xA0\x80",
                                               "\xED\xBF\xBF",
                                               "\xEF\xBF\xBE",
                                               "\xEF\xBF\xBF",
                                               "\xF0\x9F\x98",
                                               "\xF0\x80\x80\x80",
                                               "\xF0\x8F\xBF\xBF",
                                               "\xF4\x90\x80\x80",
                                               "\xF5\x80\x80",
                                               "\xFE",
                                               "\xFF",
                                               "\x01",
                                               "\0"sv,
                                               "\x1F",
                                               "\x7F",
                                               "\xF8\x88\x80\x80"};
    std::string text;
    while (text.size() < size) {
        if (random() % damaged_one_in == 0)
            text += bad[random() % std::size(bad)];
        else if (random() % 8 < ascii_in_8)
            text += "\t\n\r aZ~<"[random() % 8];
        else
            text += good[random() % std::size(good)];
    }
    return text.substr(0, size);
}

}  // namespace

TEST_CASE("utf8_prefix: all instruction sets agree with the definition, at every length and place") {
    std::mt19937 random(15);
    for (const unsigned ascii_in_8 : {0u, 4u, 7u, 8u}) {
        for (const unsigned damaged_one_in : {20u, 10'000u}) {
            const auto make = [&](std::size_t size) { return random_utf8(size, ascii_in_8, damaged_one_in, random); };
            for_each_place(make, check_prefixes);
        }
    }
}

TEST_CASE("utf8_prefix: any two bytes, where blocks meet and elsewhere") {
    for (unsigned pair = 0; pair < 0x10000; pair += pair < 0x8000 ? 37 : 1) {
        for (const std::size_t at : {0u, 30u, 31u, 63u, 98u}) {
            std::string text(100, 'x');
            text[at] = static_cast<char>(pair >> 8);
            text[at + 1] = static_cast<char>(pair);
            if (at + 3 < text.size()) text[at + 2] = text[at + 3] = '\x85';
            check_prefixes(text);
        }
    }
}

TEST_CASE("utf8_prefix: long texts with one fault") {
    std::mt19937 random(16);
    for (int i = 0; i < 3000; ++i) {
        std::string text = random_utf8(500 + random() % 500, static_cast<unsigned>(i % 9), 1u << 30, random);
        check_prefixes(text);
        text[random() % text.size()] = static_cast<char>(random());
        check_prefixes(text);
    }
}
