#include "protocol/bytes/count.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/protocol/bytes/texts.hpp"

using namespace sluice;
using namespace sluice::bytes;

namespace {

template <class Set>
void check_count(std::string_view bytes) {
    std::mt19937 random(13);
    const auto make = [&](std::size_t size) { return random_text(size, bytes, 5, random); };
    for_each_place(make, [&](std::string_view text) {
        const auto expected = static_cast<std::size_t>(
            std::count_if(text.begin(), text.end(), [&](char c) { return bytes.find(c) != std::string_view::npos; }));
        for (const simd::InstructionSet set : simd::instruction_sets()) {
            const std::size_t count = count_kernels(set).of(Set())(text.data(), text.size());
            require_same(count, expected, text, simd::name_of(set));
        }
        require_same(count_in<Set>(text), expected, text, "best");
    });
}

}  // namespace

TEST_CASE("count_in: all instruction sets count alike, at every length and place") {
    check_count<CsvSeparator>(",;\t\n\r");
    check_count<JsonSeparator>(",:[{");
    check_count<SequenceMark>(">+");
}

TEST_CASE("count_xml_marks: tags by their first two characters") {
    CHECK(count_xml_marks("") == XmlMarks());
    CHECK(count_xml_marks("<") == XmlMarks{1, 0, 0});
    CHECK(count_xml_marks("</") == XmlMarks{0, 1, 0});
    CHECK(count_xml_marks("<a b='=' c=''>x</a><!-- -->") == XmlMarks{2, 1, 3});
}

TEST_CASE("count_xml_marks: all instruction sets count alike, at every length and place") {
    std::mt19937 random(14);
    const auto make = [&](std::size_t size) { return random_text(size, "<</=", 3, random); };
    for_each_place(make, [](std::string_view text) {
        const XmlMarks expected = count_kernels(simd::InstructionSet::portable).xml_marks(text.data(), text.size());
        for (const simd::InstructionSet set : simd::instruction_sets()) {
            const XmlMarks marks = count_kernels(set).xml_marks(text.data(), text.size());
            require_same(marks, expected, text, simd::name_of(set));
        }
        require_same(count_xml_marks(text), expected, text, "best");
    });
}
