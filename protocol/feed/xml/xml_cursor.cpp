#include "protocol/feed/xml/xml_cursor.hpp"

#include <algorithm>
#include <utility>

#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/model/text_position.hpp"
#include "protocol/text/name_characters.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

constexpr std::array<std::uint8_t, 256> classify_bytes() {
    std::array<std::uint8_t, 256> classes{};
    const auto add = [&](std::string_view bytes, std::uint8_t what) {
        for (const char c : bytes) {
            auto& entry = classes[static_cast<unsigned char>(c)];
            entry = static_cast<std::uint8_t>(entry | what);
        }
    };
    add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", xml_name_start | xml_name);
    add("0123456789-.", xml_name);
    add(" \t\r\n", xml_space);
    return classes;
}

}  // namespace

constexpr std::array<std::uint8_t, 256> xml_bytes = classify_bytes();

// At a multi-byte character.
void XmlCursor::go_on_with_name(std::size_t begin) {
    while (true) {
        const auto byte = static_cast<unsigned char>(peek());
        if (byte >= 0x80) {
            const text::Utf8Char c = text::utf8_at(text_, at_);
            if (!(at_ == begin ? text::is_name_start(c.code) : text::is_name_char(c.code))) return;
            at_ += c.length;
        } else if (xml_bytes[byte] & xml_name) {
            ++at_;
        } else {
            return;
        }
    }
}

bool XmlCursor::comment() {
    const std::size_t begin = at_;
    at_ += 4;
    const std::size_t dashes = text_.find("--", at_);
    if (dashes == std::string::npos) return fail(begin, "the comment that begins here does not end");
    at_ = dashes + 2;
    return take('>') || fail(dashes, "\"--\" inside a comment");
}

bool XmlCursor::processing_instruction() {
    const std::size_t begin = at_;
    at_ += 2;
    const std::string_view target = nc_name();
    if (target.empty()) return expected("the name of a processing instruction");
    const auto is_letter = [](char c, char letter) { return (c | 0x20) == letter; };
    if (target.size() == 3 && is_letter(target[0], 'x') && is_letter(target[1], 'm') && is_letter(target[2], 'l')) {
        return fail(begin, "an XML declaration can only be at the start of the document");
    }
    if (take("?>")) return true;
    if (!skip_space()) return expected("white space after the name of a processing instruction");
    const std::size_t end = text_.find("?>", at_);
    if (end == std::string::npos) return fail(begin, "the processing instruction that begins here does not end");
    at_ = end + 2;
    return true;
}

std::optional<char32_t> XmlCursor::character_reference() {
    const std::size_t begin = at_;
    at_ += 2;
    const unsigned base = take('x') ? 16 : 10;
    const std::size_t digits = at_;
    char32_t code = 0;
    for (;; ++at_) {
        const char c = peek();
        unsigned digit = base;
        if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
        const char lower = static_cast<char>(c | 0x20);
        if (base == 16 && lower >= 'a' && lower <= 'f') digit = static_cast<unsigned>(lower - 'a') + 10;
        if (digit >= base) break;
        code = std::min<char32_t>(code * base + digit, 0x110000);
    }
    if (at_ == digits || !take(';')) {
        fail(begin, "a character reference is written &#…; with decimal digits or &#x…; with hexadecimal ones");
        return std::nullopt;
    }
    if (!text::is_xml_char(code)) {
        fail(begin, excerpt(since(begin)) + " is not a character that XML allows");
        return std::nullopt;
    }
    return code;
}

std::optional<std::string_view> XmlCursor::literal(std::string_view what) {
    const char quote = peek();
    if (quote != '"' && quote != '\'') {
        expected(what);
        return std::nullopt;
    }
    const std::size_t begin = at_ + 1;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string::npos) {
        fail(at_, "the quoted text that begins here does not end");
        return std::nullopt;
    }
    at_ = end + 1;
    return text().substr(begin, end - begin);
}

bool XmlCursor::fail(std::size_t offset, std::string message, FeedError::Kind kind) {
    if (!fault_) fault_ = XmlFault{kind, offset, std::move(message)};
    return false;
}

bool XmlCursor::expected(std::string_view what, std::string_view remedy) {
    std::string message = "expected " + std::string(what) + ", found ";
    if (at_end()) {
        message += "the end of the document";
    } else {
        const text::Utf8Char c = text::utf8_at(text_, at_);
        message += c.code <= 0x20 ? text::code_point_name(c.code) : "'" + text_.substr(at_, c.length) + "'";
    }
    return fail(at_, message.append(remedy));
}

FeedError XmlCursor::error() const {
    if (!fault_) return error_at(FeedError::Kind::not_well_formed, text_, at_, "the document is not well-formed");
    return error_at(fault_->kind, text_, fault_->offset, fault_->message);
}

}  // namespace sluice::feed
