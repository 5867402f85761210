#include "protocol/text/trace_context.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

using sluice::text::is_trace_parent;
using sluice::text::trace_context;
using sluice::text::trace_id;
using sluice::text::TraceContext;

namespace {

const std::string example_parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::string state_of(const std::string& state) { return trace_context(example_parent, state).state; }

std::string repeated(std::size_t n, char c) { return std::string(n, c); }

std::string members(std::size_t n) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += (i == 0 ? "k" : ",k") + std::to_string(i) + "=1";
    return all;
}

}  // namespace

TEST_CASE("is_trace_parent: version 00 → 55 characters, lower-case hexadecimal, no id of zeros alone") {
    CHECK(is_trace_parent(example_parent));
    CHECK(trace_id(example_parent) == "0af7651916cd43dd8448eb211c80319c");
    CHECK(is_trace_parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"));
    CHECK(is_trace_parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff"));
    for (const char* bad : {
             "",
             "00",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-011",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what",
             "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-B7AD6B7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0A",
             "00-00000000000000000000000000000000-b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
             "00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033311-01",
             "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
             "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331.01",
             " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 ",
             "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "000-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
         }) {
        INFO(bad);
        CHECK_FALSE(is_trace_parent(bad));
    }
}

TEST_CASE("is_trace_parent: later versions → what version 00 has, and more behind a dash, but never version ff") {
    const std::string later = "cc" + example_parent.substr(2);
    CHECK(is_trace_parent(later));
    CHECK(is_trace_parent("01" + example_parent.substr(2)));
    CHECK(is_trace_parent(later + "-what-the-future-will-be-like"));
    CHECK(is_trace_parent(later + "-"));
    CHECK_FALSE(is_trace_parent(later + ".what-the-future-will-be-like"));
    CHECK_FALSE(is_trace_parent(later + "0"));
    CHECK_FALSE(is_trace_parent(later + "-a b"));
    CHECK_FALSE(is_trace_parent(later + "-\xC3\xA9"));
    CHECK_FALSE(is_trace_parent(later + std::string("-\0", 2)));
    CHECK(is_trace_parent(later + "-" + repeated(456, 'x')));
    CHECK_FALSE(is_trace_parent(later + "-" + repeated(457, 'x')));
    CHECK_FALSE(is_trace_parent("ff" + example_parent.substr(2)));
    CHECK_FALSE(is_trace_parent("CC" + example_parent.substr(2)));
    CHECK_FALSE(is_trace_parent("cg" + example_parent.substr(2)));
}

TEST_CASE("is_trace_parent: every byte at every place → only what the grammar allows there") {
    for (std::size_t at = 0; at < example_parent.size(); ++at) {
        const bool is_dash = at == 2 || at == 35 || at == 52;
        for (int byte = 0; byte < 256; ++byte) {
            std::string text = example_parent;
            text[at] = static_cast<char>(byte);
            const bool is_hex = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
            INFO(at << ' ' << byte);
            CHECK(is_trace_parent(text) == (is_dash ? byte == '-' : is_hex));
        }
    }
}

TEST_CASE("trace_context: a malformed traceparent → nothing, a malformed tracestate → no state") {
    CHECK(trace_context(example_parent, "a=b") == TraceContext{example_parent, "a=b"});
    CHECK(trace_context(example_parent, "") == TraceContext{example_parent, ""});
    CHECK(trace_context(example_parent, "a b") == TraceContext{example_parent, ""});
    CHECK(trace_context("", "a=b").empty());
    CHECK(trace_context("junk", "a=b") == TraceContext{});
}

TEST_CASE("trace_context: tracestate → its members, without blanks around them and empty ones") {
    CHECK(state_of("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE") == "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
    CHECK(state_of(" \t foo=1 \t , \t bar=2 , baz=3") == "foo=1,bar=2,baz=3");
    CHECK(state_of(",foo=1,,\t,bar=2,") == "foo=1,bar=2");
    CHECK(state_of("fw529a3039@dt=FfeYnsPGbsVn") == "fw529a3039@dt=FfeYnsPGbsVn");
    CHECK(state_of("0tenant@sys=1") == "0tenant@sys=1");
    CHECK(state_of("a_-*/9=x y!\"#$%&'()*+-./:;<>?@[\\]^_`{|}~") == "a_-*/9=x y!\"#$%&'()*+-./:;<>?@[\\]^_`{|}~");
    CHECK(state_of("a= b") == "a= b");
    CHECK(state_of("a=1,a=2") == "a=1,a=2");  // which of them counts is for the tracing system to say
    CHECK(state_of(" ,\t,").empty());
    for (const char* bad :
         {"foo",     "=1",           "foo=",         "foo =1",           "FOO=1",         "foo.bar=1",
          "0foo=1",  "foo@=1,bar=2", "@foo=1,bar=2", "foo@@bar=1,bar=2", "foo@bar@baz=1", "t@0sys=1",
          "foo=1=2", "foo=1,bar",    "foo=\x7F",     "foo=\x1F",         "foo=\xC3\xA9",  "foo=1;bar=2\n",
          "foo=1\r", "a=1,B=2",      "\xFF"}) {
        INFO(bad);
        CHECK(state_of(bad).empty());
    }
    CHECK(state_of(std::string("a=\0", 3)).empty());
}

TEST_CASE("trace_context: tracestate → the lengths of keys and values, and the number of members, are limited") {
    const auto key = [](const std::string& text) { return !state_of(text + "=1").empty(); };
    CHECK(key(repeated(256, 'z')));
    CHECK_FALSE(key(repeated(257, 'z')));
    CHECK(key(repeated(241, 't') + "@" + repeated(14, 'v')));
    CHECK_FALSE(key(repeated(242, 't') + "@v"));
    CHECK_FALSE(key("t@" + repeated(15, 'v')));
    CHECK(state_of("a=" + repeated(256, 'v')) == "a=" + repeated(256, 'v'));
    CHECK(state_of("a=" + repeated(257, 'v')).empty());
    CHECK(state_of(members(32)) == members(32));
    CHECK(state_of("," + members(32) + ",") == members(32));
    CHECK(state_of(members(33)).empty());
}

TEST_CASE("trace_context: tracestate of more than 512 characters → loses long members first, then the last ones") {
    const auto member = [](const char* key, std::size_t bytes) { return key + ("=" + repeated(bytes - 2, 'v')); };
    const std::string a = member("a", 128), b = member("b", 129), c = member("c", 128), d = member("d", 128),
                      e = member("e", 125);
    CHECK(state_of(a + "," + c + "," + d + "," + e) == a + "," + c + "," + d + "," + e);  // 512
    CHECK(state_of(a + "," + b + "," + c + "," + d) == a + "," + c + "," + d);
    CHECK(state_of(a + "," + c + "," + d + "," + member("e", 126)) == a + "," + c + "," + d);
    CHECK(state_of(b + "," + member("f", 256) + "," + member("g", 256)) == b + "," + member("f", 256));
}

TEST_CASE("trace_context: junk → a well-formed context that stays the same, or none") {
    std::mt19937 random(1);
    const std::string alphabet = "az09_-*/@=, \t~" + std::string("\0\x7F\xFF", 3);
    std::size_t states = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string state = "a9=b c, d@e=f,g=h";
        for (std::size_t n = random() % 8; n > 0; --n)
            state[random() % state.size()] = alphabet[random() % alphabet.size()];
        const TraceContext context = trace_context(example_parent, state);
        if (!context.state.empty()) ++states;
        CHECK(trace_context(context.parent, context.state) == context);
        CHECK(context.state.size() <= 512);
        std::string parent = example_parent;
        parent[random() % parent.size()] = static_cast<char>(random() % 256);
        parent.resize(random() % 2 == 0 ? parent.size() : random() % 60);
        CHECK((trace_context(parent, "").empty() || is_trace_parent(parent)));
    }
    CHECK(states > 100);
}
