// The loops behind utf8.hpp for long texts, for each instruction set. Pure functions; any thread.
#pragma once

#include <cstddef>

#include "gpu/simd/instruction_set.hpp"

namespace sluice::bytes {

// What a text may consist of: see utf8_prefix() and xml_prefix().
struct Utf8 {};
struct XmlUtf8 {};

// `size` if all of the text is good; else a number of bytes from the beginning that are good characters, short of the
// first bad one by prefix_short_max or less. `size` is prefix_bytes_min or more; nothing else is read.
using Prefix = std::size_t (*)(const char* text, std::size_t size);
constexpr std::size_t prefix_bytes_min = 32;
constexpr std::size_t prefix_short_max = 64 + 3;

struct Utf8Kernels {
    Prefix utf8, xml;

    Prefix of(Utf8) const { return utf8; }
    Prefix of(XmlUtf8) const { return xml; }
};

const Utf8Kernels& utf8_kernels(simd::InstructionSet set);
const Utf8Kernels& utf8_kernels();  // of the best set

}  // namespace sluice::bytes
