#include "broker/cli/manual/markdown_page.hpp"

#include <catch2/catch.hpp>

using namespace sluice::cli;

TEST_CASE("roff_of_markdown: code and bold text are bold, and links keep the addresses of other places") {
    CHECK(roff_of_markdown("a `b-c` **d** * e") == R"(a \fBb\-c\fR \fBd\fR * e)");
    CHECK(roff_of_markdown("[`x`](../x.hpp), [y](https://example.org/y)[1]") ==
          R"(\fBx\fR, y (https://example.org/y)[1])");
    CHECK(roff_of_markdown("`a[1]` [b] (c) `no end") == R"(\fBa[1]\fR [b] (c) \fBno end\fR)");
}

TEST_CASE("add_markdown writes headings, lists, tables and code") {
    RoffPage page("x", 7, "y");
    add_markdown(page,
                 "# Title\n\nText.\n\n```\na = 'b'\n```\n\n## Part\n\n* one\n* two\n\n"
                 "| f | v |\n| --- | --- |\n| `a \\| b` | c |\n\n"
                 "| o | default | |\n| --- | --- | --- |\n| d | 3 | e |\n| g | | |\n");
    const std::string text = page.finish("z(1)");
    const std::size_t begin = text.find(".SH \"DESCRIPTION\"");
    CHECK(text.substr(begin, text.find(".SH \"SEE ALSO\"") - begin) == R"(.SH "DESCRIPTION"
Text.
.PP
.nf
  a = \(aqb\(aq
.fi
.SH "PART"
.TP
\(bu
one
.TP
\(bu
two
.TP
\fBa | b\fR
c
.TP
d
default: 3
.br
e
.TP
g
)");
}
