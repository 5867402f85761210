// Durable subscriptions belong to users: their names, their rights, and what others get to know of them. Requests here
// come from somebody who may operate the broker, and say whose subscriptions they are about.
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/subscriptions/durable_subscriptions.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/subscriptions/owner_rights.hpp"
#include "broker/server/subscriptions/subscription_handlers.hpp"
#include "broker/server/subscriptions/subscription_requests.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using broker::HttpClient;
using text::StreamSelection;

namespace {

StreamSelection streams_of(std::vector<std::string> patterns) { return StreamSelection(patterns); }

std::shared_ptr<const auth::RowFilter> row_filter(const std::string& text) {
    auto filter = filter::compile_filter(text);
    REQUIRE(filter.has_value());
    return std::make_shared<const auth::RowFilter>(
        auth::RowFilter{text, filter->canonical, std::move(filter->disjunction)});
}

auth::Rights reads(std::vector<std::string> patterns, const std::string& filter = "") {
    auth::Rights rights;
    rights.subscribe = {{streams_of(std::move(patterns)), filter.empty() ? nullptr : row_filter(filter)}};
    return rights;
}

struct Owners {
    Owners() { set("alice", reads({"*"})); }

    auth::UserPtr find(std::string_view name) {
        const std::lock_guard lock(mutex);
        const auto found = users.find(name);
        return found == users.end() ? auth::nobody() : found->second;
    }
    void set(const std::string& name, auth::Rights rights) {
        {
            const std::lock_guard lock(mutex);
            users[name] = std::make_shared<const auth::User>(name, std::move(rights));
        }
        running.broker.services().subscriptions.rights_changed(name);
    }
    void remove(const std::string& name) {
        {
            const std::lock_guard lock(mutex);
            users.erase(name);
        }
        running.broker.services().subscriptions.rights_changed(name);
    }

    broker::Reply ask(const std::string& method, const std::string& target, const std::string& body = "") {
        client.send(method + " /v1/subscriptions" + target +
                    " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
        return client.read_reply();
    }
    void put(const std::string& target, const std::string& options = R"({"streams":["*"],"start":"first"})") {
        const broker::Reply reply = ask("PUT", target, options);
        INFO(reply.body);
        REQUIRE(reply.status == 201);
    }
    std::string refusal(unsigned status, const std::string& method, const std::string& target,
                        const std::string& body = "") {
        const broker::Reply reply = ask(method, target, body);
        CHECK(reply.status == status);
        return boost::json::parse(reply.body).at("detail").as_string().c_str();
    }
    boost::json::value get(const std::string& target) {
        const broker::Reply reply = ask("GET", target);
        INFO(reply.body);
        REQUIRE(reply.status == 200);
        return boost::json::parse(reply.body);
    }
    // What it has delivered, "STREAM ID".
    std::vector<std::string> next(const std::string& owner, const std::string& wait = "0s") {
        std::vector<std::string> events;
        const boost::json::value all = get("/work/next?max=100&wait=" + wait + "&owner=" + owner);
        for (const auto& event : all.as_array())
            events.push_back(std::string(event.at("stream").as_string()) + " " +
                             std::to_string(event.at("id").to_number<int>()));
        return events;
    }
    // The next `count`, sorted: one request takes what is there already, which may be less.
    std::vector<std::string> next_events(const std::string& owner, std::size_t count) {
        std::vector<std::string> events;
        while (events.size() < count) {
            const std::vector<std::string> some = next(owner, "60s");
            if (some.empty()) break;
            events.insert(events.end(), some.begin(), some.end());
        }
        std::sort(events.begin(), events.end());
        return events;
    }
    std::vector<std::string> names(const std::string& query) {
        const boost::json::value page = get(query);
        std::vector<std::string> names;
        for (const auto& each : page.at("subscriptions").as_array()) {
            const auto& owner = each.at("owner");
            names.push_back((owner.is_null() ? "-" : std::string(owner.as_string())) + " " +
                            std::string(each.at("name").as_string()));
        }
        CHECK(page.at("total").to_number<std::size_t>() == names.size());
        return names;
    }
    void publish(const std::string& stream, const std::string& title) {
        REQUIRE(client.post("/v1/events?stream=" + stream, broker::rss({broker::item(title, title)})).status == 202);
    }

    // They outlive the broker's threads, which may still be in their functions, or ask for users.
    boost::asio::io_context io;
    std::mutex mutex;
    std::map<std::string, auth::UserPtr, std::less<>> users;
    broker::RunningBroker running{{}, {}, [this](broker::Broker& made) {
                                      made.services().find_user = [this](std::string_view name) { return find(name); };
                                  }};
    HttpClient client{running.port()};
};

}  // namespace

TEST_CASE_METHOD(Owners, "owners: each has names of their own, and so has nobody") {
    set("bob", reads({"*"}));
    put("/work");
    put("/work?owner=alice");
    put("/work?owner=bob", R"({"prefetch":7})");
    CHECK(names("") == std::vector<std::string>{"- work"});
    CHECK(names("?owner=") == std::vector<std::string>{"- work"});
    CHECK(names("?owner=bob") == std::vector<std::string>{"bob work"});
    CHECK(names("?owner=*") == std::vector<std::string>{"- work", "alice work", "bob work"});
    CHECK(get("/work?owner=bob").at("options").at("prefetch").to_number<int>() == 7);
    CHECK(ask("DELETE", "/work?owner=alice").status == 204);
    CHECK(names("?owner=*") == std::vector<std::string>{"- work", "bob work"});
    CHECK(ask("GET", "/work?owner=alice").status == 404);
    CHECK(refusal(400, "GET", "/work?owner=a/b").find("name of a user") != std::string::npos);
    CHECK(refusal(400, "GET", "?owner=*&after=work").find("OWNER/NAME") != std::string::npos);
}

TEST_CASE_METHOD(Owners, "owners: a new subscription of somebody else is found where the reply says") {
    const broker::Reply reply = ask("PUT", "/work?owner=alice", "{}");
    CHECK(reply.status == 201);
    CHECK(reply.headers.at("location") == "/v1/subscriptions/work?owner=alice");
    CHECK(boost::json::parse(reply.body).at("owner").as_string() == "alice");
}

TEST_CASE_METHOD(Owners, "owners: pages of all go on with the next name, whosever it is") {
    set("bob", reads({"*"}));
    std::vector<std::string> made;
    for (const char* owner : {"", "alice", "bob"})
        for (int i = 100; i < 140; ++i) {
            put("/s" + std::to_string(i) + "?owner=" + owner);
            made.push_back(std::string(owner) + "/s" + std::to_string(i));
        }
    std::vector<std::string> listed;
    std::size_t pages = 0;
    for (std::string query = "?owner=*"; !query.empty(); ++pages) {
        const boost::json::value page = get(query);
        CHECK(page.at("total").to_number<std::size_t>() == made.size());
        for (const auto& each : page.at("subscriptions").as_array())
            listed.push_back((each.at("owner").is_null() ? "" : std::string(each.at("owner").as_string())) + "/" +
                             std::string(each.at("name").as_string()));
        const auto* next = page.as_object().if_contains("next");
        query = next == nullptr ? "" : std::string(next->as_string()).substr(std::string("/v1/subscriptions").size());
    }
    CHECK(pages == 2);
    CHECK(listed == made);
}

TEST_CASE_METHOD(Owners, "owners: a subscription gets what its owner may see, whoever consumes it") {
    set("alice", reads({"a", "news.*"}));
    put("/work?owner=alice");
    put("/work");
    for (const char* stream : {"a", "b", "news.x", "newsy"}) publish(stream, stream);
    CHECK(next_events("alice", 2) == std::vector<std::string>{"a 1", "news.x 3"});
    CHECK(next_events("", 4) == std::vector<std::string>{"a 1", "b 2", "news.x 3", "newsy 4"});
    publish("b", "later");
    publish("a", "later");
    CHECK(next("alice") == std::vector<std::string>{"a 6"});
}

TEST_CASE_METHOD(Owners, "owners: a row filter decides, too, which of the matching events come") {
    set("alice", reads({"a"}, "category = 'eu'"));
    put("/work?owner=alice", R"({"streams":["*"],"filters":["title != 'x'"],"start":"first"})");
    for (const char* title : {"us", "eu", "x"}) publish("a", title);
    publish("b", "eu");
    CHECK(next("alice") == std::vector<std::string>{"a 2"});
    CHECK(refusal(403, "PUT", "/other?owner=alice", R"({"streams":["a"],"filters":["following-sibling::item"]})")
              .find("looks beside the item") != std::string::npos);
}

TEST_CASE_METHOD(Owners, "owners: rights change → what was delivered is withheld when it is due again") {
    set("alice", reads({"a", "b"}));
    put("/work?owner=alice");
    publish("a", "1");
    publish("b", "2");
    CHECK(next_events("alice", 2) == std::vector<std::string>{"a 1", "b 2"});
    set("alice", reads({"a"}));
    publish("b", "3");
    publish("a", "4");
    CHECK(ask("POST", "/work/ack?owner=alice", R"({"nack":[{"id":1},{"id":2}]})").status == 200);
    CHECK(next_events("alice", 2) == std::vector<std::string>{"a 1", "a 4"});
    CHECK(next("alice").empty());
    const boost::json::value counts = get("/work?owner=alice").at("counts");
    CHECK(counts.at("withdrawn").to_number<int>() == 1);
    CHECK(counts.at("resets").to_number<int>() == 0);
    set("alice", reads({"a", "b"}));
    publish("b", "5");
    CHECK(next("alice", "60s") == std::vector<std::string>{"b 5"});  // 3 was passed over
}

TEST_CASE_METHOD(Owners, "owners: a consumer that is connected gets what the rights of then permit, or the end") {
    set("alice", reads({"a", "b"}));
    put("/work?owner=alice", R"({"streams":["*"],"start":"now"})");
    HttpClient consumer(running.port());
    broker::subscribe(consumer, "?subscription=work&owner=alice&format=json");
    publish("b", "1");
    CHECK(consumer.read_event()->find("\"stream\":\"b\"") != std::string::npos);
    set("alice", reads({"a"}));
    publish("b", "2");
    publish("a", "3");
    CHECK(consumer.read_event()->find("\"id\":3") != std::string::npos);
    remove("alice");
    CHECK(consumer.read_event()->find("there is no user \\\"alice\\\"") != std::string::npos);
    CHECK_FALSE(consumer.read_event());
}

TEST_CASE_METHOD(Owners, "owners: who is gone, or may see nothing → 403, and the subscription stays") {
    put("/work?owner=alice");
    publish("a", "1");
    set("alice", {});
    CHECK(refusal(403, "GET", "/work/next?owner=alice").find("may not subscribe") != std::string::npos);
    remove("alice");
    CHECK(refusal(403, "GET", "/work/next?owner=alice").find("there is no user") != std::string::npos);
    CHECK(get("/work?owner=alice").at("lag").is_null());
    set("alice", reads({"*"}));
    CHECK(next("alice") == std::vector<std::string>{"a 1"});
}

TEST_CASE_METHOD(Owners, "owners: a definition needs the rights that it makes use of") {
    set("alice", reads({"a", "news.*"}));
    const auto refused = [&](const std::string& options) { return refusal(403, "PUT", "/work?owner=alice", options); };
    CHECK(refused(R"({"streams":["b"]})") == "user \"alice\" may not subscribe to any of these streams");
    CHECK(refused(R"({"streams":["a"],"dead_letter":"dead"})").find("publish to stream \"dead\"") != std::string::npos);
    CHECK(refused(R"({"streams":["a"],"hold_bytes":"1MiB"})").find("manage") != std::string::npos);
    CHECK(refusal(403, "PUT", "/work?owner=carol", "{}").find("there is no user \"carol\"") != std::string::npos);
    put("/work?owner=alice", R"({"streams":["a"]})");
    CHECK(refusal(403, "PATCH", "/work?owner=alice", R"({"dead_letter":"dead"})").find("dead_letter") !=
          std::string::npos);

    auth::Rights more = reads({"a", "news.*"});
    more.publish = streams_of({"dead"});
    more.manage = streams_of({"a", "news.x"});
    set("alice", more);
    CHECK(ask("PATCH", "/work?owner=alice", R"({"dead_letter":"dead","hold_bytes":"1MiB"})").status == 200);
    CHECK(refused(R"({"streams":["a","news.*"],"hold_bytes":"1MiB"})").find("manage") != std::string::npos);
    CHECK(refused(R"({"streams":["*"],"hold_bytes":"1MiB"})").find("manage") != std::string::npos);
    more.manage = streams_of({"*"});
    set("alice", more);
    CHECK(ask("PUT", "/work?owner=alice", R"({"streams":["*"],"hold_bytes":"1MiB"})").status == 200);
}

TEST_CASE_METHOD(Owners, "owners: dead letters name the owner, and wait while the owner may not publish them") {
    auth::Rights rights = reads({"a"});
    rights.publish = streams_of({"dead"});
    set("alice", rights);
    put("/work?owner=alice", R"({"streams":["a"],"start":"first","max_deliver":1,"dead_letter":"dead"})");
    publish("a", "1");
    publish("a", "2");
    CHECK(next_events("alice", 2).size() == 2);
    CHECK(ask("POST", "/work/ack?owner=alice", R"({"nack":[{"id":1}]})").status == 200);
    HttpClient letters(running.port());
    broker::subscribe(letters, "?stream=dead&from=first");
    CHECK(letters.read_event()->find("\"subscription\":\"alice/work\"") != std::string::npos);
    set("alice", reads({"a"}));
    CHECK(ask("POST", "/work/ack?owner=alice", R"({"nack":[{"id":2}]})").status == 200);
    publish("dead", "last");
    CHECK(letters.read_event()->find("last") != std::string::npos);
    CHECK(get("/work?owner=alice").at("unacknowledged").to_number<int>() == 1);
}

TEST_CASE_METHOD(Owners,
                 "owners: a dead letter shows no neighbours from a stream whose events its owner may not all see") {
    const std::string bytes =  // an item of it alone would be read otherwise
        "<r><rss><channel><title>f</title></channel><item><title>a</title></item><item><title>b</title></item></rss></"
        "r>";
    auth::Rights rights = reads({"a"}, "title = 'a'");
    rights.subscribe.push_back({streams_of({"b"})});
    rights.publish = streams_of({"dead"});
    set("alice", rights);
    client.send("PUT /v1/streams/a HTTP/1.1\r\nHost: test\r\nContent-Length: 22\r\n\r\n{\"context\":\"document\"}");
    REQUIRE(client.read_reply().status == 201);
    put("/work?owner=alice", R"({"streams":["a"],"start":"first","max_deliver":1,"dead_letter":"dead"})");
    REQUIRE(client.post("/v1/events?stream=a", bytes, "Content-Type: application/xml\r\n").status == 202);
    CHECK(next("alice") == std::vector<std::string>{"a 1"});
    // The stream that it came from counts, not those of now.
    CHECK(ask("PATCH", "/work?owner=alice", R"({"streams":["b"]})").status == 200);
    CHECK(ask("POST", "/work/ack?owner=alice", R"({"nack":[{"id":1}]})").status == 200);
    const auto count = [&](const char* name) {
        return get("/work?owner=alice").at("counts").at(name).to_number<int>();
    };
    EVENTUALLY(count("resets") + count("dead_letters") == 1);
    CHECK(count("dead_letters") == 0);
}

TEST_CASE_METHOD(Owners, "owners: retention is held back in streams that the owner may manage at present") {
    auth::Rights rights = reads({"*"});
    rights.manage = streams_of({"a"});
    set("alice", rights);
    client.send("PUT /v1/streams/a HTTP/1.1\r\nHost: test\r\nContent-Length: 26\r\n\r\n{\"retention\":{\"events\":1}}");
    REQUIRE(client.read_reply().status == 201);
    put("/work?owner=alice", R"({"streams":["a"],"start":"first","hold_bytes":"1MiB"})");
    int published = 0;
    const auto retained = [&] {  // after three more
        for (int i = 0; i < 3; ++i) publish("a", std::to_string(++published));
        return boost::json::parse(client.get("/v1/streams/a").body).at("retained").at("events").to_number<int>();
    };
    CHECK(retained() == 3);
    set("alice", reads({"*"}));
    running.broker.clock_moved();
    CHECK(retained() == 1);
    set("alice", rights);
    running.broker.clock_moved();
    CHECK(retained() == 4);
    remove("alice");
    running.broker.clock_moved();
    CHECK(retained() == 1);
}

TEST_CASE_METHOD(Owners, "owners: who has changed meanwhile takes nothing") {
    put("/work?owner=alice", R"({"streams":["a"],"start":"first","ack":"none"})");
    publish("a", "1");
    CHECK(next("alice") == std::vector<std::string>{"a 1"});
    publish("a", "2");
    const auto changed = std::make_shared<const auth::User>("alice", reads({"*"}));
    changed->is_revoked = true;
    server::Principal principal(boost::asio::ip::address_v4::loopback());
    principal.account = changed;
    server::HttpRequest request;
    request.name = "work";
    request.principal = &principal;
    std::optional<server::HttpReply> reply;
    boost::asio::co_spawn(io, server::take_next(running.broker.services(), request),
                          [&](const std::exception_ptr&, server::HttpReply made) { reply = std::move(made); });
    io.run();
    REQUIRE(reply);
    CHECK_FALSE(reply->has_taken);  // so that the session answers with 401
    CHECK(next("alice", "60s") == std::vector<std::string>{"a 2"});
}

TEST_CASE("owners: the lag is for who may see the figures of every stream") {
    auth::Rights rights = reads({"a", "news.*"});
    const auto sees = [&](const std::vector<std::string>& streams) {
        return server::may_see_lag(auth::Scope(streams_of(streams), rights), auth::User("alice", rights));
    };
    CHECK(sees({"a"}));
    CHECK(sees({"*"}));  // all that there is for alice
    rights.subscribe.push_back({streams_of({"b"}), row_filter("category = 'eu'")});
    CHECK(sees({"a"}));
    CHECK_FALSE(sees({"b"}));
    CHECK_FALSE(sees({"*"}));
    rights.manage = streams_of({"b"});
    CHECK(sees({"*"}));
    rights.manage.reset();
    rights.operate = true;
    CHECK(sees({"b"}));
}

TEST_CASE_METHOD(Owners, "owners: who may not operate the broker has their own alone") {
    server::Services& services = running.broker.services();
    server::Principal principal(boost::asio::ip::address_v4::loopback());
    server::HttpRequest request;
    request.principal = &principal;
    const auto owner_of = [&](const auth::UserPtr& account, const char* wanted) {
        principal.account = account;
        request.query.clear();
        if (wanted != nullptr) request.query.emplace_back("owner", wanted);
        return server::read_owner(services, request);
    };
    const auth::UserPtr alice = std::make_shared<const auth::User>("alice", reads({"a"}));
    CHECK(owner_of(alice, nullptr).name == "alice");
    CHECK_FALSE(owner_of(alice, "alice").refusal);
    CHECK(owner_of(auth::nobody(), nullptr).name.empty());
    CHECK_FALSE(owner_of(auth::nobody(), "").refusal);
    for (const char* other : {"bob", "", "*", "no/name"}) {
        const auto refused = owner_of(alice, other);
        REQUIRE(refused.refusal);
        CHECK(refused.refusal->status == 403);
    }
    CHECK(owner_of(auth::nobody(), "alice").refusal->status == 401);
    const auto other = owner_of(auth::everybody(), "alice");
    CHECK((other.name == "alice" && other.is_other && other.account == users["alice"]));
}
