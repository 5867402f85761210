// Writes a manual page in roff, the language of man, with the macros of man(7). The text of a page is ASCII: other
// characters are escaped. Plain values; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::cli {

// Text that stands in the page as it is given, whatever characters it has; in bold; in italics.
std::string roff_text(std::string_view text);
std::string roff_bold(std::string_view text);
std::string roff_italic(std::string_view text);

// Titles and literal text are given as they are to be read, all else as the functions above return it. A line feed in
// it begins a new line.
class RoffPage {
public:
    // "sluice", 1, "publishes feeds": the page sluice(1), with its section NAME.
    RoffPage(std::string_view name, int section_number, std::string_view summary);

    void section(std::string_view title);
    void subsection(std::string_view title);
    void paragraph(const std::string& text);
    void tagged(const std::string& tag, const std::string& text);
    void bullet(const std::string& text) { tagged("\\(bu", text); }
    void literal(std::string_view lines);

    // The page with its last section, SEE ALSO: "sluiced(8), sluice.yaml(5)".
    std::string finish(std::string_view see_also);

private:
    void begin_paragraph();
    void lines(const std::string& text);

    std::string page_;
    bool after_title_ = false;
};

}  // namespace sluice::cli
