#include "protocol/bytes/count_kernel.hpp"

namespace sluice::bytes {

namespace {

template <class Set>
std::size_t count_byte_by_byte(const char* text, std::size_t size) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < size; ++at) count += Set::has(text[at]) ? 1u : 0u;
    return count;
}

XmlMarks xml_marks_byte_by_byte(const char* text, std::size_t size) {
    XmlMarks marks;
    for (std::size_t at = 0; at < size; ++at) {
        if (text[at] == '<') ++(at + 1 < size && text[at + 1] == '/' ? marks.closing : marks.opening);
        marks.equals += text[at] == '=' ? 1u : 0u;
    }
    return marks;
}

}  // namespace

namespace portable {
extern const CountKernels all_count_kernels{xml_marks_byte_by_byte, count_byte_by_byte<CsvSeparator>,
                                            count_byte_by_byte<JsonSeparator>, count_byte_by_byte<SequenceMark>};
}

}  // namespace sluice::bytes
