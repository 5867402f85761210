#include "broker/cli/manual/options_page.hpp"

#include <catch2/catch.hpp>

using namespace sluice::cli;

TEST_CASE("add_options lists options by their full names, with defaults and the whole of their comments") {
    RoffPage page("x", 5, "y");
    add_options(page, R"(# All options.
# They have defaults.

http:
  port: 8080    # 0: any; "#" is
                # no comment
  name: "a # b"
  nested:       # of this
    deep: []
      [more]

streams: {}     # by name
#  weather:
#    path: /x   # the path,
#               # at length
)");
    const std::string text = page.finish("z(1)");
    const std::size_t begin = text.find(".SH \"DESCRIPTION\"");
    CHECK(text.substr(begin, text.find(".SH \"SEE ALSO\"") - begin) == R"(.SH "DESCRIPTION"
All options. They have defaults.
.SH "OPTIONS"
.SS "http"
.TP
\fBhttp.port\fR: 8080
0: any; \(dq#\(dq is no comment
.TP
\fBhttp.name\fR: \(dqa # b\(dq
.TP
\fBhttp.nested\fR
of this
.TP
\fBhttp.nested.deep\fR: [] [more]
.SS "streams: {}"
by name
.TP
\fBstreams.weather.path\fR, such as /x
the path, at length
)");
}
