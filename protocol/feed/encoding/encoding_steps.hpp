// One step of each decoder: reads one character, or one fault, from the beginning of the bytes that are left, of which
// there is at least one. They follow the WHATWG Encoding Standard, whose decoders go byte by byte and put back what
// belongs to the next character. Any thread; a decoder with a state (iso_2022_jp.hpp) serves one document.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/feed/encoding/encoding_index.hpp"

namespace sluice::feed {

struct DecodedStep {
    enum class Kind { character, fault, cut_off, nothing };

    Kind kind = Kind::fault;
    std::size_t length = 1;  // of the bytes read
    char32_t code = 0;
    char32_t mark = 0;  // a second character, if not 0

    static DecodedStep character(char32_t code, std::size_t length) { return {Kind::character, length, code}; }
    static DecodedStep fault(std::size_t length) { return {Kind::fault, length}; }
    // A fault because the bytes end inside a character. It takes all of them.
    static DecodedStep cut_off(std::string_view rest) { return {Kind::cut_off, rest.size()}; }
};

DecodedStep step_utf8(std::string_view rest);
DecodedStep step_utf16(std::string_view rest, bool is_big_endian);
DecodedStep step_utf32(std::string_view rest, bool is_big_endian);

// These get no ASCII.
DecodedStep step_big5(std::string_view rest, const EncodingIndex& big5);
DecodedStep step_euc_kr(std::string_view rest, const EncodingIndex& euc_kr);
DecodedStep step_euc_jp(std::string_view rest, const EncodingIndex& jis0208, const EncodingIndex& jis0212);
DecodedStep step_shift_jis(std::string_view rest, const EncodingIndex& jis0208);
DecodedStep step_gb18030(std::string_view rest, const EncodingIndex& gb18030, const EncodingIndex& ranges);

}  // namespace sluice::feed
