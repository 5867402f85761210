// A place in XML text, and the small pieces of XML's grammar that the document and its DOCTYPE share. A failing reader
// records the fault and returns false (or no value); error() reports the first one. Belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/bytes/find.hpp"
#include "protocol/feed/model/feed_error.hpp"

namespace sluice::feed {

// The classes of a byte in XML; bytes of multi-byte UTF-8 sequences are in none.
enum XmlByte : std::uint8_t { xml_space = 1, xml_name_start = 2, xml_name = 4 };
extern const std::array<std::uint8_t, 256> xml_bytes;

struct XmlFault {
    FeedError::Kind kind = FeedError::Kind::not_well_formed;
    std::size_t offset = 0;
    std::string message;
};

class XmlCursor {
public:
    // The text is UTF-8 without NUL, so that the string's own terminating NUL marks the end.
    explicit XmlCursor(const std::string& text) : text_(text) {}

    std::string_view text() const { return text_; }
    std::size_t at() const { return at_; }
    void move_to(std::size_t offset) { at_ = offset; }
    bool at_end() const { return at_ == text_.size(); }
    char peek() const { return text_[at_]; }
    char peek_next() const { return at_end() ? '\0' : text_[at_ + 1]; }
    bool looks_at(std::string_view token) const;  // without NUL
    std::string_view since(std::size_t begin) const { return {text_.data() + begin, at_ - begin}; }

    bool take(char c) { return peek() == c && !at_end() ? (++at_, true) : false; }
    bool take(std::string_view token) { return looks_at(token) ? (at_ += token.size(), true) : false; }
    bool take_name(std::string_view name);  // a qualified name, as a whole
    // The ASCII letters, digits and marks of names from `begin` on up to this character; empty if others come first.
    std::string_view name_before(char end, std::size_t begin) const;
    bool skip_space();
    template <class Set>
    bool skip_to() {  // to the next byte of the set, as bytes::XmlTextEnd; false at the end
        at_ = bytes::find_in<Set>(text_, at_);
        return !at_end();
    }

    std::string_view nc_name();     // empty: no name begins here; records no fault
    bool comment();                 // at "<!--"
    bool processing_instruction();  // at "<?"
    // At "&#": the referenced character.
    std::optional<char32_t> character_reference();
    // At a quote: the raw text between the quotes.
    std::optional<std::string_view> literal(std::string_view what);

    bool fail(std::size_t offset, std::string message, FeedError::Kind kind = FeedError::Kind::not_well_formed);
    // Fails at the cursor: "expected what, found …", and the remedy behind it.
    bool expected(std::string_view what, std::string_view remedy = {});
    FeedError error() const;

private:
    void go_on_with_name(std::size_t begin);

    const std::string& text_;
    std::size_t at_ = 0;
    std::optional<XmlFault> fault_;
};

// Byte by byte, since nearly always the first or second one differs. The NUL at the end does.
inline bool XmlCursor::looks_at(std::string_view token) const {
    const char* at = text_.data() + at_;
    for (const char c : token) {
        if (*at++ != c) return false;
    }
    return true;
}

inline bool XmlCursor::take_name(std::string_view name) {
    if (text_.size() - at_ < name.size() || std::memcmp(text_.data() + at_, name.data(), name.size()) != 0)
        return false;
    const auto next = static_cast<unsigned char>(text_[at_ + name.size()]);
    if (next >= 0x80 || next == ':' || (xml_bytes[next] & xml_name)) return false;
    at_ += name.size();
    return true;
}

inline std::string_view XmlCursor::name_before(char end, std::size_t begin) const {
    const char* const first = text_.data() + begin;
    const char* last = first;
    while ((xml_bytes[static_cast<unsigned char>(*last)] & xml_name) || *last == ':') ++last;
    return *last == end ? std::string_view(first, static_cast<std::size_t>(last - first)) : std::string_view();
}

inline std::string_view XmlCursor::nc_name() {
    const char* const text = text_.data();
    const auto classes = [text](std::size_t at) { return xml_bytes[static_cast<unsigned char>(text[at])]; };
    const std::size_t begin = at_;
    if (classes(begin) & xml_name_start) {
        std::size_t at = begin;
        do ++at;
        while (classes(at) & xml_name);
        at_ = at;
    }
    if (static_cast<unsigned char>(text[at_]) >= 0x80) go_on_with_name(begin);
    return {text + begin, at_ - begin};
}

inline bool XmlCursor::skip_space() {
    const std::size_t begin = at_;
    while (xml_bytes[static_cast<unsigned char>(peek())] & xml_space) ++at_;
    return at_ != begin;
}

}  // namespace sluice::feed
