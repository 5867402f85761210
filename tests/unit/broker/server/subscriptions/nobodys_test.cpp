// Durable subscriptions without an owner, which all share whose requests have no credentials: those of this machine,
// who may do everything here, and others, whose role may see some streams.
#include <atomic>
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using broker::HttpClient;

namespace {

// An item of it alone would be read otherwise.
const std::string two_items =
    "<r><rss><channel><title>f</title></channel><item><title>a</title></item><item><title>b</title></item></rss></r>";

struct Nobodys {
    static std::string users_file(const std::filesystem::path& folder) {
        const std::string path = folder / "users.yaml";
        std::ofstream(path) << "roles: {desk: {subscribe: [a, {streams: [\"news.*\"], filter: title}]}}\nusers: {}\n";
        return path;
    }

    broker::Reply ask(const std::string& host, const std::string& method, const std::string& target,
                      const std::string& body = "", const std::string& fields = "") {
        client.send(method + " /v1/subscriptions" + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + fields +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
        return client.read_reply();
    }
    broker::Reply local(const std::string& method, const std::string& target, const std::string& body = "") {
        return ask("localhost", method, target, body);
    }
    broker::Reply other(const std::string& method, const std::string& target, const std::string& body = "",
                        const std::string& fields = "") {
        return ask("test", method, target, body, fields);
    }
    // Those that others may know of, and the URL of the next page or "".
    std::vector<std::string> listed(const std::string& query = "") {
        const boost::json::value page = boost::json::parse(other("GET", query).body);
        std::vector<std::string> names;
        for (const auto& each : page.at("subscriptions").as_array())
            names.emplace_back(each.at("name").as_string().c_str());
        total = page.at("total").to_number<std::size_t>();
        const auto* next = page.as_object().if_contains("next");
        next_page = next == nullptr ? "" : next->as_string().c_str();
        return names;
    }

    testing::TemporaryFolder folder;
    broker::RunningBroker running{{"auth.users=" + users_file(folder.path()), "auth.anonymous=desk"}};
    HttpClient client{running.port()};
    std::size_t total = 0;
    std::string next_page;
};

}  // namespace

TEST_CASE_METHOD(Nobodys, "nobody's: one with streams that a request may not subscribe to does not exist for it") {
    CHECK(local("PUT", "/secret", R"({"streams":["a","b"]})").status == 201);
    CHECK(local("PUT", "/all", R"({"streams":["*"]})").status == 201);
    CHECK(local("PUT", "/known", R"({"streams":["a","news.x"]})").status == 201);
    CHECK(local("PUT", "/prefix", R"({"streams":["news.*"]})").status == 201);
    const auto seen = [&](const std::string& name) {
        const bool is_there = other("GET", "/" + name).status == 200;
        CHECK(other("GET", "/" + name + "/next").status == (is_there ? 200 : 404));
        CHECK(other("POST", "/" + name + "/ack", "{}").status == (is_there ? 200 : 404));
        CHECK(other("POST", "/" + name + "/seek", R"({"to":"now"})").status == (is_there ? 200 : 404));
        CHECK(other("PATCH", "/" + name, "{}").status == (is_there ? 200 : 404));
        return is_there;
    };
    CHECK(seen("known"));
    CHECK(seen("prefix"));
    for (const std::string name : {"secret", "all"}) {
        CHECK_FALSE(seen(name));
        client.send("GET /v1/events?subscription=" + name + " HTTP/1.1\r\nHost: test\r\n\r\n");
        CHECK(client.read_reply().status == 404);
        CHECK(other("DELETE", "/" + name).status == 404);
        CHECK(other("DELETE", "/" + name, "", "If-Match: *\r\n").status == 412);
        CHECK(other("PUT", "/" + name, R"({"streams":["a"]})", "If-Match: *\r\n").status == 412);
        const broker::Reply refused = other("PUT", "/" + name, R"({"streams":["a"]})");
        CHECK(refused.status == 401);
        CHECK(boost::json::parse(refused.body).at("detail").as_string() ==
              "a request without credentials may not define subscription \"" + name + "\"");
        CHECK(local("GET", "/" + name).status == 200);
    }
    const auto options = boost::json::parse(local("GET", "/secret").body).at("options");
    CHECK(options.at("streams") == boost::json::parse(R"(["a","b"])"));
}

TEST_CASE_METHOD(Nobodys, "nobody's: lists and totals have those that a request may know of") {
    for (int i = 100; i < 240; ++i)
        CHECK(local("PUT", "/s" + std::to_string(i), i % 2 == 0 ? R"({"streams":["a"]})" : R"({"streams":["b"]})")
                  .status == 201);
    CHECK(listed().size() == 70);
    CHECK(total == 70);
    CHECK(next_page.empty());
    CHECK(listed("?after=s236") == std::vector<std::string>{"s238"});
    CHECK(total == 70);
    for (int i = 300; i < 340; ++i) CHECK(local("PUT", "/s" + std::to_string(i), R"({"streams":["a"]})").status == 201);
    CHECK(listed().size() == 100);
    CHECK(total == 110);
    CHECK(next_page == "/v1/subscriptions?after=s329");
    CHECK(listed("?after=s329").size() == 10);
    CHECK(boost::json::parse(local("GET", "").body).at("total").to_number<int>() == 180);
}

TEST_CASE_METHOD(Nobodys, "nobody's: a definition that would not exist for who makes it is refused") {
    CHECK(other("PUT", "/work", R"({"streams":["a"]})").status == 201);
    for (const char* streams : {R"({"streams":["a","b"]})", R"({"streams":["*"]})"}) {
        CHECK(other("PUT", "/work", streams).status == 401);
        CHECK(other("PATCH", "/work", streams).status == 401);
        CHECK(other("PUT", "/new", streams).status == 401);
    }
    CHECK(listed() == std::vector<std::string>{"work"});
    CHECK(other("DELETE", "/work").status == 204);
}

TEST_CASE_METHOD(Nobodys, "nobody's: one that gets streams that its consumer may not subscribe to ends for it") {
    CHECK(local("PUT", "/work", R"({"streams":["a"]})").status == 201);
    HttpClient consumer(running.port());
    broker::subscribe(consumer, "?subscription=work");
    CHECK(local("PATCH", "/work", R"({"streams":["a","b"]})").status == 200);
    CHECK(consumer.read_event()->find("may not subscribe") != std::string::npos);
    CHECK_FALSE(consumer.read_event());
}

TEST_CASE("nobody's: a dead letter that can't be kept alone waits until somebody consumes after a restart") {
    const testing::TemporaryFolder folder;
    const std::vector<std::string> options{"store.kind=rocksdb", "store.path=" + (folder.path() / "store").string()};
    const auto put = [](HttpClient& client, const std::string& target, const std::string& body) {
        client.send("PUT /v1/" + target + " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) +
                    "\r\n\r\n" + body);
        return client.read_reply().status;
    };
    {
        broker::RunningBroker running(options);
        HttpClient client(running.port());
        REQUIRE(put(client, "streams/a", R"({"context":"document"})") == 201);
        REQUIRE(put(client, "subscriptions/work",
                    R"({"streams":["a"],"start":"first","max_deliver":1,"dead_letter":"dead"})") == 201);
        REQUIRE(client.post("/v1/events?stream=a", two_items, "Content-Type: application/xml\r\n").status == 202);
        REQUIRE(client.post("/v1/events?stream=a", broker::rss({broker::item("c")})).status == 202);
        for (int i = 0; i < 3; ++i) {
            const broker::Reply taken = client.get("/v1/subscriptions/work/next?wait=60s");
            REQUIRE(boost::json::parse(taken.body).as_array().size() == 1);
        }
    }
    std::atomic<std::int64_t> seconds{0};
    broker::Seams seams;
    seams.steady_now = [&seconds, begun = std::chrono::steady_clock::now()] {
        return begun + std::chrono::seconds(seconds.load());
    };
    broker::RunningBroker running(options, seams);
    HttpClient client(running.port()), letters(running.port());
    const auto state = [&] { return boost::json::parse(client.get("/v1/subscriptions/work").body); };
    broker::subscribe(letters, "?stream=dead&from=first");
    CHECK(letters.read_event()->find("\"stream\":\"a\",\"id\":3") !=
          std::string::npos);  // before it, 1 and 2 were tried
    CHECK(state().at("unacknowledged").to_number<int>() == 2);
    CHECK(state().at("counts").at("resets").to_number<int>() == 0);
    CHECK(boost::json::parse(client.get("/v1/subscriptions/work/next").body).as_array().empty());
    seconds = 3'600;
    running.broker.clock_moved();
    CHECK(letters.read_event()->find("\"stream\":\"a\",\"id\":1") != std::string::npos);
    CHECK(letters.read_event()->find("\"stream\":\"a\",\"id\":2") != std::string::npos);
}
