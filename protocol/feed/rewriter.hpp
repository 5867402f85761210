// Copies a text with some of its pieces replaced, in order; what is between them is copied at memory speed.
// Belongs to whoever makes it; the text must outlive it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

class Rewriter {
public:
    explicit Rewriter(std::string_view text) : text_(text) { out_.reserve(text.size() + text.size() / 16); }

    // Replaces text[begin, end). Each call begins where the one before ended, or behind it.
    void replace(std::size_t begin, std::size_t end, std::string_view with) {
        out_.append(text_, copied_, begin - copied_).append(with);
        copied_ = end;
    }

    // Where text[offset] comes to stand in the result; offset is not before the last replacement's end.
    std::size_t position(std::size_t offset) const { return out_.size() + (offset - copied_); }

    std::string finish() {
        replace(text_.size(), text_.size(), {});
        return std::move(out_);
    }

private:
    std::string_view text_;
    std::string out_;
    std::size_t copied_ = 0;
};

}  // namespace sluice
