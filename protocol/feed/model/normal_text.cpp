#include "protocol/feed/model/normal_text.hpp"

#include <algorithm>

#include "protocol/bytes/find.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr std::string_view html_space = " \t\r\n\f";

// A scheme, "://", and nothing that ends an address in a text.
bool is_absolute_address(std::string_view text) {
    const std::size_t scheme = text.find(':');
    if (scheme == std::string_view::npos || scheme == 0 || !text.substr(scheme).starts_with("://") ||
        !text::is_ascii_letter(text[0]))
        return false;
    const auto is_of_scheme = [](char c) {
        return text::is_ascii_letter(c) || text::is_ascii_digit(c) || c == '+' || c == '-' || c == '.';
    };
    const auto ends_address = [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == '<' || c == '>' || c == '"';
    };
    return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(scheme), is_of_scheme) &&
           std::none_of(text.begin(), text.end(), ends_address);
}

bool is_href_or_src(std::string_view name) {
    const auto is = [&](std::string_view other) {
        return std::equal(name.begin(), name.end(), other.begin(), other.end(),
                          [](char a, char b) { return text::ascii_lower(a) == b; });
    };
    return is("href") || is("src");
}

// Copies HTML, and finds the values of its attributes as browsers do (HTML §13.2.5).
class HtmlCopy {
public:
    HtmlCopy(std::string& out, std::string_view html, const IgnoredParts& ignored)
        : out_(out), html_(html), ignored_(ignored) {}

    void run() {
        while ((at_ = html_.find('<', at_)) < html_.size()) {
            ++at_;
            if (at_ < html_.size() && text::is_ascii_letter(html_[at_])) tag();
        }
        out_ += html_.substr(copied_);
    }

private:
    void tag();
    void attribute();
    std::size_t find(std::string_view stop) const { return std::min(html_.find_first_of(stop, at_), html_.size()); }
    void skip_space() { at_ = std::min(html_.find_first_not_of(html_space, at_), html_.size()); }

    std::string& out_;
    std::string_view html_;
    const IgnoredParts& ignored_;
    std::size_t at_ = 0, copied_ = 0;
};

void HtmlCopy::tag() {
    at_ = find(" \t\r\n\f/>");
    while (at_ < html_.size() && html_[at_] != '>') {
        if (html_[at_] == '/' || html_space.find(html_[at_]) != std::string_view::npos)
            ++at_;
        else
            attribute();
    }
}

void HtmlCopy::attribute() {
    const std::size_t name_begin = at_++;  // a name may begin with '='
    at_ = find(" \t\r\n\f/>=");
    const std::string_view name = html_.substr(name_begin, at_ - name_begin);
    skip_space();
    if (at_ == html_.size() || html_[at_] != '=') return;
    ++at_;
    skip_space();
    if (at_ == html_.size()) return;
    const char quote = html_[at_];
    const bool is_quoted = quote == '"' || quote == '\'';
    if (is_quoted) ++at_;
    const std::size_t begin = at_;
    at_ = is_quoted ? std::min(html_.find(quote, at_), html_.size()) : find(" \t\r\n\f>");
    if (is_quoted && at_ == html_.size()) return;  // the tag does not end
    if (is_href_or_src(name)) {
        out_ += html_.substr(copied_, begin - copied_);
        append_normal_address(out_, html_.substr(begin, at_ - begin), ignored_);
        copied_ = at_;
    }
    if (is_quoted) ++at_;
}

}  // namespace

bool may_have_address(std::string_view text) {
    const auto find = [&](std::size_t at) { return bytes::find_in<bytes::AddressMark>(text, at); };
    for (std::size_t at = find(0); at < text.size(); at = find(at + 1)) {
        if (text[at] == '?' || text.substr(0, at).ends_with("http")) return true;
    }
    return false;
}

void append_normal_address(std::string& out, std::string_view address, const IgnoredParts& ignored) {
    std::string room;
    address = ignored.without_parameters(address, room);
    if (address.starts_with("http:")) {
        out += "https:";
        address.remove_prefix(5);
    }
    out += address;
}

void append_normal_text(std::string& out, std::string_view text, const IgnoredParts& ignored) {
    if (!may_have_address(text)) {
        out += text;
        return;
    }
    const std::string_view trimmed = text::trim(text);
    if (is_absolute_address(trimmed)) {
        const auto before = static_cast<std::size_t>(trimmed.data() - text.data());
        out += text.substr(0, before);
        append_normal_address(out, trimmed, ignored);
        out += text.substr(before + trimmed.size());
    } else if (text.find('<') != std::string_view::npos) {
        HtmlCopy(out, text, ignored).run();
    } else {
        out += text;
    }
}

}  // namespace sluice::feed
