#include "protocol/feed/html/html_text.hpp"

#include <cstddef>
#include <utility>

#include "protocol/feed/html/html_elements.hpp"
#include "protocol/feed/html/html_entities.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

class HtmlText {
public:
    explicit HtmlText(std::string_view html) : html_(html) {}

    std::string read();

private:
    bool tag();
    bool reference();
    void skip_behind(std::string_view end);
    void skip_element(std::string_view name);
    void skip_tag();
    void add(std::string_view text);

    std::string_view rest() const { return html_.substr(at_); }
    char peek(std::size_t ahead) const { return at_ + ahead < html_.size() ? html_[at_ + ahead] : '\0'; }

    std::string_view html_;
    std::size_t at_ = 0;
    std::string text_;
    bool is_separated_ = false;  // a blank comes before the next text
};

std::string HtmlText::read() {
    while (at_ < html_.size()) {
        const char c = html_[at_];
        if (c == '<' ? tag() : c == '&' && reference()) continue;
        if (text::is_ascii_space(c))
            is_separated_ = true;
        else
            add(html_.substr(at_, 1));
        ++at_;
    }
    return std::move(text_);
}

void HtmlText::add(std::string_view text) {
    if (is_separated_ && !text_.empty()) text_ += ' ';
    is_separated_ = false;
    text_ += text;
}

// If it returns false, the '<' is text.
bool HtmlText::tag() {
    if (rest().starts_with("<!--")) return skip_behind("-->"), true;
    if (peek(1) == '!' || peek(1) == '?') return skip_behind(">"), true;
    const bool is_end = peek(1) == '/';
    std::size_t begin = at_ + (is_end ? 2 : 1), end = begin;
    while (end < html_.size() && (text::is_ascii_letter(html_[end]) || text::is_ascii_digit(html_[end]))) ++end;
    if (end == begin || !text::is_ascii_letter(html_[begin])) return false;
    const std::string name = text::ascii_lower(html_.substr(begin, end - begin));
    skip_tag();
    if (!is_inline_in_html(name)) is_separated_ = true;
    if (!is_end && (name == "script" || name == "style")) skip_element(name);
    return true;
}

void HtmlText::skip_behind(std::string_view end) {
    const std::size_t found = html_.find(end, at_ + 1);
    at_ = found == std::string_view::npos ? html_.size() : found + end.size();
}

// A '>' in a quoted value ends no tag.
void HtmlText::skip_tag() {
    char quote = '\0', before = '\0';
    for (++at_; at_ < html_.size(); ++at_) {
        const char c = html_[at_];
        if (quote != '\0') {
            if (c == quote) quote = '\0';
        } else if (before == '=' && (c == '"' || c == '\'')) {
            quote = c;
        } else if (c == '>') {
            ++at_;
            return;
        }
        if (!text::is_ascii_space(c)) before = c;
    }
}

void HtmlText::skip_element(std::string_view name) {
    for (; at_ < html_.size(); ++at_) {
        if (html_[at_] != '<' || peek(1) != '/') continue;
        if (text::ascii_lower(html_.substr(at_ + 2, name.size())) == name) return skip_tag();
    }
}

// If it returns false, the '&' is text. White space is white space also as a reference.
bool HtmlText::reference() {
    const HtmlReference reference = read_html_reference(rest());
    if (reference.bytes == 0) return false;
    if (text::trim(reference.text).empty())
        is_separated_ = true;
    else
        add(reference.text);
    at_ += reference.bytes;
    return true;
}

}  // namespace

std::string html_text(std::string_view html) { return HtmlText(html).read(); }

}  // namespace sluice::feed
