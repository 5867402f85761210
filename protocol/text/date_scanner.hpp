// The position of a date reader in its text. Each reader has its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "protocol/text/ascii.hpp"

namespace sluice::text {

class DateScanner {
public:
    explicit DateScanner(std::string_view text) : text_(text) {}

protected:
    bool at_end() const { return at_ == text_.size(); }
    std::string_view rest() const { return text_.substr(at_); }
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool at_digit(std::size_t ahead = 0) const { return is_ascii_digit(peek(ahead)); }

    bool take(char lower) {
        if (ascii_lower(peek()) != lower || at_end()) return false;
        ++at_;
        return true;
    }

    bool take(std::string_view text) {
        if (!rest().starts_with(text)) return false;
        at_ += text.size();
        return true;
    }

    // Reads up to `digits_max` digits and returns how many it has read.
    std::size_t number(std::size_t digits_max, unsigned& value) {
        const std::size_t begin = at_;
        for (value = 0; at_digit() && at_ - begin < digits_max; ++at_) {
            value = value * 10 + static_cast<unsigned>(peek() - '0');
        }
        return at_ - begin;
    }

    bool two_digits(unsigned& value) { return number(2, value) == 2; }

    std::string_view ascii_word() {
        const std::size_t begin = at_;
        while (is_ascii_letter(peek())) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    // Adds a fraction such as ".25" or ",25", if present, to the seconds.
    void fraction(double& seconds) {
        if ((peek() != '.' && peek() != ',') || !at_digit(1)) return;
        ++at_;
        for (double scale = 0.1; at_digit(); scale /= 10, ++at_) seconds += scale * (peek() - '0');
    }

    // Skips blanks, commas, and comments in parentheses, which may nest.
    void skip_space() {
        while (true) {
            if (is_ascii_space(peek()) || peek() == ',') {
                ++at_;
            } else if (peek() != '(' || !skip_comment()) {
                return;
            }
        }
    }

private:
    bool skip_comment() {
        std::size_t depth = 0;
        for (std::size_t end = at_; end < text_.size(); ++end) {
            if (text_[end] == '(') ++depth;
            if (text_[end] != ')' || --depth != 0) continue;
            comment_ = text_.substr(at_ + 1, end - at_ - 1);
            return at_ = end + 1, true;
        }
        return false;
    }

protected:
    // The last comment, if it may be a zone's name: "15:10 (CEST)".
    std::string_view zone_comment() const {
        constexpr std::size_t name_bytes_max = 5;
        const bool is_name = comment_.size() <= name_bytes_max &&
                             std::all_of(comment_.begin(), comment_.end(), [](char c) { return is_ascii_letter(c); });
        return is_name ? comment_ : std::string_view();
    }

    std::string_view text_;
    std::size_t at_ = 0;

private:
    std::string_view comment_;
};

}  // namespace sluice::text
