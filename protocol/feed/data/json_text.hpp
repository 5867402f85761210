// Writes JSON text from left to right, where building a tree of values first would cost too much. Belongs to one
// thread.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::feed {

// Inserts the commas. The caller must close what it opens and name the members of objects.
class JsonWriter {
public:
    // With room for so many bytes; it makes more as it needs it.
    explicit JsonWriter(std::size_t bytes = 0) : text_(bytes, '\0'), at_(text_.data()), end_(at_ + bytes) {}
    JsonWriter(const JsonWriter&) = delete;
    JsonWriter& operator=(const JsonWriter&) = delete;

    // The members written next follow others, which the text does not have.
    void follow_members() { needs_comma_ = true; }

    void open(char bracket) {
        make_room(2);
        separate();
        *at_++ = bracket;
        needs_comma_ = false;
    }
    void close(char bracket) {
        make_room(1);
        *at_++ = bracket;
        needs_comma_ = true;
    }
    void name(std::string_view name) {
        write_string(name);
        *at_++ = ':';
        needs_comma_ = false;
    }
    // A name as it is written, such as R"("id":)".
    template <std::size_t n>
    void written_name(const char (&name)[n]) {
        make_room(n);
        separate();
        std::memcpy(at_, name, n - 1);
        at_ += n - 1;
        needs_comma_ = false;
    }
    // The result is always valid JSON, valid UTF-8 and one line: control characters are escaped, and invalid UTF-8
    // bytes become U+FFFD.
    void string(std::string_view text) {
        write_string(text);
        needs_comma_ = true;
    }
    void number(std::integral auto number) {
        constexpr std::size_t bytes = std::numeric_limits<decltype(number)>::digits10 + 2;
        make_room(1 + bytes);
        separate();
        at_ = std::to_chars(at_, at_ + bytes, number).ptr;
        needs_comma_ = true;
    }
    // true, false or null, or JSON that is written already, which more() may continue.
    void literal(std::string_view text);
    void more(std::string_view text);

    std::string_view view() const { return {text_.data(), at_}; }
    // Nothing may be written after that.
    std::string take() {
        text_.resize(view().size());
        return std::move(text_);
    }

private:
    void make_room(std::size_t bytes) {
        if (static_cast<std::size_t>(end_ - at_) < bytes) grow(bytes);
    }
    void grow(std::size_t bytes);
    void separate() {
        if (needs_comma_) *at_++ = ',';
    }
    static char* copy(char* to, std::string_view text);
    // With a comma before it, if it needs one, and room for a colon behind it.
    void write_string(std::string_view text);
    // What follows the plain beginning of a string.
    void write_special(std::string_view text);

    std::string text_;
    char *at_, *end_;
    bool needs_comma_ = false;
};

// Appends `text` as JsonWriter::string() has it.
void append_json_string(std::string& json, std::string_view text);

}  // namespace sluice::feed
