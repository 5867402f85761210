#include "protocol/feed/encoding_decoder.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "protocol/feed/encoding_index.hpp"
#include "protocol/feed/encoding_label.hpp"
#include "protocol/feed/encoding_steps.hpp"
#include "protocol/feed/iconv_text.hpp"
#include "protocol/feed/iso_2022_jp.hpp"
#include "protocol/feed/windows_1252.hpp"
#include "protocol/text/utf8.hpp"

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

// Takes what a decoder reads, and holds back what is too much.
class DecodedText {
public:
    DecodedText(std::size_t bytes_max, OnFault on_fault, Decoded& decoded)
        : bytes_max_(bytes_max), on_fault_(on_fault), decoded_(decoded) {}

    void add_ascii(std::string_view text) { decoded_.text += text; }

    // False if reading ends: `offset` is where the step's bytes began.
    bool add(const DecodedStep& step, std::size_t offset) {
        if (step.kind == DecodedStep::Kind::character) {
            text::append_utf8(decoded_.text, step.code);
            if (step.mark != 0) text::append_utf8(decoded_.text, step.mark);
            decoded_.characters += (step.code >= 0x80 ? 1u : 0u) + (step.mark != 0 ? 1u : 0u);
        } else if (step.kind != DecodedStep::Kind::nothing) {
            note_fault(decoded_, {offset, decoded_.text.size()}, step.kind == DecodedStep::Kind::cut_off);
            if (on_fault_ == OnFault::stop) return false;
            text::append_utf8(decoded_.text, 0xFFFD);
        }
        return !is_full();
    }

    bool is_full() { return decoded_.is_too_large = decoded_.text.size() > bytes_max_; }

private:
    std::size_t bytes_max_;
    OnFault on_fault_;
    Decoded& decoded_;
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
        if (const std::size_t length = ascii_length(bytes.substr(at)); length > 0) {
            text.add_ascii(bytes.substr(at, length));
            if (text.is_full()) return;
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

void note_fault(Decoded& decoded, Decoded::Fault fault, bool is_cut_off) {
    if (!decoded.first_fault) decoded.first_fault = fault;
    ++decoded.faults;
    decoded.cut_off_faults += is_cut_off ? 1 : 0;
}

Decoded decode(std::string_view bytes, std::string_view encoding, std::size_t bytes_max, OnFault on_fault) {
    if (is_read_by_iconv(encoding)) return decode_with_iconv(bytes, encoding, bytes_max, on_fault);
    Decoded decoded;
    decoded.text.reserve(std::min(bytes.size(), bytes_max));
    DecodedText text(bytes_max, on_fault, decoded);
    decoded.is_unavailable = !read_unicode(bytes, encoding, text) &&
                             !read_single_byte_encoding(bytes, encoding, text) &&
                             !read_multi_byte_encoding(bytes, encoding, text);
    return decoded;
}

}  // namespace sluice::feed
