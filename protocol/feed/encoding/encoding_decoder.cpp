#include "protocol/feed/encoding/encoding_decoder.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "protocol/feed/encoding/encoding_index.hpp"
#include "protocol/feed/encoding/encoding_label.hpp"
#include "protocol/feed/encoding/encoding_steps.hpp"
#include "protocol/feed/encoding/iconv_text.hpp"
#include "protocol/feed/encoding/iso_2022_jp.hpp"
#include "protocol/feed/encoding/windows_1252.hpp"

namespace sluice::feed {

namespace {

std::size_t ascii_length(std::string_view bytes) {
    std::size_t length = 0;
    for (; bytes.size() - length >= 8; length += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + length, sizeof word);
        if (word & 0x8080808080808080u) break;
    }
    while (length < bytes.size() && static_cast<unsigned char>(bytes[length]) < 0x80) ++length;
    return length;
}

// Takes what a decoder reads, in blocks: appending each character to the text by itself takes twice the time.
class DecodedText {
public:
    DecodedText(std::size_t bytes_max, OnFault on_fault, Decoded& decoded)
        : bytes_max_(bytes_max), on_fault_(on_fault), decoded_(decoded) {}

    // False if reading ends.
    bool add_ascii(std::string_view text) {
        if (text.size() > block_.size() - used_) {
            if (!flush()) return false;
            if (text.size() > block_.size()) {
                decoded_.text += text;
                return flush();
            }
        }
        std::copy(text.begin(), text.end(), block_.begin() + static_cast<std::ptrdiff_t>(used_));
        used_ += text.size();
        return true;
    }

    // The same; `offset` is where the step's bytes began.
    bool add(const DecodedStep& step, std::size_t offset) {
        if (block_.size() - used_ < 8 && !flush()) return false;
        if (step.kind == DecodedStep::Kind::character) {
            put(step.code);
            decoded_.characters += step.code >= 0x80 ? 1 : 0;
            if (step.mark == 0) return true;
            put(step.mark);
            ++decoded_.characters;
        } else if (step.kind != DecodedStep::Kind::nothing) {
            note_fault(decoded_, {offset, decoded_.text.size() + used_}, step.kind == DecodedStep::Kind::cut_off);
            if (on_fault_ == OnFault::stop) return false;
            put(0xFFFD);
        }
        return true;
    }

    // Called at the end, too.
    bool flush() {
        decoded_.text.append(block_.data(), used_);
        used_ = 0;
        decoded_.is_too_large = decoded_.text.size() > bytes_max_;
        return !decoded_.is_too_large;
    }

private:
    void put(char32_t code) {
        char* out = block_.data() + used_;
        const auto put_bytes = [&](auto... bytes) {
            ((*out++ = static_cast<char>(bytes)), ...);
            used_ += sizeof...(bytes);
        };
        const auto continuation = [&](unsigned shift) { return 0x80 | (code >> shift & 0x3F); };
        if (code < 0x80)
            put_bytes(code);
        else if (code < 0x800)
            put_bytes(0xC0 | code >> 6, continuation(0));
        else if (code < 0x10000)
            put_bytes(0xE0 | code >> 12, continuation(6), continuation(0));
        else
            put_bytes(0xF0 | code >> 18, continuation(12), continuation(6), continuation(0));
    }

    std::size_t bytes_max_;
    OnFault on_fault_;
    Decoded& decoded_;
    std::size_t used_ = 0;
    std::array<char, 4096> block_;
};

template <typename Step>
void read_steps(std::string_view bytes, DecodedText& text, Step step) {
    for (std::size_t at = 0; at < bytes.size();) {
        const DecodedStep read = step(bytes.substr(at));
        if (!text.add(read, at)) return;
        at += read.length;
    }
}

// For encodings in which ASCII is ASCII wherever a character may begin.
template <typename Step>
void read_steps_beside_ascii(std::string_view bytes, DecodedText& text, Step step) {
    for (std::size_t at = 0; at < bytes.size();) {
        if (static_cast<unsigned char>(bytes[at]) < 0x80) {
            const std::size_t length = ascii_length(bytes.substr(at));
            if (!text.add_ascii(bytes.substr(at, length))) return;
            at += length;
            continue;
        }
        const DecodedStep read = step(bytes.substr(at));
        if (!text.add(read, at)) return;
        at += read.length;
    }
}

template <typename CharacterOf>
void read_single_bytes(std::string_view bytes, DecodedText& text, CharacterOf character_of) {
    read_steps_beside_ascii(bytes, text, [&](std::string_view rest) {
        const char32_t code = character_of(static_cast<unsigned char>(rest[0]));
        return code != 0 ? DecodedStep::character(code, 1) : DecodedStep::fault(1);
    });
}

bool read_unicode(std::string_view bytes, std::string_view encoding, DecodedText& text) {
    const bool is_big_endian = encoding.ends_with("BE");
    if (encoding == utf8_encoding)
        read_steps_beside_ascii(bytes, text, step_utf8);
    else if (encoding.starts_with("UTF-16"))
        read_steps(bytes, text, [&](std::string_view rest) { return step_utf16(rest, is_big_endian); });
    else if (encoding.starts_with("UTF-32"))
        read_steps(bytes, text, [&](std::string_view rest) { return step_utf32(rest, is_big_endian); });
    else
        return false;
    return true;
}

bool read_single_byte_encoding(std::string_view bytes, std::string_view encoding, DecodedText& text) {
    if (encoding == latin1_encoding) {
        read_single_bytes(bytes, text, windows_1252_character);
    } else if (encoding == "x-user-defined") {
        read_single_bytes(bytes, text, [](unsigned char byte) -> char32_t { return 0xF780u - 0x80u + byte; });
    } else if (const EncodingIndex* index = single_byte_index(encoding)) {
        read_single_bytes(bytes, text, [&](unsigned char byte) { return (*index)[byte - 0x80u]; });
    } else {
        return false;
    }
    return true;
}

// Calls `read` with the indexes if there are all of them.
template <typename Read, typename... Names>
bool with_indexes(Read read, Names... names) {
    return [&](auto... indexes) { return (indexes && ...) && (read(*indexes...), true); }(encoding_index(names)...);
}

bool read_multi_byte_encoding(std::string_view bytes, std::string_view encoding, DecodedText& text) {
    const auto reader = [&](auto step) {
        return [&bytes, &text, step](const auto&... indexes) {
            read_steps_beside_ascii(bytes, text, [&](std::string_view rest) { return step(rest, indexes...); });
        };
    };
    if (encoding == "Big5") return with_indexes(reader(step_big5), "Big5");
    if (encoding == "EUC-KR") return with_indexes(reader(step_euc_kr), "EUC-KR");
    if (encoding == "EUC-JP") return with_indexes(reader(step_euc_jp), "jis0208", "jis0212");
    if (encoding == "Shift_JIS") return with_indexes(reader(step_shift_jis), "jis0208");
    if (encoding == "GBK" || encoding == "gb18030")
        return with_indexes(reader(step_gb18030), "gb18030", "gb18030-ranges");
    if (encoding != "ISO-2022-JP") return false;
    const auto read = [&](const EncodingIndex& jis0208) {
        read_steps(bytes, text,
                   [decoder = Iso2022Jp(jis0208)](std::string_view rest) mutable { return decoder.step(rest); });
    };
    return with_indexes(read, "jis0208");
}

}  // namespace

Decoded decode(std::string_view bytes, std::string_view encoding, std::size_t bytes_max, OnFault on_fault) {
    if (is_read_by_iconv(encoding)) return decode_with_iconv(bytes, encoding, bytes_max, on_fault);
    Decoded decoded;
    decoded.text.reserve(std::min(bytes.size(), bytes_max));
    DecodedText text(bytes_max, on_fault, decoded);
    decoded.is_unavailable = !read_unicode(bytes, encoding, text) &&
                             !read_single_byte_encoding(bytes, encoding, text) &&
                             !read_multi_byte_encoding(bytes, encoding, text);
    text.flush();
    return decoded;
}

}  // namespace sluice::feed
