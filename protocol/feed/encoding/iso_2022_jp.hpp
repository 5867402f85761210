// ISO-2022-JP: bytes below 0x80, which escape sequences turn from ASCII into Japanese and back. Any thread; an object
// serves one document.
#pragma once

#include <string_view>

#include "protocol/feed/encoding/encoding_steps.hpp"

namespace sluice::feed {

class Iso2022Jp {
public:
    explicit Iso2022Jp(const EncodingIndex& jis0208) : jis0208_(jis0208) {}

    // The next character or fault of the bytes, of which there is at least one; or an escape sequence, which is
    // neither.
    DecodedStep step(std::string_view rest);

private:
    enum class Set { ascii, roman, katakana, kanji };

    DecodedStep step_escape(std::string_view rest);
    DecodedStep step_kanji(std::string_view rest) const;

    const EncodingIndex& jis0208_;
    Set set_ = Set::ascii;
    // Nothing has been read since an escape sequence. Another one is a fault, or text that looks harmless to one reader
    // could say something to another.
    bool has_escaped_ = false;
};

}  // namespace sluice::feed
