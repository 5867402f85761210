// The strings of an evaluation, and XPath's string functions on them. Work that only the document's size bounds is done
// in pieces, each of which is metered. Positions and lengths count characters. One thread.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/filter/evaluator/meter.hpp"
#include "protocol/filter/evaluator/translate_table.hpp"

namespace sluice::xpath {

// A view of the document or of the condition, or a string made by the evaluation and owned here. Moving it copies no
// bytes.
class Text {
public:
    using Buffer = std::pmr::vector<char>;

    Text() = default;
    Text(std::string_view view) : view_(view) {}
    explicit Text(Buffer made) : made_(std::move(made)), view_(made_->data(), made_->size()) {}
    Text(Text&&) = default;
    Text& operator=(Text&& other) noexcept {
        // Assigning would copy a buffer of another memory resource, and leave the view behind.
        made_.reset();
        if (other.made_) made_.emplace(std::move(*other.made_));
        view_ = other.view_;
        return *this;
    }

    std::string_view view() const { return view_; }
    void remove_prefix(std::size_t bytes) { view_.remove_prefix(bytes); }
    void resize(std::size_t bytes) { view_ = view_.substr(0, bytes); }

private:
    std::optional<Buffer> made_;
    std::string_view view_;
};

class TextFunctions {
public:
    TextFunctions(Meter& meter, std::pmr::memory_resource* memory) : meter_(meter), memory_(memory) {}

    std::size_t find(std::string_view text, std::string_view wanted) const;  // npos: not found
    double length(std::string_view text) const;
    double number(std::string_view text) const;
    bool equal(std::string_view a, std::string_view b) const;

    // The characters at positions, counted from 1, with begin <= position < end.
    Text substring(Text text, double begin, double end) const;
    Text normalize_space(Text text) const;
    Text translate(std::string_view text, const TranslateTable& table) const;

    void append(Text::Buffer& buffer, std::string_view text) const;
    Text::Buffer buffer() const { return Text::Buffer(memory_); }
    Text made(std::string_view text) const;

private:
    Meter& meter_;
    std::pmr::memory_resource* memory_;
};

}  // namespace sluice::xpath
