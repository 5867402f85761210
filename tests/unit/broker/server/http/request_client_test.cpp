#include "broker/server/http/request_client.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

using sluice::server::HeadFields;

namespace {

const sluice::server::TrustedProxies trusted({"127.0.0.1", "10.0.0.0/8"});

HeadFields fields(const std::vector<std::pair<std::string, std::string>>& values) {
    HeadFields made;
    for (const auto& [name, value] : values) made.insert(name, value);
    return made;
}

std::string client(const std::vector<std::pair<std::string, std::string>>& values) {
    const auto peer = boost::asio::ip::make_address("127.0.0.1");
    return sluice::server::forwarded_client(fields(values), trusted, peer).to_string();
}

}  // namespace

TEST_CASE("forwarded_client: reads the fields in whatever case and order, joined") {
    CHECK(client({}) == "127.0.0.1");
    CHECK(client({{"Host", "a"}, {"x-forwarded-FOR", "192.0.2.1"}}) == "192.0.2.1");
    CHECK(client({{"FORWARDED", "for=192.0.2.1"}}) == "192.0.2.1");
    CHECK(client({{"X-Forwarded-For", "192.0.2.1"}, {"Accept", "*/*"}, {"X-Forwarded-For", "10.1.1.1, 10.1.1.2"}}) ==
          "192.0.2.1");
    CHECK(client({{"X-Real-IP", "192.0.2.1"}, {"Via", "1.1 a"}, {"X-Forwarded", "for=192.0.2.1"}}) == "127.0.0.1");
}

TEST_CASE("forwarded_client: a Forwarded that the proxy has only passed on does not count") {
    CHECK(client({{"Forwarded", "for=198.51.100.7"}, {"X-Forwarded-For", "192.0.2.1"}}) == "192.0.2.1");
    CHECK(client({{"X-Forwarded-For", "unknown"}, {"Forwarded", "for=198.51.100.7"}}) == "127.0.0.1");
}

TEST_CASE("is_forwarded: any field that proxies write") {
    CHECK_FALSE(sluice::server::is_forwarded({}));
    CHECK_FALSE(sluice::server::is_forwarded(fields({{"Host", "localhost"}, {"X-Forward", "a"}, {"X-Real", "b"}})));
    for (const char* name : {"Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-FORWARDED-PROTO",
                             "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded", "x-real-ip", "VIA"}) {
        CAPTURE(name);
        CHECK(sluice::server::is_forwarded(fields({{"Host", "localhost"}, {name, ""}})));
    }
}
