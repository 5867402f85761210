#include <catch2/catch.hpp>
#include <functional>
#include <memory>

#include "broker/core/counters.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/http_sessions.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/io_threads.hpp"
#include "broker/server/net/listener.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

namespace asio = boost::asio;
namespace server = sluice::server;
using sluice::broker::ConnectionRefusal;
using sluice::broker::HttpClient;
using sluice::broker::item;
using sluice::broker::Reply;
using sluice::broker::rss;
using sluice::broker::RunningBroker;

namespace {

std::string get(const std::string& target, const std::string& fields) {
    return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}

std::string from(const std::string& address) { return "X-Forwarded-For: " + address + "\r\n"; }

Reply ask(HttpClient& client, const std::string& request) {
    client.send(request);
    return client.read_reply();
}

// A second listener of a broker, whose requests are answered with who sent them: "192.0.2.1" or "127.0.0.1 local".
struct Mirror {
    explicit Mirror(const std::vector<std::string>& overrides, bool proxy_protocol = false)
        : running(overrides),
          listener(std::make_shared<server::Listener>(place(proxy_protocol), nullptr, threads,
                                                      running.broker.services(), sessions)) {
        threads.start();
        listener->keep_running();
    }
    ~Mirror() {
        listener->close();
        running.broker.services().connections.cut();
        running.broker.services().connections.wait_until_none(server::Connection::Clock::now() +
                                                              std::chrono::minutes(1));
        threads.stop();
    }

    static sluice::config::ListenerOptions place(bool proxy_protocol) {
        sluice::config::ListenerOptions place;
        place.address = "127.0.0.1";
        place.proxy_protocol = proxy_protocol;
        return place;
    }

    static asio::awaitable<server::HttpReply> answer(const server::HttpRequest& request) {
        server::HttpReply reply;
        reply.body = request.principal->address.to_string() + (request.principal->is_local ? " local" : "");
        co_return reply;
    }

    std::string who(const std::string& request) const {
        HttpClient client(listener->place().port);
        return ask(client, request).body;
    }

    RunningBroker running;
    server::IoThreads threads{1};
    server::HttpSessions sessions{running.broker.services(), running.broker.services().browser_rules,
                                  running.broker.services().authentication, [](server::http::verb, std::string_view) {
                                      return server::Route{[](server::HttpRequest& r) { return answer(r); }};
                                  }};
    std::shared_ptr<server::Listener> listener;
};

}  // namespace

TEST_CASE("a trusted proxy names the client of each of its requests") {
    const Mirror mirror({"http.trusted_proxies=[127.0.0.1, 10.0.0.0/8]"});
    HttpClient proxy(mirror.listener->place().port);
    CHECK(ask(proxy, get("/", from("192.0.2.1"))).body == "192.0.2.1");
    CHECK(ask(proxy, get("/", from("2001:db8::1, 10.1.1.1"))).body == "2001:db8::1");
    CHECK(ask(proxy, get("/", "Forwarded: for=\"[2001:db8::2]:80\";proto=https\r\n")).body == "2001:db8::2");
    CHECK(ask(proxy, get("/", from("unknown"))).body == "127.0.0.1");
    CHECK(ask(proxy, get("/", "")).body == "127.0.0.1");  // as nginx sends it for others, without configuration
}

TEST_CASE("others can't name a client") {
    const Mirror mirror({"http.trusted_proxies=[10.0.0.0/8]"});
    CHECK(mirror.who(get("/", from("192.0.2.1"))) == "127.0.0.1");
    CHECK(mirror.who(get("/", "Forwarded: for=192.0.2.1\r\n")) == "127.0.0.1");
}

TEST_CASE("a request is local if it came over loopback, through no proxy, for a loopback host") {
    const Mirror mirror({"http.hosts=['*']", "http.trusted_proxies=[10.0.0.0/8]"});
    const auto is_local = [&](const std::string& request) { return mirror.who(request) == "127.0.0.1 local"; };
    for (const char* host : {"localhost", "LOCALHOST:80", "127.0.0.1", "127.1.2.3:8080", "[::1]", "[::1]:80"}) {
        CAPTURE(host);
        CHECK(is_local("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"));
        CHECK(is_local("GET http://" + std::string(host) + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n"));
    }
    for (const char* host :
         {"broker.example", "192.0.2.1", "localhost.example", "localhost:80@a.example", "127.0.0.1.a.example"}) {
        CAPTURE(host);
        CHECK_FALSE(is_local("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"));
        CHECK_FALSE(is_local("GET http://" + std::string(host) + "/ HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    }
    CHECK_FALSE(is_local("GET / HTTP/1.0\r\n\r\n"));
    for (const char* field : {"Forwarded: for=127.0.0.1", "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: http",
                              "X-Real-IP: 127.0.0.1", "Via: 1.1 a", "X-Forwarded-For:"}) {
        CAPTURE(field);
        CHECK_FALSE(is_local(get("/", std::string(field) + "\r\n")));
    }
    // One request says nothing about the next one.
    HttpClient client(mirror.listener->place().port);
    CHECK(ask(client, get("/", "")).body == "127.0.0.1 local");
    CHECK(ask(client, get("/", "Via: 1.1 a\r\n")).body == "127.0.0.1");
    CHECK(ask(client, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").body == "127.0.0.1");
    CHECK(ask(client, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").body == "127.0.0.1");
    CHECK(ask(client, get("/", "")).body == "127.0.0.1 local");
    CHECK(ask(client, get("/", "")).body == "127.0.0.1 local");
}

TEST_CASE("a trusted proxy may have any number of connections, and each client its share of requests") {
    RunningBroker running({"http.trusted_proxies=[127.0.0.1]", "limits.address_exempt=[]",
                           "limits.address_connections=2", "limits.address_requests=1"});
    auto& addresses = running.broker.services().addresses;
    const auto now = server::AddressTable::Clock::now();
    {
        const auto place = addresses.connect(asio::ip::make_address("192.0.2.1"), now);
        while (!place->take_request(now + std::chrono::hours(1))) continue;
    }
    std::vector<std::unique_ptr<HttpClient>> proxies;
    for (int i = 0; i < 5; ++i) {
        proxies.push_back(std::make_unique<HttpClient>(running.port()));
        CHECK(ask(*proxies.back(), get("/healthz", from("192.0.2." + std::to_string(10 + i)))).status == 200);
    }
    CHECK(ask(*proxies[0], get("/healthz", from("192.0.2.1"))).status == 429);
    CHECK(ask(*proxies[0], get("/healthz", from("192.0.2.2"))).status == 200);
    // The proxy's own requests have a share, too.
    {
        const auto place = addresses.connect_proxy(asio::ip::make_address("127.0.0.1"), now);
        while (!place->take_request(now + std::chrono::hours(1))) continue;
    }
    CHECK(ask(*proxies[0], get("/healthz", "")).status == 429);
    CHECK(ask(*proxies[0], get("/healthz", from("192.0.2.2"))).status == 200);
    CHECK(running.broker.counters().requests_refused[sluice::broker::RequestRefusal::address_requests] == 2);
    CHECK(running.broker.counters().connections_refused[ConnectionRefusal::address] == 0);
}

TEST_CASE("the event streams of a proxy's client are its connections") {
    RunningBroker running(
        {"http.trusted_proxies=[127.0.0.1]", "limits.address_exempt=[]", "limits.address_connections=2"});
    const auto subscribed = [&](const std::string& address) {
        auto client = std::make_unique<HttpClient>(running.port());
        client->send(get("/v1/events", from(address)));
        CHECK(client->read_head().status == 200);
        return client;
    };
    auto first = subscribed("192.0.2.1"), second = subscribed("192.0.2.1");
    HttpClient proxy(running.port());
    const Reply refused = ask(proxy, get("/v1/events", from("192.0.2.1")));
    CHECK(refused.status == 429);
    CHECK(refused.headers.at("retry-after") == "1");
    CHECK(refused.body.find("limits.address_connections") != std::string::npos);
    CHECK(running.broker.counters().connections_refused[ConnectionRefusal::address] == 1);
    CHECK(ask(proxy, get("/healthz", from("192.0.2.1"))).status == 429);
    CHECK(ask(proxy, get("/healthz", from("192.0.2.2"))).status == 200);  // on the same connection
    const auto other = subscribed("192.0.2.2");
    second.reset();
    EVENTUALLY(ask(proxy, get("/healthz", from("192.0.2.1"))).status == 200);
    // A request's place is free again after it.
    for (int i = 0; i < 5; ++i) CHECK(ask(proxy, get("/healthz", from("192.0.2.1"))).status == 200);
    const auto third = subscribed("192.0.2.1");
}

TEST_CASE("the bytes of requests are those of a proxy's client") {
    RunningBroker running(
        {"http.trusted_proxies=[127.0.0.1]", "limits.address_exempt=[]", "limits.address_bytes=1000"});
    const auto begin = [](const std::string& address, int bytes) {
        return "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/rss+xml\r\n" + from(address) +
               "Expect: 100-continue\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n";
    };
    HttpClient first(running.port()), second(running.port()), third(running.port());
    first.send(begin("192.0.2.1", 600));
    first.read_until("\r\n\r\n");
    second.send(begin("192.0.2.2", 600));
    second.read_until("\r\n\r\n");
    CHECK(ask(third, begin("192.0.2.1", 500)).status == 429);
    HttpClient fourth(running.port());
    CHECK(ask(fourth, begin("192.0.2.3", 1'001)).status == 413);
}

TEST_CASE("idempotency keys are those of a proxy's client") {
    RunningBroker running({"http.trusted_proxies=[127.0.0.1]"});
    HttpClient proxy(running.port());
    const auto published = [&](const std::string& address, const std::string& title) {
        return proxy
            .post("/v1/events", rss({item(title)}),
                  "Content-Type: application/rss+xml\r\nIdempotency-Key: k\r\n" + from(address))
            .status;
    };
    CHECK(published("192.0.2.1", "a") == 202);
    CHECK(published("192.0.2.2", "b") == 202);  // another client's key
    CHECK(published("192.0.2.1", "b") == 422);
    CHECK(published("192.0.2.2", "b") == 202);
}

TEST_CASE("a PROXY header names the client of a connection") {
    const Mirror mirror({"http.trusted_proxies=[127.0.0.1, 10.0.0.0/8]"}, true);
    const std::string v2("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0C\xC0\0\x02\x02\x0A\0\0\1\0\1\0\2", 28);
    const std::string local("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", 16);
    CHECK(mirror.who("PROXY TCP4 192.0.2.1 127.0.0.1 4711 80\r\n" + get("/", "")) == "192.0.2.1");
    CHECK(mirror.who("PROXY TCP6 2001:db8::1 ::1 4711 80\r\n" + get("/", "")) == "2001:db8::1");
    CHECK(mirror.who(v2 + get("/", "")) == "192.0.2.2");
    // The proxy's own connection, which is not local, either.
    CHECK(mirror.who("PROXY UNKNOWN\r\n" + get("/", "")) == "127.0.0.1");
    CHECK(mirror.who(local + get("/", "")) == "127.0.0.1");
    CHECK(mirror.who("PROXY TCP4 127.0.0.1 127.0.0.1 4711 80\r\n" + get("/", "")) == "127.0.0.1");
    // Only a client that is a trusted proxy itself may name another.
    CHECK(mirror.who("PROXY TCP4 192.0.2.1 127.0.0.1 4711 80\r\n" + get("/", from("198.51.100.7"))) == "192.0.2.1");
    CHECK(mirror.who("PROXY TCP4 10.1.1.1 127.0.0.1 4711 80\r\n" + get("/", from("198.51.100.7"))) == "198.51.100.7");
    HttpClient slow(mirror.listener->place().port);
    for (const char c : "PROXY TCP4 192.0.2.9 127.0.0.1 4711 80\r\n" + get("/", "")) slow.send(std::string(1, c));
    CHECK(slow.read_reply().body == "192.0.2.9");
    CHECK(ask(slow, get("/", "")).body == "192.0.2.9");
}

TEST_CASE("a connection without the PROXY header, or from others than proxies, is closed") {
    const auto refused = [](const std::vector<std::string>& overrides, const std::string& text) {
        const Mirror mirror(overrides, true);
        HttpClient client(mirror.listener->place().port);
        client.send(text);
        CHECK(client.is_closed_by_peer());
        return mirror.running.broker.counters().connections_refused[ConnectionRefusal::proxy].load();
    };
    const std::vector<std::string> trusted{"http.trusted_proxies=[127.0.0.1]"};
    CHECK(refused(trusted, get("/", "")) == 1);
    CHECK(refused(trusted, "PROXY TCP4 nonsense\r\n") == 1);
    CHECK(refused({"http.trusted_proxies=[127.0.0.1]", "tls.handshake_timeout=10ms"}, "PROXY TCP4 ") == 1);
    CHECK(refused({"http.trusted_proxies=[10.0.0.0/8]"}, "PROXY TCP4 192.0.2.1 127.0.0.1 4711 80\r\n") == 1);
}

TEST_CASE("connections that a PROXY header names a client for are that client's") {
    const Mirror mirror(
        {"http.trusted_proxies=[127.0.0.1]", "limits.address_exempt=[]", "limits.address_connections=2"}, true);
    const auto connect = [&](const std::string& address) {
        auto client = std::make_unique<HttpClient>(mirror.listener->place().port);
        client->send("PROXY TCP4 " + address + " 127.0.0.1 4711 80\r\n" + get("/", ""));
        return std::pair(client->read_reply().status, std::move(client));
    };
    const auto first = connect("192.0.2.1"), second = connect("192.0.2.1");
    CHECK(first.first == 200);
    CHECK(second.first == 200);
    CHECK(connect("192.0.2.1").first == 429);
    CHECK(connect("192.0.2.2").first == 200);
    CHECK(mirror.running.broker.counters().connections_refused[ConnectionRefusal::address] == 1);
}
