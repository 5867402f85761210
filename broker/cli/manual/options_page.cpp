#include "broker/cli/manual/options_page.hpp"

#include <string>
#include <utility>
#include <vector>

#include "broker/cli/manual/markdown_page.hpp"
#include "broker/cli/manual/words.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::cli {

namespace {

void append_word(std::string& text, std::string_view more) {
    if (!text.empty() && !more.empty()) text += ' ';
    text += more;
}

// Where a line's comment begins: a # after a blank or at the beginning, outside quotes.
std::size_t comment_in(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') quoted = !quoted;
        if (line[i] == '#' && !quoted && (i == 0 || line[i - 1] == ' ')) return i;
    }
    return line.size();
}

// The length of the name at the beginning of "name: value", or 0.
std::size_t name_in(std::string_view text) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
    if (end == std::string_view::npos || end == 0 || text[end] != ':') return 0;
    return end + 1 == text.size() || text[end + 1] == ' ' ? end : 0;
}

// An option, as far as it has been read.
struct YamlOption {
    std::string name, value, comment;
    bool is_example = false;  // in lines that are commented out
};

class OptionsReader {
public:
    explicit OptionsReader(RoffPage& page) : page_(page) {}

    void read(std::string_view line) {
        const bool commented_out = line.starts_with('#') && !option_.name.empty();
        if (commented_out) line.remove_prefix(1);
        const std::size_t comment = comment_in(line);
        const std::string_view said = text::trim(line.substr(0, comment));
        if (const std::size_t length = name_in(said)) {
            begin(line.find_first_not_of(' '), std::string(said.substr(0, length)));
            append_word(option_.value, text::trim(said.substr(length + 1)));
            option_.is_example = commented_out;
        } else {
            append_word(commented_out ? option_.comment : option_.value, said);
        }
        if (comment < line.size()) append_word(option_.comment, text::trim(line.substr(comment + 1)));
    }

    // Writes the option, which is complete.
    void finish() {
        const std::string comment = roff_of_markdown(option_.comment);
        if (option_.name.empty()) {
            page_.section("Description");
            page_.paragraph(comment);
            page_.section("Options");
        } else if (above_.size() == 1) {
            page_.subsection(option_.name + (option_.value.empty() ? "" : ": " + option_.value));
            if (!comment.empty()) page_.paragraph(comment);
        } else if (!comment.empty() || !option_.value.empty()) {
            const char* const joint = option_.value.empty() ? "" : option_.is_example ? ", such as " : ": ";
            page_.tagged(roff_bold(option_.name) + joint + roff_text(option_.value), comment);
        }
        option_ = {};
    }

private:
    void begin(std::size_t indent, std::string name) {
        finish();
        while (!above_.empty() && above_.back().first >= indent) above_.pop_back();
        if (!above_.empty()) name = above_.back().second + "." + name;
        above_.emplace_back(indent, name);
        option_.name = std::move(name);
    }

    RoffPage& page_;
    YamlOption option_;                                       // at first without a name: the beginning of the file
    std::vector<std::pair<std::size_t, std::string>> above_;  // the option and those that it is in, with their indents
};

}  // namespace

void add_options(RoffPage& page, std::string_view yaml) {
    OptionsReader reader(page);
    while (!yaml.empty()) reader.read(take_line(yaml));
    reader.finish();
}

}  // namespace sluice::cli
