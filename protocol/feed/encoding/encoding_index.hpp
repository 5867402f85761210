// The index tables of the WHATWG Encoding Standard: which character a pointer means, a number that is computed from a
// character's bytes. Any thread. A table is built when it is first wanted, in a few milliseconds, and then kept (35 to
// 160 KiB, 512 bytes where a character is one byte): iconv decodes the bytes of each pointer, and what the standard
// says otherwise is corrected (encoding_corrections.hpp). So iconv decides no more than single characters. The tests
// compare the tables with the standard's, all of them and whole.
#pragma once

#include <string_view>
#include <vector>

namespace sluice::feed {

// By pointer; 0 where the standard has no character.
using EncodingIndex = std::vector<char32_t>;

// `name`: a single-byte encoding of the standard, for its bytes from 0x80; or one of the indexes "Big5", "EUC-KR",
// "gb18030", "gb18030-ranges" (the characters below U+10000 that are four bytes), "jis0208", "jis0212". Null if there
// is none of that name, or if iconv lacks the charset that it is built from.
const EncodingIndex* encoding_index(std::string_view name);

// The same for single-byte encodings alone.
const EncodingIndex* single_byte_index(std::string_view encoding);

}  // namespace sluice::feed
