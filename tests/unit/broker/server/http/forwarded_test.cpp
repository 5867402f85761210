#include "broker/server/http/forwarded.hpp"

#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/rounds.hpp"
#include "tests/support/seed.hpp"

using sluice::server::ForwardedSyntax;
using sluice::server::ForwardedWalk;
using sluice::server::TrustedProxies;

namespace {

const std::string peer = "10.0.0.1";
const TrustedProxies trusted({"10.0.0.0/8", "2001:db8:aaaa::/48"});

std::string client_of(const std::vector<std::string>& fields, ForwardedSyntax syntax) {
    ForwardedWalk walk(trusted, boost::asio::ip::make_address(peer));
    for (auto field = fields.rbegin(); field != fields.rend(); ++field) walk.go_back(*field, syntax);
    return walk.client().to_string();
}

std::string of_addresses(const std::vector<std::string>& fields) {
    return client_of(fields, ForwardedSyntax::addresses);
}

std::string of_elements(const std::vector<std::string>& fields) { return client_of(fields, ForwardedSyntax::elements); }

std::string node(std::string_view text) {
    const auto address = sluice::server::parse_node(text);
    return address ? address->to_string() : "none";
}

}  // namespace

TEST_CASE("parse_node: addresses with and without ports") {
    CHECK(node("192.0.2.1") == "192.0.2.1");
    CHECK(node("192.0.2.1:8080") == "192.0.2.1");
    CHECK(node("192.0.2.1:_port.1") == "192.0.2.1");
    CHECK(node("2001:DB8::1") == "2001:db8::1");
    CHECK(node("[2001:db8::1]") == "2001:db8::1");
    CHECK(node("[2001:db8::1]:65535") == "2001:db8::1");
    CHECK(node("::ffff:192.0.2.1") == "192.0.2.1");
    CHECK(node("[::ffff:192.0.2.1]:1") == "192.0.2.1");
    CHECK(node("0000:0000:0000:0000:0000:ffff:255.255.255.255") == "255.255.255.255");
}

TEST_CASE("parse_node: anything else is no address") {
    for (const char* text : {"",
                             " ",
                             "unknown",
                             "_hidden",
                             "localhost",
                             "192.0.2",
                             "192.0.2.256",
                             "192.0.2.01x",
                             "0x7f.1",
                             "2130706433",
                             "192.0.2.1:",
                             "192.0.2.1:123456",
                             "192.0.2.1:http",
                             "192.0.2.1:_",
                             "192.0.2.1 ",
                             "192.0.2.1/24",
                             "[192.0.2.1]",
                             "[]",
                             "[",
                             "]",
                             "[::1",
                             "::1]",
                             "[::1]x",
                             "[::1]:",
                             "[::1]8080",
                             "[[::1]]",
                             "[::1]]",
                             "fe80::1%eth0",
                             "[fe80::1%1]",
                             ":",
                             "::1::",
                             "unix:",
                             "192.0.2.1, 192.0.2.2",
                             "\"192.0.2.1\""}) {
        CAPTURE(text);
        CHECK(node(text) == "none");
    }
    CHECK(node(std::string(100'000, '1')) == "none");
    CHECK(node(std::string("192.0.2.1\0", 10)) == "none");
}

TEST_CASE("ForwardedWalk: the first address from the end that is not a proxy's is the client's") {
    CHECK(of_addresses({}) == peer);
    CHECK(of_addresses({""}) == peer);
    CHECK(of_addresses({"192.0.2.1"}) == "192.0.2.1");
    CHECK(of_addresses({"198.51.100.7, 192.0.2.1"}) == "192.0.2.1");
    CHECK(of_addresses({"198.51.100.7,192.0.2.1 , 10.1.2.3,\t10.0.0.9"}) == "192.0.2.1");
    CHECK(of_addresses({"198.51.100.7, 2001:db8::1, 2001:db8:aaaa::9"}) == "2001:db8::1");
    CHECK(of_addresses({"192.0.2.1:4711, [2001:db8:aaaa::9]:80"}) == "192.0.2.1");
    CHECK(of_addresses({",, 192.0.2.1 ,, ,"}) == "192.0.2.1");
    // All of them are proxies: the farthest.
    CHECK(of_addresses({"10.9.9.9, 10.1.2.3"}) == "10.9.9.9");
}

TEST_CASE("ForwardedWalk: the fields of a request are one list") {
    CHECK(of_addresses({"198.51.100.7", "192.0.2.1", "10.1.2.3"}) == "192.0.2.1");
    CHECK(of_addresses({"198.51.100.7, 192.0.2.1", "", "10.1.2.3, 10.1.2.4"}) == "192.0.2.1");
    CHECK(of_elements({"for=198.51.100.7", "for=192.0.2.1", "for=10.1.2.3"}) == "192.0.2.1");
}

TEST_CASE("ForwardedWalk: what can't be read ends it") {
    CHECK(of_addresses({"192.0.2.1, unknown"}) == peer);
    CHECK(of_addresses({"192.0.2.1, nonsense, 10.1.2.3"}) == "10.1.2.3");
    CHECK(of_addresses({"192.0.2.1", "nonsense", "10.1.2.3"}) == "10.1.2.3");
    CHECK(of_elements({"for=192.0.2.1, for=_hidden, for=10.1.2.3"}) == "10.1.2.3");
    CHECK(of_elements({"for=192.0.2.1, by=10.1.2.3"}) == peer);
    CHECK(of_elements({"for=192.0.2.1, for=10.1.2.3;for=10.1.2.4"}) == peer);
    CHECK(of_elements({"for=192.0.2.1, for=\"10.1.2.3"}) == peer);
    CHECK(of_elements({"for=192.0.2.1, for=10.1.2.3\""}) == peer);
    CHECK(of_elements({"for=192.0.2.1, for=\"10.1.2.3\"x"}) == peer);
    CHECK(of_elements({"192.0.2.1"}) == peer);
}

TEST_CASE("ForwardedWalk: reads elements as RFC 7239 writes them") {
    CHECK(of_elements({"for=192.0.2.1"}) == "192.0.2.1");
    CHECK(of_elements({"For=\"[2001:db8:cafe::17]:4711\""}) == "2001:db8:cafe::17");
    CHECK(of_elements({"for=192.0.2.60;proto=http;by=203.0.113.43"}) == "192.0.2.60");
    CHECK(of_elements({"proto=https;by=\"a,b;for=1.2.3.4\";FOR=\"192.0.2.60:80\""}) == "192.0.2.60");
    CHECK(of_elements({"for=192.0.2.43, for=198.51.100.17"}) == "198.51.100.17");
    CHECK(of_elements({"for=192.0.2.43 , for=\"10.1.2.3:_secret\";host=\"x\\\"y,z\""}) == "192.0.2.43");
    CHECK(of_elements({";;for=192.0.2.1;"}) == "192.0.2.1");
    CHECK(of_elements({"for = \"192.\\0.2.1\""}) == "192.0.2.1");
    CHECK(of_elements({"for=192.0.2.1, secret=\"\\\\\";for=10.1.2.3"}) == "192.0.2.1");
}

TEST_CASE("ForwardedWalk: nothing that a client writes changes how a proxy's element is read") {
    for (const char* before : {"for=\"", "\"", "for=\"\\", "for=\\\"", "for=1.2.3.4;by=\"x, ", ";;;\"\\\\\"\"", "\\"}) {
        CAPTURE(before);
        CHECK(of_elements({std::string(before) + ", for=192.0.2.1"}) == "192.0.2.1");
        CHECK(of_elements({std::string(before) + ", for=\"192.0.2.1\", for=\"[2001:db8:aaaa::1]\""}) == "192.0.2.1");
        CHECK(of_elements({before, "for=192.0.2.1"}) == "192.0.2.1");
        CHECK(of_addresses({std::string(before) + ", 192.0.2.1"}) == "192.0.2.1");
    }
}

TEST_CASE("ForwardedWalk: takes a bounded number of steps") {
    std::string proxies;
    for (std::size_t n = 1; n < ForwardedWalk::steps_max; ++n) proxies += ", 10.1.2." + std::to_string(n);
    CHECK(of_addresses({"192.0.2.1" + proxies}) == "192.0.2.1");
    CHECK(of_addresses({"192.0.2.1, 10.9.9.9" + proxies}) == "10.9.9.9");
    CHECK(of_addresses({"192.0.2.1", std::string(ForwardedWalk::steps_max, ',')}) == peer);
}

namespace {

// The plain definition, by regular expressions and in quadratic time.
struct Reference {
    // Whether as many quotation marks follow as pairs need, not counting escaped ones.
    static bool is_outside_quotes(const std::string& text, std::size_t at) {
        std::size_t quotes = 0;
        for (std::size_t i = at + 1; i < text.size(); ++i) {
            std::size_t backslashes = 0;
            while (backslashes < i && text[i - backslashes - 1] == '\\') ++backslashes;
            if (text[i] == '"' && backslashes % 2 == 0) ++quotes;
        }
        return quotes % 2 == 0;
    }

    static std::string trimmed(const std::string& text) {
        static const std::regex spaces("^[ \t\r\n]+|[ \t\r\n]+$");
        return std::regex_replace(text, spaces, "");
    }

    static std::vector<std::string> split(const std::string& text, char separator, bool has_quotes) {
        std::vector<std::string> parts(1);
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == separator && (!has_quotes || is_outside_quotes(text, i)))
                parts.emplace_back();
            else
                parts.back() += text[i];
        }
        for (std::string& part : parts) part = trimmed(part);
        return parts;
    }

    static std::string address(const std::string& text) {
        static const std::regex form(
            R"((?:([0-9.]+)|\[([0-9a-fA-F:.]*:[0-9a-fA-F:.]*)\])(?::(?:[0-9]{1,5}|_[-_.0-9A-Za-z]+))?)");
        static const std::regex bare("[0-9a-fA-F.]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*");
        std::smatch found;
        std::string plain;
        if (std::regex_match(text, found, form)) plain = found[1].matched ? found[1].str() : found[2].str();
        if (std::regex_match(text, bare)) plain = text;
        unsigned char bytes[16];
        char shown[INET6_ADDRSTRLEN];
        if (inet_pton(AF_INET, plain.c_str(), bytes) == 1) return inet_ntop(AF_INET, bytes, shown, sizeof shown);
        if (inet_pton(AF_INET6, plain.c_str(), bytes) != 1) return "";
        return boost::asio::ip::make_address(plain).to_string();
    }

    static std::string of_element(const std::string& element) {
        static const std::regex is_for("[ \t]*for[ \t]*=[ \t]*(.*)", std::regex::icase);
        static const std::regex quoted(R"re("((?:[^"\\]|\\.)*)")re"), token("[^\"]*");
        static const std::regex escape(R"(\\(.))");
        std::vector<std::string> values;
        std::smatch found;
        for (const std::string& pair : split(element, ';', true))
            if (std::regex_match(pair, found, is_for)) values.push_back(found[1].str());
        if (values.size() != 1) return "";
        const std::string value = values[0];
        if (std::regex_match(value, found, quoted)) return address(std::regex_replace(found[1].str(), escape, "$1"));
        return std::regex_match(value, token) ? address(value) : "";
    }

    static std::string client_of(const std::vector<std::string>& fields, ForwardedSyntax syntax) {
        const bool has_elements = syntax == ForwardedSyntax::elements;
        std::vector<std::string> all;
        for (const std::string& field : fields) {
            if (field.empty()) continue;
            // A separator at the front has nothing before it to step over.
            for (std::string& part : split(field, ',', has_elements)) all.push_back(std::move(part));
        }
        std::string client = peer;
        std::size_t steps = 0;
        for (auto part = all.rbegin(); part != all.rend() && steps < ForwardedWalk::steps_max; ++part, ++steps) {
            if (part->empty()) continue;
            const std::string next = has_elements ? of_element(*part) : address(*part);
            if (next.empty()) break;
            client = next;
            if (!trusted.contains(boost::asio::ip::make_address(client))) break;
        }
        return client;
    }
};

}  // namespace

TEST_CASE("ForwardedWalk: finds what the plain definition does") {
    std::mt19937_64 random(sluice::testing::seed(58));
    const std::vector<std::string> pieces{"for=",
                                          "For = ",
                                          "\"",
                                          "\"",
                                          "\\",
                                          ",",
                                          ",",
                                          ";",
                                          " ",
                                          "10.0.0.1",
                                          "10.2.3.4",
                                          "192.0.2.1",
                                          "[",
                                          "]",
                                          ":80",
                                          ":_x",
                                          "2001:db8::1",
                                          "unknown",
                                          "_a",
                                          "by=",
                                          "proto=http",
                                          "[2001:db8:aaaa::2]",
                                          "=",
                                          "\t",
                                          "for=10.1.1.1",
                                          "for=\"10.1.1.2:8\"",
                                          ", for=\"[2001:db8:aaaa::7]\"",
                                          ", 10.4.4.4"};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::size_t found = 0;
    const std::size_t rounds = sluice::testing::fewer_if_sanitized(20'000);
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<std::string> fields(1 + below(3));
        for (std::string& field : fields)
            for (std::size_t n = below(12); n > 0; --n) field += pieces[below(pieces.size())];
        for (const ForwardedSyntax syntax : {ForwardedSyntax::addresses, ForwardedSyntax::elements}) {
            const std::string expected = Reference::client_of(fields, syntax);
            if (client_of(fields, syntax) == expected) {
                found += expected != peer;
                continue;
            }
            CAPTURE(fields, syntax == ForwardedSyntax::elements);
            CHECK(client_of(fields, syntax) == expected);
        }
    }
    CHECK(found > rounds / 20);
}
