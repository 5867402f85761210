// Writes a Markdown document as a manual page: headings, paragraphs, bullet lists, tables, blocks of code, `code`, bold
// text and links, each paragraph, item and row on one line, as protocol/filter/README.md has them. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "broker/cli/manual/roff.hpp"

namespace sluice::cli {

// A line of text with `code`, **bold** and [links](https://example.org/). Links to files are their text alone.
std::string roff_of_markdown(std::string_view line);

// Appends the document to the page. Text before the first section heading (##) is its section DESCRIPTION; the
// document's title (#) is left out, since the page has a name. Tables become tagged paragraphs, whose tags are the
// first column.
void add_markdown(RoffPage& page, std::string_view document);

}  // namespace sluice::cli
