// The loop of find_kernel.hpp for one kind of vector. In an unnamed namespace, because each file that includes this one
// is compiled for a different instruction set.
#pragma once

#include "protocol/bytes/find_kernel.hpp"

namespace sluice::bytes {
namespace {

template <class Set, class Vector>
std::size_t find_in_blocks(const char* text, std::size_t size) {
    std::size_t at = 0;
    for (; size - at >= Vector::width; at += Vector::width) {
        const auto found = Set::among(Vector::load(text + at)).mask();
        if (found != 0) return at + static_cast<std::size_t>(__builtin_ctzll(found));
    }
    if (at == size) return size;
    // Up to the end, from within what has been searched.
    const std::size_t last = size - Vector::width;
    const auto found = Set::among(Vector::load(text + last)).mask();
    return found != 0 ? last + static_cast<std::size_t>(__builtin_ctzll(found)) : size;
}

// The rest is left to the portable loop.
template <class Vector>
std::size_t find_exponent_in_blocks(const char* text, std::size_t size) {
    std::size_t at = 0;
    for (; size - at > Vector::width; at += Vector::width) {
        const Vector bytes = Vector::load(text + at), next = Vector::load(text + at + 1);
        const auto begins = next.is_digit() | next.is('+') | next.is('-') | next.is('\0');
        const auto found = ((bytes.is('e') | bytes.is('E')) & begins).mask();
        if (found != 0) return at + static_cast<std::size_t>(__builtin_ctzll(found));
    }
    return at + find_kernels(simd::InstructionSet::portable).exponent(text + at, size - at);
}

template <class Vector>
constexpr FindKernels find_kernels_of = {
    find_in_blocks<XmlTextEnd, Vector>,  find_in_blocks<XmlValueEnd, Vector>,
    find_in_blocks<AddressMark, Vector>, find_in_blocks<XmlValueResolved, Vector>,
    find_in_blocks<JsonQuote, Vector>,   find_in_blocks<JsonStringEnd, Vector>,
    find_in_blocks<JsonSpace, Vector>,   find_in_blocks<JsonEscaped, Vector>,
    find_in_blocks<JsonSpecial, Vector>, find_in_blocks<NotAscii, Vector>,
    find_in_blocks<NotXmlAscii, Vector>, find_exponent_in_blocks<Vector>,
};

}  // namespace
}  // namespace sluice::bytes
