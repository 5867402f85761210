#include "broker/base/log.hpp"

#include <catch2/catch.hpp>

using sluice::base::log_text;
using sluice::config::LogFormat;

TEST_CASE("text lines are a message and name=value") {
    CHECK(log_text(LogFormat::text, "listening", {}) == "listening");
    CHECK(log_text(LogFormat::text, "listening", {{"address", "127.0.0.1"}, {"port", 8080}, {"tls", false}}) ==
          "listening address=127.0.0.1 port=8080 tls=false");
    CHECK(log_text(LogFormat::text, "m", {{"load", 0.5}, {"delta", -3}}) == "m load=0.5 delta=-3");
}

TEST_CASE("a value can't forge another field or line") {
    CHECK(log_text(LogFormat::text, "m", {{"name", "a b=c\nnext"}}) == R"(m name="a b=c\nnext")");
    CHECK(log_text(LogFormat::text, "m", {{"name", ""}}) == R"(m name="")");
    CHECK(log_text(LogFormat::json, "m", {{"name", "a\"b\n"}}) == R"("message":"m","name":"a\"b\n"})");
}

TEST_CASE("a value can't command a terminal that shows the log, or reorder its text") {
    for (const LogFormat format : {LogFormat::text, LogFormat::json}) {
        const auto logged = [&](std::string_view text) {
            const std::string line = log_text(format, "m", {{"v", text}});
            return format == LogFormat::json ? line.substr(18, line.size() - 19) : line.substr(4);
        };
        CHECK(logged("\x1B[2J\x7F") == R"("\u001b[2J\u007f")");
        CHECK(logged("\u0080\u009B2J\u009F") == R"("\u0080\u009b2J\u009f")");
        CHECK(logged("\u061C\u200E\u200F") == R"("\u061c\u200e\u200f")");
        CHECK(logged("\u202A\u202B\u202C\u202D\u202E") == R"("\u202a\u202b\u202c\u202d\u202e")");
        CHECK(logged("\u2066\u2067\u2068\u2069") == R"("\u2066\u2067\u2068\u2069")");
        CHECK(logged("\u2028\u2029") == R"("\u2028\u2029")");
        CHECK(logged("\xFFx") == "\"\uFFFDx\"");
        CHECK(logged("\u00E9\u05E9 \u2014") == "\"\u00E9\u05E9 \u2014\"");
    }
}

TEST_CASE("JSON lines keep the types") {
    CHECK(log_text(LogFormat::json, "m", {{"n", 7u}, {"ok", true}, {"s", "x"}}) ==
          R"("message":"m","n":7,"ok":true,"s":"x"})");
}

TEST_CASE("a line says how many like it were left out") {
    CHECK(log_text(LogFormat::text, "m", {{"n", 1}}, 3) == "m n=1 left_out=3");
    CHECK(log_text(LogFormat::json, "m", {}, 3) == R"("message":"m","left_out":3})");
}
