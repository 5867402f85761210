// The loops behind find_in (find.hpp) for long texts, for each instruction set. Pure functions; any thread.
#pragma once

#include <cstddef>

#include "gpu/simd/instruction_set.hpp"
#include "protocol/bytes/byte_sets.hpp"

namespace sluice::bytes {

// The place of the first byte of the set, or `size`. `size` is find_bytes_min or more; nothing else is read.
using Find = std::size_t (*)(const char* text, std::size_t size);
constexpr std::size_t find_bytes_min = 64;

struct FindKernels {
    Find xml_text_end, xml_value_end, address_mark, xml_value_resolved, json_quote, json_string_end, json_space,
        json_escaped, json_special, not_ascii, not_xml_ascii;

    // See find_exponent. Texts of any size.
    Find exponent;

    Find of(XmlTextEnd) const { return xml_text_end; }
    Find of(XmlValueEnd) const { return xml_value_end; }
    Find of(AddressMark) const { return address_mark; }
    Find of(XmlValueResolved) const { return xml_value_resolved; }
    Find of(JsonQuote) const { return json_quote; }
    Find of(JsonStringEnd) const { return json_string_end; }
    Find of(JsonSpace) const { return json_space; }
    Find of(JsonEscaped) const { return json_escaped; }
    Find of(JsonSpecial) const { return json_special; }
    Find of(NotAscii) const { return not_ascii; }
    Find of(NotXmlAscii) const { return not_xml_ascii; }
};

const FindKernels& find_kernels(simd::InstructionSet set);
const FindKernels& find_kernels();  // of the best set

}  // namespace sluice::bytes
