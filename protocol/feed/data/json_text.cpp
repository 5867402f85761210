#include "protocol/feed/data/json_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "protocol/bytes/copy.hpp"
#include "protocol/bytes/find.hpp"
#include "protocol/bytes/utf8.hpp"

namespace sluice::feed {

namespace {

// How an ASCII character is escaped; a size of 0: it isn't.
struct Escape {
    char text[7];
    std::uint8_t size;
};

constexpr Escape escape_of(unsigned char c) {
    constexpr char digits[] = "0123456789abcdef";
    if (!bytes::JsonEscaped::has(static_cast<char>(c))) return {};
    constexpr std::string_view short_ones = "\"\"\\\\\nn\rr\tt";  // each character, and how it is written
    for (std::size_t i = 0; i < short_ones.size(); i += 2)
        if (short_ones[i] == static_cast<char>(c)) return {{'\\', short_ones[i + 1]}, 2};
    return {{'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]}, 6};
}

constexpr std::array<Escape, 128> escapes = [] {
    std::array<Escape, 128> all{};
    for (unsigned char c = 0; c < 128; ++c) all[c] = escape_of(c);
    return all;
}();

// A string's comma, quotes and colon, and the next escape.
constexpr std::size_t string_extra_bytes = 4 + sizeof(Escape);

}  // namespace

void JsonWriter::grow(std::size_t bytes) {
    const std::size_t used = view().size();
    text_.resize(std::max(used + bytes, 2 * text_.size()));
    at_ = text_.data() + used;
    end_ = text_.data() + text_.size();
}

inline char* JsonWriter::copy(char* to, std::string_view text) {
    bytes::copy_text(to, text.data(), text.size());
    return to + text.size();
}

void JsonWriter::literal(std::string_view text) {
    make_room(1);
    separate();
    more(text);
    needs_comma_ = true;
}

void JsonWriter::more(std::string_view text) {
    make_room(text.size());
    at_ = copy(at_, text);
}

void JsonWriter::write_string(std::string_view text) {
    make_room(text.size() + string_extra_bytes);
    char* to = at_;
    if (needs_comma_) *to++ = ',';
    *to++ = '"';
    const std::size_t plain = bytes::find_in<bytes::JsonSpecial>(text);
    at_ = copy(to, text.substr(0, plain));
    if (plain < text.size()) write_special(text.substr(plain));
    *at_++ = '"';
}

void JsonWriter::write_special(std::string_view text) {
    std::size_t valid_end = 0;  // up to there, what is not ASCII is known to be UTF-8
    for (std::size_t at = 0;;) {
        const std::size_t end = at < valid_end ? bytes::find_in<bytes::JsonEscaped>(text.substr(0, valid_end), at)
                                               : bytes::find_in<bytes::JsonSpecial>(text, at);
        at_ = copy(at_, text.substr(at, end - at));
        at = end;
        if (at == text.size()) return;
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            const Escape& escape = escapes[static_cast<unsigned char>(text[at++])];
            std::memcpy(at_, &escape, sizeof escape);
            at_ += escape.size;
            make_room(text.size() - at + string_extra_bytes);
        } else if (at >= valid_end) {
            valid_end = at + bytes::utf8_prefix(text.substr(at));
            if (valid_end == at) {
                at_ = copy(at_, "\xEF\xBF\xBD");
                ++at;
                make_room(text.size() - at + string_extra_bytes);
            }
        }
    }
}

void append_json_string(std::string& json, std::string_view text) {
    JsonWriter writer(text.size() + 16);
    writer.string(text);
    json += writer.view();
}

}  // namespace sluice::feed
