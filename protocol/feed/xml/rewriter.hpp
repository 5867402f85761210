// Copies a text, replacing some of its pieces in order. The text between them is copied at memory speed. Edits found in
// another order are noted first and applied together. Belongs to one thread; the text must outlive it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::feed {

class Rewriter {
public:
    // Copies text[begin, end of the text).
    explicit Rewriter(std::string_view text, std::size_t begin = 0) : text_(text), copied_(begin) {}

    // Replaces text[begin, end). `begin` is not before the previous call's `end`.
    void replace(std::size_t begin, std::size_t end, std::string_view with) {
        if (out_.empty() && (begin > copied_ || !with.empty())) reserve();
        out_.append(text_, copied_, begin - copied_).append(with);
        copied_ = end;
    }

    // Notes such a replacement for apply(); `with` must live until then. Noted pieces must not overlap.
    void note(std::size_t begin, std::size_t end, std::string_view with) { noted_.push_back({begin, end, with}); }
    // Makes the replacements noted since the last call.
    void apply() {
        if (!noted_.empty()) make_noted();
    }

    // Where the text begins that is the result as it stands; none if something in it is to be replaced.
    std::optional<std::size_t> unchanged_from() const {
        return out_.empty() && noted_.empty() ? std::optional(copied_) : std::nullopt;
    }

    std::string finish() {
        replace(text_.size(), text_.size(), {});
        return std::move(out_);
    }

private:
    struct Edit {
        std::size_t begin, end;
        std::string_view with;
    };

    void make_noted() {
        std::sort(noted_.begin(), noted_.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
        for (const Edit& edit : noted_) replace(edit.begin, edit.end, edit.with);
        noted_.clear();
    }
    void reserve() {
        const std::size_t bytes = text_.size() - copied_;
        out_.reserve(bytes + bytes / 16);
    }

    std::string_view text_;
    std::string out_;
    std::size_t copied_;
    std::vector<Edit> noted_;
};

}  // namespace sluice::feed
