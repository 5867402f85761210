#include "protocol/feed/encoding/encoding_guess.hpp"

#include <array>
#include <optional>

#include "protocol/feed/encoding/encoding.hpp"
#include "protocol/feed/encoding/encoding_clues.hpp"
#include "protocol/feed/encoding/encoding_decoder.hpp"
#include "protocol/feed/encoding/encoding_label.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

constexpr std::string_view replacement_text = "\xEF\xBF\xBD";

// Whether characters beyond ASCII take two bytes and more.
bool has_wide_characters(std::string_view encoding) {
    for (const std::string_view prefix : {"GB", "gb", "Big5", "EUC", "Shift_JIS", "ISO-2022"}) {
        if (encoding.starts_with(prefix)) return true;
    }
    return false;
}

// Whether characters beyond ASCII are written as ASCII, after an escape sequence.
bool has_escape_sequences(std::string_view encoding) { return encoding.starts_with("ISO-2022"); }

// A character that the end of the bytes cuts off is no fault of the encoding.
std::size_t counted_faults(const Decoded& reading) { return reading.faults - reading.cut_off_faults; }

bool fits(const Decoded& reading) { return !reading.is_unavailable && counted_faults(reading) == 0; }

// Text after an escape sequence is hardly ever there by chance.
bool nearly_fits(const Decoded& reading, std::string_view encoding) {
    if (reading.is_unavailable) return false;
    if (has_escape_sequences(encoding)) return counted_faults(reading) <= 4 * reading.characters;
    return counted_faults(reading) * 10 <= reading.characters;
}

// Hardly any text in another encoding is UTF-8 by chance. In one of two bytes a character, a few characters are.
bool proves_utf8(const Decoded& utf8, std::string_view other) {
    return fits(utf8) && utf8.characters >= (has_wide_characters(other) ? 8 : 1);
}

Decoded read_as(std::string_view bytes, std::string_view encoding, std::size_t bytes_max) {
    return decode(bytes, encoding, bytes_max, OnFault::replace);
}

struct Choice {
    std::string_view encoding;
    Decoded reading;
};

// `first`: the encoding that to_utf8() took, if it knew one; `labels`: what the charset and the declaration say.
Choice choose(std::string_view bytes, std::string_view first, const std::array<std::string_view, 2>& labels,
              std::size_t bytes_max) {
    if (is_wide_encoding(first)) return {first, read_as(bytes, first, bytes_max)};
    Decoded utf8 = read_as(bytes, utf8_encoding, bytes_max);
    if (proves_utf8(utf8, first)) return {utf8_encoding, std::move(utf8)};
    if (!first.empty() && first != utf8_encoding) {
        Decoded reading = read_as(bytes, first, bytes_max);
        if (fits(reading)) return {first, std::move(reading)};
    }
    // ASCII with escape sequences is UTF-8 only by accident.
    const bool may_be_escaped =
        utf8.faults == 0 && utf8.characters == 0 && bytes.find('\x1B') != std::string_view::npos;
    if (fits(utf8) && !may_be_escaped) return {utf8_encoding, std::move(utf8)};
    for (const bool is_strict : {true, false}) {
        for (const std::string_view label : labels) {
            const std::string_view encoding = encoding_by_label(label);
            if (encoding.empty() || encoding == utf8_encoding || is_wide_encoding(encoding)) continue;
            if (may_be_escaped && !has_escape_sequences(encoding)) continue;
            Decoded reading = read_as(bytes, encoding, bytes_max);
            if (is_strict ? fits(reading) : nearly_fits(reading, encoding)) return {encoding, std::move(reading)};
        }
    }
    if (counted_faults(utf8) <= 4 * utf8.characters) return {utf8_encoding, std::move(utf8)};
    return {latin1_encoding, read_as(bytes, latin1_encoding, bytes_max)};
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
        allowed += replacement_text;
        at += *bad + c.length;
    }
    text = allowed.append(text, at);
}

}  // namespace

bool is_utf8_by_another_name(std::string_view bytes, std::string_view charset) {
    const EncodingClues clues = find_encoding_clues(bytes);
    if (!clues.mark.empty() || !clues.zeros.empty()) return false;
    const std::string_view label = !charset.empty() ? charset : clues.declared;
    if (label.empty() || is_usual_label(label)) return false;
    const std::string_view encoding = encoding_by_label(label);
    if (encoding.empty() || encoding == utf8_encoding || is_wide_encoding(encoding)) return false;
    return proves_utf8(read_as(bytes, utf8_encoding, std::string::npos), encoding);
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
    Decoded& reading = choice.reading;
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
    for (std::size_t i = 0; i < reading.faults; ++i) {
        repairs.note(RepairKind::bytes, reading.first_fault->at,
                     i == 0 ? "bytes that are not text in " + std::string(choice.encoding) : "");
    }
    replace_controls(reading.text, repairs);
    if (reading.text.size() > bytes_max) return too_large_in_utf8(bytes_max);
    return std::move(reading.text);
}

}  // namespace sluice::feed
