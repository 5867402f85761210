#include "broker/cli/client/server_url.hpp"

#include <catch2/catch.hpp>

using sluice::cli::parse_server_url;

TEST_CASE("a server's URL has a scheme, a host, and perhaps a port and a path") {
    const auto local = parse_server_url("http://localhost:8080/");
    REQUIRE(local.has_value());
    CHECK(local->url == "http://localhost:8080");
    CHECK(local->authority == "localhost:8080");
    CHECK(parse_server_url("https://example.org/a/broker//")->url == "https://example.org/a/broker");
    CHECK(parse_server_url("http://example.org:65535")->authority == "example.org:65535");
    CHECK(parse_server_url("http://[::1]:9000")->authority == "[::1]:9000");
    for (const char* wrong :
         {"", "localhost:8080", "ftp://localhost", "file:///etc/passwd", "http://", "http://localhost:99999999",
          "http://localhost:84270", "http://localhost:65536", "http://localhost:0",
          "http://localhost:", "http://user@localhost", "http://localhost?x", "http://localhost/#x", "http://a b"}) {
        CAPTURE(wrong);
        const auto parsed = parse_server_url(wrong);
        REQUIRE(!parsed);
        CHECK_THAT(parsed.error().message, Catch::Contains("http[s]://HOST[:PORT][/PATH]"));
    }
}

TEST_CASE("parse_server_url: a host without a scheme → the URL that was probably meant") {
    const auto message = [](const char* url) { return parse_server_url(url).error().message; };
    CHECK(message("localhost:8080") ==
          "the server 'localhost:8080' is not of the form http[s]://HOST[:PORT][/PATH] or unix:PATH; did you mean "
          "http://localhost:8080?");
    for (const char* url : {"localhost", "127.0.0.1:8080", "[::1]:8080", "broker.example.org"}) {
        CAPTURE(url);
        CHECK_THAT(message(url), Catch::EndsWith("; did you mean http://" + std::string(url) + "?"));
    }
    for (const char* url :
         {"", "localhost:0", "a b", "user@localhost", "localhost:8080/a", "ftp://localhost", "http://"}) {
        CAPTURE(url);
        CHECK_THAT(message(url), !Catch::Contains("did you mean"));
    }
}

TEST_CASE("parse_server_url: unix:PATH → the path of a socket, as it is written") {
    const auto socket = parse_server_url("unix:/run/a b%20.sock/");
    REQUIRE(socket.has_value());
    CHECK(socket->socket_path == "/run/a b%20.sock/");
    CHECK(socket->url == "unix:/run/a b%20.sock/");
    CHECK(socket->authority == socket->url);
    CHECK(socket->is_local);
    CHECK(!socket->is_tls);
    CHECK(parse_server_url("unix:sluice.sock")->socket_path == "sluice.sock");
    CHECK(parse_server_url("unix:" + std::string(107, 'x')).has_value());
    for (const std::string& wrong : {std::string("unix:"), "unix:" + std::string(108, 'x')}) {
        CAPTURE(wrong);
        const auto parsed = parse_server_url(wrong);
        REQUIRE(!parsed);
        CHECK_THAT(parsed.error().message, Catch::Contains("of the form unix:PATH, with a path of 1 to 107 bytes"));
    }
}

TEST_CASE("parse_server_url: https → TLS") {
    CHECK(parse_server_url("https://example.org")->is_tls);
    CHECK(parse_server_url("HTTPS://[::1]:8443/a")->is_tls);
    CHECK(!parse_server_url("http://example.org:443")->is_tls);
    CHECK(parse_server_url("https://example.org")->socket_path.empty());
}

TEST_CASE("a URL of this machine is recognised, since no proxy can lead there") {
    for (const char* local : {"http://localhost", "http://LOCALHOST:1", "http://localhost.", "http://a.localhost",
                              "http://127.0.0.1", "http://127.8.9.10:80", "http://[::1]", "http://0.0.0.0:8080",
                              "http://[::]", "http://[::ffff:127.0.0.1]", "http://[::ffff:0.0.0.0]"}) {
        CAPTURE(local);
        CHECK(parse_server_url(local)->is_local);
    }
    for (const char* other :
         {"http://example.org", "http://localhost.example.org", "http://10.0.0.1", "http://128.0.0.1",
          "http://[fe80::1]", "http://[::ffff:10.0.0.1]", "http://notlocalhost"}) {
        CAPTURE(other);
        CHECK(!parse_server_url(other)->is_local);
    }
}
