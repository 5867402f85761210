#include "protocol/feed/data/json_text.hpp"

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

// Appends to a string what comes in many small pieces, some at a time.
class ShortPieces {
public:
    explicit ShortPieces(std::string& to) : to_(to) {}

    void add(char c) {
        if (used_ == room_) flush();
        bytes_[used_++] = c;
    }
    void add(std::string_view piece) {
        if (piece.size() > room_ / 2) {
            flush();
            to_ += piece;
            return;
        }
        if (piece.size() > room_ - used_) flush();
        bytes::copy_short(bytes_ + used_, piece.data(), piece.size());
        used_ += piece.size();
    }
    void add_escaped(char c) {
        const Escape& escape = escapes[static_cast<unsigned char>(c)];
        if (sizeof escape.text > room_ - used_) flush();
        std::memcpy(bytes_ + used_, escape.text, sizeof escape.text);
        used_ += escape.size;
    }
    void flush() {
        if (used_ > 0) to_.append(bytes_, used_);
        used_ = 0;
    }

private:
    static constexpr std::size_t room_ = 256;

    std::string& to_;
    std::size_t used_ = 0;
    char bytes_[room_];
};

}  // namespace

void append_json_string(std::string& json, std::string_view text) { append_json_string(json, text, false, false); }

void append_json_string(std::string& json, std::string_view text, bool has_comma, bool has_colon) {
    ShortPieces pieces(json);
    if (has_comma) pieces.add(',');
    pieces.add('"');
    std::size_t valid_end = 0;  // up to there, what is not ASCII is known to be UTF-8
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = at < valid_end ? bytes::find_in<bytes::JsonEscaped>(text.substr(0, valid_end), at)
                                               : bytes::find_in<bytes::JsonSpecial>(text, at);
        pieces.add(text.substr(at, end - at));
        at = end;
        if (at == text.size()) break;
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            pieces.add_escaped(text[at++]);
        } else if (at >= valid_end) {
            valid_end = at + bytes::utf8_prefix(text.substr(at));
            if (valid_end == at) {
                pieces.add("\xEF\xBF\xBD");
                ++at;
            }
        }
    }
    pieces.add('"');
    if (has_colon) pieces.add(':');
    pieces.flush();
}

}  // namespace sluice::feed
