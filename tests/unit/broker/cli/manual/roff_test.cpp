#include "broker/cli/manual/roff.hpp"

#include <catch2/catch.hpp>

using namespace sluice::cli;

TEST_CASE("roff_text escapes whatever roff or its fonts would change") {
    CHECK(roff_text(R"(a\fB-x 'y' "z" `^~ é…😀)") ==
          R"(a\efB\-x \(aqy\(aq \(dqz\(dq \(ga\(ha\(ti \[u00E9]\[u2026]\[u1F600])");
    CHECK(roff_text("a\tb\xFF") == "a b\\[uFFFD]");
    CHECK(roff_bold("--set") == R"(\fB\-\-set\fR)");
    CHECK(roff_italic("FILE") == R"(\fIFILE\fR)");
}

TEST_CASE("RoffPage: text never begins a macro, and a paragraph after a title has none") {
    RoffPage page("a-b", 7, "it's .so");
    page.section("Two words");
    page.paragraph(roff_text(".so /etc/passwd"));
    page.paragraph(roff_text("'br") + "\n" + roff_text(".br"));
    page.subsection("say \"x\"");
    page.literal(".TH\n\n'x\n");
    page.tagged(".a", "");
    page.tagged(roff_bold("b"), ".c");
    const std::string text = page.finish("x-y(1), z(8)");
    CHECK(text.starts_with(".TH A\\-B 7 \"\" \"Sluice "));
    CHECK(text.substr(text.find(".SH")) == R"(.SH "NAME"
a\-b \- it\(aqs .so
.SH "TWO WORDS"
\&.so /etc/passwd
.PP
\(aqbr
.br
\&.br
.SS "say \(dqx\(dq"
.nf
  .TH

  \(aqx
.fi
.TP
\&.a
.TP
\fBb\fR
\&.c
.SH "SEE ALSO"
\fBx\-y\fR(1), \fBz\fR(8)
)");
}
