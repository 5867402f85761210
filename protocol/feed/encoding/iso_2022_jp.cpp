#include "protocol/feed/encoding/iso_2022_jp.hpp"

#include <algorithm>
#include <iterator>

namespace sluice::feed {

namespace {

constexpr char escape = '\x1B';

bool is_jis_byte(char c) { return c >= 0x21 && c <= 0x7E; }

}  // namespace

DecodedStep Iso2022Jp::step_escape(std::string_view rest) {
    struct Sequence {
        std::string_view bytes;
        Set set;
    };
    static constexpr Sequence sequences[] = {{"\x1B(B", Set::ascii},
                                             {"\x1B(J", Set::roman},
                                             {"\x1B(I", Set::katakana},
                                             {"\x1B$@", Set::kanji},
                                             {"\x1B$B", Set::kanji}};
    for (const Sequence& sequence : sequences) {
        if (!rest.starts_with(sequence.bytes)) continue;
        set_ = sequence.set;
        const bool is_second = has_escaped_;
        has_escaped_ = true;
        if (is_second) return DecodedStep::fault(3);
        return {DecodedStep::Kind::nothing, 3};
    }
    has_escaped_ = false;
    const bool is_cut_off = std::any_of(std::begin(sequences), std::end(sequences),
                                        [&](const Sequence& s) { return s.bytes.starts_with(rest); });
    return {is_cut_off ? DecodedStep::Kind::cut_off : DecodedStep::Kind::fault, 1};
}

DecodedStep Iso2022Jp::step_kanji(std::string_view rest) const {
    if (!is_jis_byte(rest[0])) return DecodedStep::fault(1);
    if (rest.size() < 2) return DecodedStep::cut_off(rest);
    if (rest[1] == escape) return DecodedStep::fault(1);
    if (!is_jis_byte(rest[1])) return DecodedStep::fault(2);
    const std::size_t pointer = static_cast<std::size_t>((rest[0] - 0x21) * 94 + rest[1] - 0x21);
    const char32_t code = jis0208_[pointer];
    return code != 0 ? DecodedStep::character(code, 2) : DecodedStep::fault(2);
}

DecodedStep Iso2022Jp::step(std::string_view rest) {
    if (rest[0] == escape) return step_escape(rest);
    has_escaped_ = false;
    const auto byte = static_cast<unsigned char>(rest[0]);
    if (set_ == Set::kanji) return step_kanji(rest);
    if (set_ == Set::katakana) {
        if (byte < 0x21 || byte > 0x5F) return DecodedStep::fault(1);
        return DecodedStep::character(0xFF61 - 0x21 + byte, 1);
    }
    if (byte >= 0x80 || byte == 0x0E || byte == 0x0F) return DecodedStep::fault(1);
    if (set_ == Set::roman && byte == '\\') return DecodedStep::character(0xA5, 1);
    if (set_ == Set::roman && byte == '~') return DecodedStep::character(0x203E, 1);
    return DecodedStep::character(byte, 1);
}

}  // namespace sluice::feed
