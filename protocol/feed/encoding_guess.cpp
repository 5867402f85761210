#include "protocol/feed/encoding_guess.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iconv.h>
#include <memory>
#include <optional>
#include <type_traits>

#include "protocol/feed/encoding.hpp"
#include "protocol/feed/encoding_clues.hpp"
#include "protocol/feed/encoding_label.hpp"
#include "protocol/feed/windows_1252.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// Whether characters beyond ASCII take two bytes and more.
bool has_wide_characters(std::string_view encoding) {
    for (const std::string_view prefix : {"GB", "BIG5", "EUC", "CP932", "CP949", "ISO-2022"}) {
        if (encoding.starts_with(prefix)) return true;
    }
    return false;
}

// A reading of the bytes in one encoding.
struct Reading {
    std::string text;                  // with U+FFFD for each fault
    std::size_t characters = 0;        // that are not ASCII
    std::size_t faults = 0;            // without the one at the end of the bytes
    std::optional<std::size_t> first;  // where in `text` the first fault is, that at the end included
    std::size_t all_faults = 0;        // that at the end included
    bool is_too_large = false;

    void add_fault(bool is_at_end) {
        if (!first) first = text.size();
        text += replacement;
        ++all_faults;
        faults += is_at_end ? 0 : 1;
    }
    bool fits() const { return faults == 0; }
    bool nearly_fits() const { return faults * 10 <= characters; }
    // Hardly any text in another encoding is UTF-8 by chance. In one of two bytes a character, a few characters are.
    bool proves_utf8(std::string_view other) const {
        return fits() && characters >= (has_wide_characters(other) ? 8 : 1);
    }
};

// True if these last bytes may be the beginning of a character of UTF-8.
bool is_cut_utf8(std::string_view rest) {
    const auto lead = static_cast<unsigned char>(rest.front());
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    return lead >= 0xC2 && lead <= 0xF4 && rest.size() < length &&
           std::all_of(rest.begin() + 1, rest.end(), [](char c) { return (c & 0xC0) == 0x80; });
}

Reading read_utf8(std::string_view bytes, std::size_t bytes_max) {
    Reading reading;
    reading.text.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t length = text::utf8_at(bytes, at).length;
        if (length == 0) {
            const bool is_end = bytes.size() - at < 4 && is_cut_utf8(bytes.substr(at));
            reading.add_fault(is_end);
            at = is_end ? bytes.size() : at + 1;
        } else {
            reading.text.append(bytes, at, length);
            reading.characters += length > 1 ? 1 : 0;
            at += length;
        }
        if (reading.text.size() > bytes_max) return reading.is_too_large = true, reading;
    }
    return reading;
}

Reading read_windows_1252(std::string_view bytes, std::size_t bytes_max) {
    Reading reading;
    for (const char c : bytes) text::append_utf8(reading.text, windows_1252_character(static_cast<unsigned char>(c)));
    reading.is_too_large = reading.text.size() > bytes_max;
    return reading;
}

Reading read_with_iconv(std::string_view bytes, std::string_view from, std::size_t bytes_max) {
    Reading reading;
    const auto close = [](iconv_t handle) { iconv_close(handle); };
    std::unique_ptr<std::remove_pointer_t<iconv_t>, decltype(close)> handle(
        iconv_open(utf8_encoding.data(), from.data()), close);
    if (handle.get() == reinterpret_cast<iconv_t>(-1)) {  // iconv's API
        static_cast<void>(handle.release());
        reading.faults = bytes.size() + 1;
        return reading;
    }
    const std::size_t unit = from.starts_with("UTF-32") ? 4 : from.starts_with("UTF-16") ? 2 : 1;
    std::array<char, 16 << 10> buffer;
    char* in = const_cast<char*>(bytes.data());  // iconv does not write to its input
    char** source = &in;
    std::size_t in_left = bytes.size();
    while (reading.text.size() <= bytes_max) {
        char* out = buffer.data();
        std::size_t out_left = buffer.size();
        const bool is_done = iconv(handle.get(), source, &in_left, &out, &out_left) != static_cast<std::size_t>(-1);
        const int error = errno;
        const std::string_view part(buffer.data(), buffer.size() - out_left);
        reading.text += part;
        reading.characters += static_cast<std::size_t>(
            std::count_if(part.begin(), part.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xC0; }));
        if (is_done && !source) return reading;
        if (is_done) {
            source = nullptr;
        } else if (error != E2BIG) {
            const bool is_end = error == EINVAL;  // an incomplete character
            reading.add_fault(is_end);
            const std::size_t skipped = is_end ? in_left : std::min(unit, in_left);
            in += skipped;
            in_left -= skipped;
        }
    }
    reading.is_too_large = true;
    return reading;
}

Reading read_as(std::string_view bytes, std::string_view encoding, std::size_t bytes_max) {
    if (encoding == utf8_encoding) return read_utf8(bytes, bytes_max);
    if (encoding == latin1_encoding) return read_windows_1252(bytes, bytes_max);
    return read_with_iconv(bytes, encoding, bytes_max);
}

struct Choice {
    std::string_view encoding;
    Reading reading;
};

// `first`: the encoding that to_utf8() took, if it knew one; `labels`: what the charset and the declaration say.
Choice choose(std::string_view bytes, std::string_view first, const std::array<std::string_view, 2>& labels,
              std::size_t bytes_max) {
    if (is_wide_encoding(first)) return {first, read_as(bytes, first, bytes_max)};
    Reading utf8 = read_utf8(bytes, bytes_max);
    if (utf8.proves_utf8(first)) return {utf8_encoding, std::move(utf8)};
    if (!first.empty() && first != utf8_encoding) {
        Reading reading = read_as(bytes, first, bytes_max);
        if (reading.fits()) return {first, std::move(reading)};
    }
    if (utf8.fits()) return {utf8_encoding, std::move(utf8)};
    for (const bool is_strict : {true, false}) {
        for (const std::string_view label : labels) {
            const std::string_view encoding = encoding_by_label(label);
            if (encoding.empty() || encoding == utf8_encoding || is_wide_encoding(encoding)) continue;
            Reading reading = read_as(bytes, encoding, bytes_max);
            if (is_strict ? reading.fits() : reading.nearly_fits()) return {encoding, std::move(reading)};
        }
    }
    if (utf8.faults <= 4 * utf8.characters) return {utf8_encoding, std::move(utf8)};
    return {latin1_encoding, read_windows_1252(bytes, bytes_max)};
}

// Replaces characters that XML does not allow.
void replace_controls(std::string& text, Repairs& repairs) {
    auto bad = text::find_bad_text(text);
    if (!bad) return;
    std::string allowed;
    std::size_t at = 0;
    for (; bad; bad = text::find_bad_text(std::string_view(text).substr(at))) {
        const text::Utf8Char c = text::utf8_at(text, at + *bad);
        allowed.append(text, at, *bad);
        const bool is_first = repairs.is_first(RepairKind::control_character);
        repairs.note(RepairKind::control_character, allowed.size(),
                     is_first ? "the character " + text::code_point_name(c.code) + " is not allowed" : "");
        allowed += replacement;
        at += *bad + c.length;
    }
    text = allowed.append(text, at);
}

}  // namespace

bool is_utf8_by_another_name(std::string_view bytes, std::string_view charset) {
    const EncodingClues clues = find_encoding_clues(bytes);
    if (!clues.mark.empty() || !clues.zeros.empty()) return false;
    const std::string_view label = !charset.empty() ? charset : clues.declared;
    if (label.empty() || text::ascii_lower(label) == "utf-8") return false;
    const std::string_view encoding = encoding_by_label(label);
    if (encoding.empty() || encoding == utf8_encoding || is_wide_encoding(encoding)) return false;
    return read_utf8(bytes, std::string::npos).proves_utf8(encoding);
}

bool is_wrongly_wide(std::string_view bytes, std::string_view charset) {
    // Most charsets need no look at the table of labels.
    const bool may_be_wide =
        charset.find("16") != std::string_view::npos || charset.find("32") != std::string_view::npos;
    if (!may_be_wide) return false;
    const EncodingClues clues = find_encoding_clues(bytes);
    return clues.mark.empty() && clues.zeros.empty() && is_wide_encoding(encoding_by_label(charset)) &&
           text::trim(bytes.substr(0, 64)).starts_with('<');
}

boost::system::result<std::string, FeedError> repair_encoding(std::string_view bytes, std::string_view charset,
                                                              std::size_t bytes_max, Repairs& repairs) {
    const EncodingClues clues = find_encoding_clues(bytes);
    if (clues.mark != utf8_encoding) bytes.remove_prefix(clues.mark_bytes);
    const std::string_view claimed = !charset.empty() ? charset : clues.declared;
    const std::string_view named = claimed.empty() ? utf8_encoding : encoding_by_label(claimed);
    std::string_view expected = named;  // the encoding that to_utf8() took
    if (!clues.mark.empty())
        expected = clues.mark;
    else if (!clues.zeros.empty() && (charset.empty() || is_wide_encoding(named)))
        expected = clues.zeros;
    else if (is_wide_encoding(named) && charset.empty())
        expected = utf8_encoding;
    std::string_view first = expected;
    if (clues.mark.empty() && !clues.zeros.empty()) first = clues.zeros;
    if (is_wide_encoding(first) && clues.mark.empty() && clues.zeros.empty()) first = utf8_encoding;
    Choice choice = clues.mark.empty() ? choose(bytes, first, {charset, clues.declared}, bytes_max)
                                       : Choice{first, read_as(bytes, first, bytes_max)};
    Reading& reading = choice.reading;
    if (reading.is_too_large) return too_large_in_utf8(bytes_max);
    if (named.empty() && clues.mark.empty()) {
        repairs.note(RepairKind::encoding, 0,
                     "the encoding \"" + excerpt(claimed) + "\" is not known; the document is read as " +
                         std::string(choice.encoding));
    } else if (choice.encoding != expected) {
        repairs.note(RepairKind::encoding, 0,
                     "the document is not text in " + std::string(expected) + ", and is read as " +
                         std::string(choice.encoding));
    }
    for (std::size_t i = 0; i < reading.all_faults; ++i) {
        repairs.note(RepairKind::bytes, *reading.first,
                     i == 0 ? "bytes that are not text in " + std::string(choice.encoding) : "");
    }
    replace_controls(reading.text, repairs);
    if (reading.text.size() > bytes_max) return too_large_in_utf8(bytes_max);
    return std::move(reading.text);
}

}  // namespace sluice::feed
