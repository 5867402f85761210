// How often bytes of a set (byte_sets.hpp), or XML's marks, are in a text. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/bytes/byte_sets.hpp"
#include "protocol/bytes/count_kernel.hpp"

namespace sluice::bytes {

template <class Set>
std::size_t count_in(std::string_view text) {
    return count_kernels().of(Set())(text.data(), text.size());
}

inline XmlMarks count_xml_marks(std::string_view text) { return count_kernels().xml_marks(text.data(), text.size()); }

}  // namespace sluice::bytes
