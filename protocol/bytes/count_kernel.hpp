// The loops behind count.hpp, for each instruction set; the portable ones, byte by byte, are the definition. Pure
// functions; any thread.
#pragma once

#include <cstddef>

#include "gpu/simd/instruction_set.hpp"
#include "protocol/bytes/byte_sets.hpp"

namespace sluice::bytes {

struct XmlMarks {
    std::size_t opening = 0;  // '<' without a '/' behind it
    std::size_t closing = 0;  // "</"
    std::size_t equals = 0;   // '='

    bool operator==(const XmlMarks&) const = default;
};

struct CountKernels {
    using Count = std::size_t (*)(const char* text, std::size_t size);

    XmlMarks (*xml_marks)(const char* text, std::size_t size);
    Count csv_separators, json_separators, sequence_marks;

    Count of(CsvSeparator) const { return csv_separators; }
    Count of(JsonSeparator) const { return json_separators; }
    Count of(SequenceMark) const { return sequence_marks; }
};

const CountKernels& count_kernels(simd::InstructionSet set);
const CountKernels& count_kernels();  // of the best set

}  // namespace sluice::bytes
