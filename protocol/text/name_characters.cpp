#include "protocol/text/name_characters.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace sluice::text {

namespace {

struct Range {
    char32_t first, last;
};

constexpr Range name_start_ranges[] = {
    {'A', 'Z'},       {'_', '_'},       {'a', 'z'},       {0xC0, 0xD6},     {0xD8, 0xF6},
    {0xF8, 0x2FF},    {0x370, 0x37D},   {0x37F, 0x1FFF},  {0x200C, 0x200D}, {0x2070, 0x218F},
    {0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
};
constexpr Range name_only_ranges[] = {{'-', '.'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}};

template <std::size_t N>
bool within(char32_t c, const Range (&ranges)[N]) {
    return std::any_of(std::begin(ranges), std::end(ranges), [c](Range r) { return c >= r.first && c <= r.last; });
}

}  // namespace

bool is_name_start(char32_t c) { return within(c, name_start_ranges); }
bool is_name_char(char32_t c) { return is_name_start(c) || within(c, name_only_ranges); }

}  // namespace sluice::text
