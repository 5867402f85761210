#include "broker/cli/manual/options_page.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "broker/cli/manual/markdown_page.hpp"
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
struct Entry {
    std::string name, value, comment;
    bool is_example = false;  // in lines that are commented out
};

class OptionsReader {
public:
    explicit OptionsReader(RoffPage& page) : page_(page) {}

    void read(std::string_view line) {
        const bool commented_out = line.starts_with('#') && !entry_.name.empty();
        if (commented_out) line.remove_prefix(1);
        const std::size_t comment = comment_in(line);
        const std::string_view said = text::trim(line.substr(0, comment));
        if (const std::size_t length = name_in(said)) {
            begin(line.find_first_not_of(' '), std::string(said.substr(0, length)));
            append_word(entry_.value, text::trim(said.substr(length + 1)));
            entry_.is_example = commented_out;
        } else {
            append_word(commented_out ? entry_.comment : entry_.value, said);
        }
        if (comment < line.size()) append_word(entry_.comment, text::trim(line.substr(comment + 1)));
    }

    // Writes the entry, which is complete.
    void finish() {
        const std::string comment = roff_of_markdown(entry_.comment);
        if (entry_.name.empty()) {
            page_.section("Description");
            page_.paragraph(comment);
            page_.section("Options");
        } else if (above_.size() == 1) {
            page_.subsection(entry_.name + (entry_.value.empty() ? "" : ": " + entry_.value));
            if (!comment.empty()) page_.paragraph(comment);
        } else if (!comment.empty() || !entry_.value.empty()) {
            const char* const joint = entry_.value.empty() ? "" : entry_.is_example ? ", such as " : ": ";
            page_.tagged(roff_bold(entry_.name) + joint + roff_text(entry_.value), comment);
        }
        entry_ = {};
    }

private:
    void begin(std::size_t indent, std::string name) {
        finish();
        while (!above_.empty() && above_.back().first >= indent) above_.pop_back();
        if (!above_.empty()) name = above_.back().second + "." + name;
        above_.emplace_back(indent, name);
        entry_.name = std::move(name);
    }

    RoffPage& page_;
    Entry entry_;                                             // at first without a name: the beginning of the file
    std::vector<std::pair<std::size_t, std::string>> above_;  // the entry and those that it is in, with their indents
};

}  // namespace

void add_options(RoffPage& page, std::string_view yaml) {
    OptionsReader reader(page);
    while (!yaml.empty()) {
        const std::size_t end = std::min(yaml.find('\n'), yaml.size());
        reader.read(yaml.substr(0, end));
        yaml.remove_prefix(std::min(end + 1, yaml.size()));
    }
    reader.finish();
}

}  // namespace sluice::cli
