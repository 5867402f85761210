#include "broker/cli/manual/roff.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "broker/base/program/version.hpp"
#include "broker/cli/manual/words.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return result;
}

// The escape of an ASCII character that roff would take for something else, or set as a typographic one.
const char* escape_of(char c) {
    switch (c) {
        case '\\':
            return "\\e";
        case '-':
            return "\\-";
        case '\'':
            return "\\(aq";
        case '"':
            return "\\(dq";
        case '`':
            return "\\(ga";
        case '^':
            return "\\(ha";
        case '~':
            return "\\(ti";
        case '\t':
            return " ";
        default:
            return nullptr;
    }
}

}  // namespace

std::string roff_text(std::string_view given) {
    std::string result;
    for (std::size_t at = 0; at < given.size();) {
        const text::Utf8Char c = text::utf8_at(given, at);
        if (const char* escape = c.length == 1 ? escape_of(given[at]) : nullptr) {
            result += escape;
        } else if (c.length == 1) {
            result += given[at];
        } else {
            char name[16];
            std::snprintf(name, sizeof name, "\\[u%04X]", static_cast<unsigned>(c.length == 0 ? U'\uFFFD' : c.code));
            result += name;
        }
        at += std::max<std::size_t>(c.length, 1);
    }
    return result;
}

std::string roff_bold(std::string_view text) { return "\\fB" + roff_text(text) + "\\fR"; }

std::string roff_italic(std::string_view text) { return "\\fI" + roff_text(text) + "\\fR"; }

RoffPage::RoffPage(std::string_view name, int section_number, std::string_view summary) {
    // Without a date, so that one source makes one page.
    page_ = ".TH " + roff_text(upper(name)) + " " + std::to_string(section_number) + " \"\" \"Sluice " +
            roff_text(base::version()) +
            "\" \"Sluice\"\n"
            ".nh\n.ad l\n";  // names are copied out of the page: no hyphens in them, nor more blanks
    section("Name");
    lines(roff_text(name) + " \\- " + roff_text(summary));
}

void RoffPage::section(std::string_view title) {
    page_ += ".SH \"" + roff_text(upper(title)) + "\"\n";
    after_title_ = true;
}

void RoffPage::subsection(std::string_view title) {
    page_ += ".SS \"" + roff_text(title) + "\"\n";
    after_title_ = true;
}

void RoffPage::begin_paragraph() {
    if (!after_title_) page_ += ".PP\n";
    after_title_ = false;
}

void RoffPage::lines(const std::string& text) {
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (begin != 0) page_ += ".br\n";
        if (text[begin] == '.') page_ += "\\&";  // or it would be a macro; "'" is escaped always
        page_.append(text, begin, end - begin).push_back('\n');
        begin = end + 1;
    }
}

void RoffPage::paragraph(const std::string& text) {
    begin_paragraph();
    lines(text);
}

void RoffPage::tagged(const std::string& tag, const std::string& text) {
    page_ += ".TP\n";
    after_title_ = false;
    lines(tag);
    if (!text.empty()) lines(text);
}

void RoffPage::literal(std::string_view lines_given) {
    begin_paragraph();
    page_ += ".nf\n";
    while (!lines_given.empty()) {
        const std::string_view line = take_line(lines_given);
        if (!line.empty()) page_ += "  " + roff_text(line);  // indented, so never a macro
        page_ += '\n';
    }
    page_ += ".fi\n";
}

std::string RoffPage::finish(std::string_view see_also) {
    section("See also");
    std::string text;
    while (!see_also.empty()) {  // the names in bold
        const std::size_t bracket = see_also.find('(');
        const std::size_t end = std::min(see_also.find(' ', bracket), see_also.size());
        text += roff_bold(see_also.substr(0, bracket)) + std::string(see_also.substr(bracket, end - bracket));
        if (end < see_also.size()) text += ' ';
        see_also.remove_prefix(std::min(end + 1, see_also.size()));
    }
    lines(text);
    return std::move(page_);
}

}  // namespace sluice::cli
