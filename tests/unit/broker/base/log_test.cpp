#include "broker/base/log.hpp"

#include <array>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <limits>
#include <new>
#include <string>
#include <vector>

using sluice::base::least_log_level;
using sluice::base::log_at;
using sluice::base::log_enabled;
using sluice::base::log_text;
using sluice::base::LogField;
using sluice::base::short_line;
using sluice::config::LogFormat;
using sluice::config::LogLevel;

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

TEST_CASE("log_text: a number that JSON does not have → null in JSON") {
    const double infinite = std::numeric_limits<double>::infinity();
    CHECK(log_text(LogFormat::json, "m", {{"a", infinite}, {"b", 0.5}}) == R"("message":"m","a":null,"b":0.5})");
    CHECK(log_text(LogFormat::text, "m", {{"a", infinite}}) == "m a=inf");
}

TEST_CASE("log_text: fields of a vector, where some are optional → the same line as of a list") {
    const std::vector<LogField> fields{{"n", 7}, {"s", "x"}};
    CHECK(log_text(LogFormat::text, "m", fields) == log_text(LogFormat::text, "m", {{"n", 7}, {"s", "x"}}));
}

TEST_CASE("short_line: as other lines are, and cut to its room") {
    std::array<char, 256> room;
    const auto json = boost::json::parse(short_line(LogFormat::json, "out of memory", room)).as_object();
    CHECK(json.at("level") == "error");
    CHECK(json.at("message") == "out of memory");
    CHECK(json.at("time").as_string().size() == 24);
    CHECK(json.at("time").as_string().ends_with('Z'));
    const std::string text(short_line(LogFormat::text, "out of memory", room));
    CHECK(text.substr(24) == " error out of memory\n");
    const std::string_view cut = short_line(LogFormat::json, std::string(1'000, 'x'), room);
    CHECK(cut.size() == room.size());
    CHECK(boost::json::parse(cut).as_object().at("message").as_string().size() > 100);
}

TEST_CASE("log_at: a level that is off → the line is not made, and one that throws → all else goes on") {
    const LogLevel before = least_log_level.exchange(LogLevel::info);
    CHECK(log_enabled(LogLevel::info));
    CHECK_FALSE(log_enabled(LogLevel::debug));
    int made = 0;
    log_at(LogLevel::debug, [&] { ++made; });
    CHECK(made == 0);
    log_at(LogLevel::error, [&] { ++made; });
    CHECK(made == 1);
    log_at(LogLevel::error, [&] { throw std::bad_alloc(); });
    least_log_level = before;
}
