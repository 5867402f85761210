// The inner loops over bytes: those of every instruction set answer as a loop byte by byte does, for any text.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "protocol/bytes/copy.hpp"
#include "protocol/bytes/count.hpp"
#include "protocol/bytes/find.hpp"
#include "protocol/bytes/utf8.hpp"
#include "protocol/bytes/utf8_character.hpp"

namespace {

using namespace sluice;
using namespace sluice::bytes;

void expect(bool holds) {
    if (!holds) std::abort();
}

template <class Set>
void check_find(std::string_view text) {
    const std::size_t expected = find_byte_by_byte<Set>(text, 0);
    expect(find_in<Set>(text) == expected);
    if (expected < text.size()) expect(find_in<Set>(text, expected + 1) == find_byte_by_byte<Set>(text, expected + 1));
    if (text.size() < find_bytes_min) return;
    for (const simd::InstructionSet set : simd::instruction_sets())
        expect(find_kernels(set).of(Set())(text.data(), text.size()) == expected);
}

void check_exponents(std::string_view text) {
    const std::size_t expected = find_kernels(simd::InstructionSet::portable).exponent(text.data(), text.size());
    for (const simd::InstructionSet set : simd::instruction_sets())
        expect(find_kernels(set).exponent(text.data(), text.size()) == expected);
}

template <class Set>
void check_count(std::string_view text) {
    const std::size_t expected = count_kernels(simd::InstructionSet::portable).of(Set())(text.data(), text.size());
    for (const simd::InstructionSet set : simd::instruction_sets())
        expect(count_kernels(set).of(Set())(text.data(), text.size()) == expected);
}

void check_marks(std::string_view text) {
    const XmlMarks expected = count_kernels(simd::InstructionSet::portable).xml_marks(text.data(), text.size());
    for (const simd::InstructionSet set : simd::instruction_sets())
        expect(count_kernels(set).xml_marks(text.data(), text.size()) == expected);
}

template <class Rule>
void check_utf8(std::string_view text, std::size_t found) {
    const std::size_t expected = prefix_by_character<Rule>(text, 0);
    expect(found == expected);
    if (text.size() < prefix_bytes_min) return;
    for (const simd::InstructionSet set : simd::instruction_sets()) {
        const std::size_t prefix = utf8_kernels(set).of(Rule())(text.data(), text.size());
        expect(prefix <= expected && (prefix == text.size()) == (expected == text.size()));
        expect(prefix_by_character<Rule>(text, prefix) == expected && prefix + prefix_short_max >= expected);
    }
}

void check_copy(std::string_view text) {
    const std::unique_ptr<char[]> copy(new char[text.size()]);
    copy_short(copy.get(), text.data(), text.size());
    expect(std::string_view(copy.get(), text.size()) == text);
}

void check(std::string_view text) {
    check_find<XmlTextEnd>(text);
    check_find<XmlValueEnd>(text);
    check_find<AddressMark>(text);
    check_find<XmlValueResolved>(text);
    check_find<JsonQuote>(text);
    check_find<JsonStringEnd>(text);
    check_find<JsonSpace>(text);
    check_find<JsonEscaped>(text);
    check_find<JsonSpecial>(text);
    check_find<NotAscii>(text);
    check_find<NotXmlAscii>(text);
    check_exponents(text);
    check_count<CsvSeparator>(text);
    check_count<JsonSeparator>(text);
    check_count<SequenceMark>(text);
    check_marks(text);
    check_utf8<Utf8>(text, utf8_prefix(text));
    check_utf8<XmlUtf8>(text, xml_prefix(text));
    check_copy(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check(text);
    check(text.substr(size / 2));
    check(text.substr(0, size / 3));
    return 0;
}
