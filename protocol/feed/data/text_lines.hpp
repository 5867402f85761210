// Reads a text line by line; a line ends with LF, CR LF or CR. Belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace sluice::feed {

class TextLines {
public:
    TextLines(std::string_view text, std::size_t begin) : text_(text), next_(begin) {}

    // Goes to the next line; false: there is none.
    bool next() {
        begin_ = next_;
        if (begin_ >= text_.size()) return false;
        const std::size_t end = std::min(text_.find_first_of("\r\n", begin_), text_.size());
        line_ = text_.substr(begin_, end - begin_);
        next_ = end + (text_.substr(end, 2) == "\r\n" ? 2 : 1);
        return true;
    }
    // Makes next() go to the line that begins at this offset.
    void go_to(std::size_t begin) { next_ = begin; }

    std::string_view line() const { return line_; }  // without its end
    std::size_t begin() const { return begin_; }     // its offset
    std::size_t end() const { return begin_ + line_.size(); }
    std::size_t following() const { return next_; }  // the offset of the next line

private:
    std::string_view text_, line_;
    std::size_t begin_ = 0, next_;
};

}  // namespace sluice::feed
