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

TEST_CASE("JSON lines keep the types") {
    CHECK(log_text(LogFormat::json, "m", {{"n", 7u}, {"ok", true}, {"s", "x"}}) ==
          R"("message":"m","n":7,"ok":true,"s":"x"})");
}

TEST_CASE("a line says how many like it were left out") {
    CHECK(log_text(LogFormat::text, "m", {{"n", 1}}, 3) == "m n=1 left_out=3");
    CHECK(log_text(LogFormat::json, "m", {}, 3) == R"("message":"m","left_out":3})");
}
