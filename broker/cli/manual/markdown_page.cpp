#include "broker/cli/manual/markdown_page.hpp"

#include <algorithm>
#include <vector>

#include "broker/cli/manual/words.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::cli {

namespace {

// "| a | b \| c |": {"a", "b | c"}
std::vector<std::string> cells_of(std::string_view row) {
    std::vector<std::string> cells;
    std::string cell;
    row.remove_prefix(1);
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] == '\\' && i + 1 < row.size() && row[i + 1] == '|') {
            cell += row[++i];
        } else if (row[i] == '|') {
            cells.emplace_back(text::trim(cell));
            cell.clear();
        } else {
            cell += row[i];
        }
    }
    return cells;
}

// A row of a table: its first cell is the tag. Of several others, each has a line, with the column's title if it has
// one.
void add_row(RoffPage& page, const std::vector<std::string>& titles, const std::vector<std::string>& cells) {
    std::string lines;
    for (std::size_t i = 1; i < cells.size(); ++i) {
        if (cells[i].empty()) continue;
        if (!lines.empty()) lines += '\n';
        if (cells.size() > 2 && i < titles.size() && !titles[i].empty()) lines += roff_of_markdown(titles[i]) + ": ";
        lines += roff_of_markdown(cells[i]);
    }
    page.tagged(roff_of_markdown(cells.empty() ? "" : cells.front()), lines);
}

// Reads a table whose first line is `first`, to the line after it.
void add_table(RoffPage& page, std::string_view first, std::string_view& rest) {
    const std::vector<std::string> titles = cells_of(first);
    while (rest.starts_with("|")) {
        const std::string_view row = take_line(rest);
        if (!row.starts_with("| ---")) add_row(page, titles, cells_of(row));
    }
}

void add_code(RoffPage& page, std::string_view& rest) {
    std::string code;
    while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        if (line.starts_with("```")) break;
        code.append(line).push_back('\n');
    }
    page.literal(code);
}

// The part of `text` from `at` to `mark`, and moves `at` behind it; the whole rest if there is no mark.
std::string_view up_to(std::string_view text, std::string_view mark, std::size_t& at) {
    const std::size_t end = std::min(text.find(mark, at), text.size());
    const std::string_view part = text.substr(at, end - at);
    at = std::min(end + mark.size(), text.size());
    return part;
}

}  // namespace

std::string roff_of_markdown(std::string_view line) {
    std::string result;
    for (std::size_t at = 0; at < line.size();) {
        if (line[at] == '`') {
            result += roff_bold(up_to(line, "`", ++at));
        } else if (line.substr(at).starts_with("**")) {
            result += roff_bold(up_to(line, "**", at += 2));
        } else if (line[at] == '[' && line.find("](", at) < line.find(']', at) + 1) {
            result += roff_of_markdown(up_to(line, "](", ++at));
            const std::string_view target = up_to(line, ")", at);
            if (target.starts_with("https://")) result += " (" + roff_text(target) + ")";
        } else {
            const std::size_t end = std::min(line.find_first_of("`*[", at + 1), line.size());
            result += roff_text(line.substr(at, end - at));
            at = end;
        }
    }
    return result;
}

void add_markdown(RoffPage& page, std::string_view document) {
    page.section("Description");
    while (!document.empty()) {
        const std::string_view line = take_line(document);
        if (line.empty() || line.starts_with("# ")) continue;
        if (line.starts_with("## ")) {
            page.section(line.substr(3));
        } else if (line.starts_with("* ")) {
            page.bullet(roff_of_markdown(line.substr(2)));
        } else if (line.starts_with("```")) {
            add_code(page, document);
        } else if (line.starts_with("|")) {
            add_table(page, line, document);
        } else {
            page.paragraph(roff_of_markdown(line));
        }
    }
}

}  // namespace sluice::cli
