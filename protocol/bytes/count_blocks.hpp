// The loops of count_kernel.hpp for one kind of vector; the rest of a text is left to the portable ones. In an unnamed
// namespace, because each file that includes this one is compiled for a different instruction set.
#pragma once

#include "protocol/bytes/count_kernel.hpp"

namespace sluice::bytes {
namespace {

template <class Mask>
std::size_t ones(Mask mask) {
    return static_cast<std::size_t>(__builtin_popcountll(mask));
}

template <class Set, class Vector>
std::size_t count_in_blocks(const char* text, std::size_t size) {
    std::size_t count = 0, at = 0;
    for (; size - at >= Vector::width; at += Vector::width) count += ones(Set::among(Vector::load(text + at)).mask());
    return count + count_kernels(simd::InstructionSet::portable).of(Set())(text + at, size - at);
}

template <class Vector>
XmlMarks xml_marks_in_blocks(const char* text, std::size_t size) {
    std::size_t all = 0, closing = 0, equals = 0, at = 0;
    for (; size - at > Vector::width; at += Vector::width) {
        const Vector bytes = Vector::load(text + at);
        const auto opens = bytes.is('<');
        all += ones(opens.mask());
        closing += ones((opens & Vector::load(text + at + 1).is('/')).mask());
        equals += ones(bytes.is('=').mask());
    }
    XmlMarks marks = count_kernels(simd::InstructionSet::portable).xml_marks(text + at, size - at);
    marks.opening += all - closing;
    marks.closing += closing;
    marks.equals += equals;
    return marks;
}

template <class Vector>
constexpr CountKernels count_kernels_of = {
    xml_marks_in_blocks<Vector>,
    count_in_blocks<CsvSeparator, Vector>,
    count_in_blocks<JsonSeparator, Vector>,
    count_in_blocks<SequenceMark, Vector>,
};

}  // namespace
}  // namespace sluice::bytes
