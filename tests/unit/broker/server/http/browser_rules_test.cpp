#include "broker/server/http/browser_rules.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <utility>

using sluice::config::HttpOptions;
using sluice::server::BrowserRules;
using sluice::server::HeadFields;
using sluice::server::HttpReply;
namespace http = sluice::server::http;

namespace {

HttpOptions options(std::string address, std::vector<std::string> hosts = {}, std::vector<std::string> origins = {}) {
    HttpOptions made;
    made.address = std::move(address);
    made.hosts = std::move(hosts);
    made.allow_origins = std::move(origins);
    return made;
}

HeadFields fields(const std::map<std::string, std::string>& values) {
    HeadFields made;
    for (const auto& [name, value] : values) made.set(name, value);
    return made;
}

// Returns 0 if not refused.
unsigned status(const HttpOptions& o, http::verb method, const std::map<std::string, std::string>& values,
                std::string_view host, std::string_view path = "/v1/events") {
    const auto refusal = BrowserRules(o).refuse(method, fields(values), host, path);
    return refusal ? refusal->status : 0;
}

std::string header(const HttpReply& reply, std::string_view name) {
    for (const auto& [each, value] : reply.headers) {
        if (each == name) return value;
    }
    return "";
}

}  // namespace

TEST_CASE("on a loopback address a request names a loopback host") {
    for (const char* address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
        for (const char* host :
             {"localhost", "LocalHost:8080", "localhost:", "localhost.", "127.0.0.1", "127.0.0.1:8080", "127.1.2.3:1",
              "[::1]", "[::1]:8080", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]:8080", ""}) {
            CAPTURE(address, host);
            CHECK(status(options(address), http::verb::get, {}, host) == 0);
        }
        for (const char* host :
             {"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1",
              "[::2]", "[::ffff:192.0.2.1]", "127.1", "2130706433", "::", "[", "]:", "localhost@evil",
              "localhost:80@evil.example", "localhost:evil.example", "127.0.0.1:80:80", "[::1]:80@evil.example",
              "[::1]evil.example", "::1"}) {
            CAPTURE(address, host);
            CHECK(status(options(address), http::verb::get, {}, host) == 421);
        }
    }
    CHECK(status(options("0.0.0.0"), http::verb::get, {}, "evil.example") == 0);
    CHECK(status(options("192.0.2.1"), http::verb::get, {}, "broker.example") == 0);
}

TEST_CASE("hosts may be named") {
    const HttpOptions named = options("127.0.0.1", {"broker.example", "other.example:81"});
    CHECK(status(named, http::verb::post, {}, "Broker.example:8080") == 0);
    CHECK(status(named, http::verb::post, {}, "other.example:81") == 0);
    CHECK(status(named, http::verb::post, {}, "other.example:82") == 421);
    CHECK(status(named, http::verb::post, {}, "x.broker.example") == 421);
    CHECK(status(named, http::verb::post, {}, "broker.example:80@evil.example") == 421);
    CHECK(status(options("127.0.0.1", {"*"}), http::verb::post, {}, "anything") == 0);
}

TEST_CASE("pages of other origins are refused") {
    const HttpOptions o = options("127.0.0.1");
    for (const http::verb method : {http::verb::get, http::verb::post, http::verb::options}) {
        const auto of = [&](const char* origin, const char* host) {
            return status(o, method, {{"Origin", origin}}, host);
        };
        CHECK(of("http://localhost:8080", "localhost:8080") == 0);
        CHECK(of("http://localhost", "localhost") == 0);
        CHECK(of("http://localhost", "localhost:80") == 0);
        CHECK(of("https://localhost:443", "LOCALHOST") == 0);  // through a TLS proxy
        CHECK(of("https://evil.example", "localhost:8080") == 403);
        CHECK(of("http://localhost:3000", "localhost:8080") == 403);
        CHECK(of("http://127.0.0.1:8080", "localhost:8080") == 403);
        CHECK(of("null", "localhost:8080") == 403);
        CHECK(of("file://", "localhost") == 403);
        CHECK(of("localhost", "localhost") == 403);
    }
    CHECK(status(options("0.0.0.0"), http::verb::post, {{"Origin", "https://evil.example"}}, "192.0.2.1") == 403);
}

TEST_CASE("a request of another origin's page without Origin is refused, whatever its method") {
    const HttpOptions o = options("127.0.0.1");
    for (const http::verb method :
         {http::verb::get, http::verb::head, http::verb::post, http::verb::delete_, http::verb::options}) {
        const auto of = [&](const char* site, const HttpOptions& allowing) {
            return status(allowing, method, {{"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", "no-cors"}}, "localhost");
        };
        CAPTURE(method);
        CHECK(of("cross-site", o) == 403);
        CHECK(of("Cross-Site", o) == 403);
        CHECK(of("same-site", o) == 403);  // a page on another port of this host
        CHECK(of("unheard-of", o) == 403);
        CHECK(of("same-origin", o) == 0);
        CHECK(of("none", o) == 0);
        CHECK(of("cross-site", options("127.0.0.1", {}, {"*"})) == 0);
        CHECK(of("cross-site", options("127.0.0.1", {}, {"https://good.example"})) == 403);
        CHECK(of("cross-site", options("0.0.0.0")) == 403);
    }
    CHECK(status(options("127.0.0.1", {}, {"https://good.example"}), http::verb::get,
                 {{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://good.example"}}, "localhost") == 0);
}

TEST_CASE("a link from another site to a reply that ends is followed, one to a subscription is not") {
    const auto of = [](http::verb method, const char* mode, const char* destination, const char* path) {
        return status(options("127.0.0.1"), method,
                      {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", mode}, {"Sec-Fetch-Dest", destination}},
                      "localhost", path);
    };
    CHECK(of(http::verb::get, "navigate", "document", "/v1/status") == 0);
    CHECK(of(http::verb::get, "navigate", "document", "/") == 0);
    CHECK(of(http::verb::get, "navigate", "document", "/v1/events") == 403);
    CHECK(of(http::verb::post, "navigate", "document", "/v1/status") == 403);
    CHECK(of(http::verb::get, "navigate", "iframe", "/v1/status") == 403);
    CHECK(of(http::verb::get, "no-cors", "document", "/v1/status") == 403);
    CHECK(of(http::verb::get, "no-cors", "image", "/v1/status") == 403);
}

TEST_CASE("origins that are allowed are told so") {
    const BrowserRules rules(options("127.0.0.1", {}, {"https://good.example"}));
    const HeadFields good = fields({{"Origin", "https://good.example"}, {"Access-Control-Request-Method", "POST"}});
    CHECK_FALSE(rules.refuse(http::verb::post, good, "localhost", "/v1/events"));
    CHECK(rules.refuse(http::verb::post, fields({{"Origin", "https://good.example.evil"}}), "localhost", "/v1/events"));
    HttpReply reply;
    rules.permit(good, reply);
    CHECK(header(reply, "Access-Control-Allow-Origin") == "https://good.example");
    CHECK(header(reply, "Vary") == "Origin");
    CHECK(header(reply, "Access-Control-Expose-Headers") == "Allow, ETag, Location, Retry-After, WWW-Authenticate");

    HttpReply answer;
    answer.headers.emplace_back("Allow", "POST, GET");
    rules.permit_methods(good, answer);
    CHECK(header(answer, "Access-Control-Allow-Methods") == "POST, GET");
    for (const char* name : {"Authorization", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID"}) {
        CAPTURE(name);
        CHECK(header(answer, "Access-Control-Allow-Headers").find(name) != std::string::npos);
    }
    CHECK(header(answer, "Access-Control-Max-Age") == "600");
    CHECK(header(answer, "Access-Control-Allow-Private-Network").empty());

    HttpReply other;
    rules.permit(fields({}), other);
    CHECK(header(other, "Vary") == "Origin");  // caches keep the answers apart
    CHECK(header(other, "Access-Control-Allow-Origin").empty());
    HttpReply untouched;
    BrowserRules(options("127.0.0.1")).permit(good, untouched);
    BrowserRules(options("127.0.0.1")).permit_methods(good, untouched);
    CHECK(untouched.headers.empty());
}

TEST_CASE("only origins that are listed by name may use the credentials that a browser adds") {
    const auto allowed = [](std::vector<std::string> origins, const char* origin) {
        HttpReply reply;
        BrowserRules(options("127.0.0.1", {}, std::move(origins))).permit(fields({{"Origin", origin}}), reply);
        return std::pair(header(reply, "Access-Control-Allow-Origin"),
                         header(reply, "Access-Control-Allow-Credentials"));
    };
    const std::pair<std::string, std::string> none;
    const char* good = "https://good.example";
    CHECK(allowed({good}, good) == std::pair<std::string, std::string>(good, "true"));
    CHECK(allowed({"*", good}, good) == std::pair<std::string, std::string>(good, "true"));
    CHECK(allowed({"*"}, good) == std::pair<std::string, std::string>(good, ""));
    CHECK(allowed({"*"}, "*").second.empty());
    CHECK(allowed({good}, "https://other.example") == none);
    CHECK(allowed({}, good) == none);
}

TEST_CASE("a page that is not allowed is refused with credentials, too") {
    for (const char* scheme : {"Basic YWxpY2U6cGFzc3dvcmQ=", "Bearer slt_x_y"}) {
        for (const http::verb method : {http::verb::get, http::verb::post, http::verb::options}) {
            CAPTURE(scheme, method);
            const auto of = [&](const std::map<std::string, std::string>& page) {
                std::map<std::string, std::string> values = page;
                values["Authorization"] = scheme;
                return status(options("127.0.0.1", {}, {"https://good.example"}), method, values, "localhost");
            };
            CHECK(of({{"Origin", "https://evil.example"}}) == 403);
            CHECK(of({{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}}) == 403);
            CHECK(of({{"Origin", "https://good.example"}}) == 0);
        }
    }
}
