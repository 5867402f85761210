#include "broker/server/http/authentication.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "broker/auth/password.hpp"
#include "broker/auth/token.hpp"
#include "protocol/text/base64.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace sluice::server;
namespace asio = boost::asio;
namespace auth = sluice::auth;
namespace config = sluice::config;
using namespace std::chrono_literals;
using Result = sluice::broker::AuthenticationResult;

namespace {

struct Asked {
    Principal client{asio::ip::make_address("192.0.2.1")};
    std::optional<HttpReply> refusal;
    bool was_checked = false;  // it has taken long

    unsigned status() const { return refusal ? refusal->status : 200; }
};

class Door {
    asio::io_context io_;  // outlives the thread that checks passwords, which may still be in its functions
    // The authentication refers to them.
    sluice::testing::TemporaryFolder folder_;
    config::AuthOptions options_;
    sluice::base::MemoryBudget memory_{std::size_t{1} << 30};

public:
    explicit Door(const std::string& users = "", const std::string& anonymous = "none") {
        options_.anonymous = anonymous;
        options_.local = "all";
        if (!users.empty()) {
            options_.users = folder_.path() / "users.yaml";
            write(users);
        }
        authentication.emplace(Authentication::Context{
            options_, {}, memory_, counters, [this] { return wall_us; }, [this] { return now; }});
    }

    void write(const std::string& users) { std::ofstream(options_.users) << users; }

    Asked ask(const std::vector<std::string>& authorizations, Principal client) {
        HeadFields head;
        for (const std::string& value : authorizations) head.insert(http::field::authorization, value);
        HttpRequest request;
        request.path = "/v1/events";
        return ask(head, std::move(request), std::move(client));
    }
    Asked ask(const std::vector<std::string>& authorizations) { return ask(authorizations, Asked().client); }
    Asked ask_with_ticket(const std::string& ticket, http::verb method, std::string_view path,
                          const std::string& stream) {
        HttpRequest request;
        request.method = method;
        request.path = path;
        request.query = {{"stream", stream}, {"ticket", ticket}};
        return ask(HeadFields(), std::move(request), Asked().client);
    }

    std::uint64_t count(Result result) const { return counters.authentications[result].load(); }

    sluice::broker::Counters counters;
    Authentication::Clock::time_point now{1h};
    std::int64_t wall_us = 1'000'000'000'000'000;
    std::optional<Authentication> authentication;

private:
    Asked ask(const HeadFields& head, HttpRequest request, Principal client) {
        Asked asked;
        asked.client = std::move(client);
        request.headers = &head;
        request.principal = &asked.client;
        if (authentication->identify(request, asked.client, asked.refusal)) return asked;
        asked.was_checked = true;
        io_.restart();  // it stops whenever it has no work
        std::exception_ptr failure;
        bool is_done = false;
        asio::co_spawn(
            io_,
            [&]() -> asio::awaitable<void> { asked.refusal = co_await authentication->check(request, asked.client); },
            [&](std::exception_ptr thrown) {
                failure = thrown;
                is_done = true;
            });
        const auto work = asio::make_work_guard(io_);  // the check runs on another thread
        while (!is_done) io_.run_one();
        if (failure) std::rethrow_exception(failure);
        return asked;
    }
};

// scrypt of "secret" with the least cost.
const std::string cheap_hash = "$scrypt$ln=10,r=1,p=1$c2FsdA$HOHvBJ75vpux092WGOkWFE4vYN79EjfRiAPxz+SesHM";

std::string basic(const std::string& name, const std::string& password) {
    return "Basic " + sluice::text::encode_base64(name + ":" + password);
}

std::string alice_with(const std::string& more) {
    return "users:\n  alice: {password: \"" + cheap_hash + "\", publish: [a]" + more + "}\n";
}

}  // namespace

TEST_CASE("without credentials a request has the rights of its place") {
    Door door("roles: {desk: {publish: [a]}}\nusers: {}\n", "desk");
    Asked asked = door.ask({});
    CHECK(asked.status() == 200);
    CHECK(asked.client.account->rights.may_publish("a"));
    CHECK_FALSE(asked.client.account->rights.operate);
    Principal local = Asked().client;
    local.is_local = true;
    CHECK(door.ask({}, local).client.account == auth::everybody());
}

TEST_CASE("wrong credentials are never taken for none") {
    Door door(alice_with(""), "all");
    for (const char* value : {"", "Basic", "Basic YWxpY2U=", "Digest a", "Bearer", "Bearer x", "alice:secret"}) {
        INFO(value);
        const Asked asked = door.ask({value});
        CHECK(asked.status() == 401);
        CHECK(asked.client.account == auth::nobody());
        CHECK(asked.client.user.empty());
    }
    CHECK(door.ask({basic("alice", "secret"), basic("alice", "secret")}).status() == 400);
    CHECK(door.ask({basic("alice", "secres")}).status() == 401);
}

TEST_CASE("a password is checked once, and remembered for five minutes") {
    Door door(alice_with(""));
    const Asked first = door.ask({basic("alice", "secret")});
    CHECK(first.was_checked);
    REQUIRE(first.status() == 200);
    CHECK(first.client.user == "alice");
    CHECK(first.client.account->rights.may_publish("a"));
    const Asked second = door.ask({basic("alice", "secret")});
    CHECK_FALSE(second.was_checked);
    CHECK(second.client.account == first.client.account);
    CHECK(door.ask({basic("alice", "secres")}).was_checked);
    door.now += 5min;
    CHECK(door.ask({basic("alice", "secret")}).was_checked);
    CHECK(door.count(Result::checked) == 2);
    CHECK(door.count(Result::remembered) == 1);
    CHECK(door.count(Result::wrong) == 1);
}

TEST_CASE("who does not exist and who has no password get the reply of a wrong password") {
    Door door(alice_with("") + "  bob: {publish: [a]}\n");
    const Asked wrong = door.ask({basic("alice", "x")});
    REQUIRE(wrong.status() == 401);
    for (const char* name : {"nobody", "bob", "", "a b"}) {
        INFO(name);
        const Asked asked = door.ask({basic(name, "")});
        CHECK(asked.was_checked);
        CHECK(asked.status() == 401);
        CHECK(asked.refusal->body == wrong.refusal->body);
    }
}

TEST_CASE("after ten wrong ones an address may try once a second, but what is remembered passes") {
    Door door(alice_with("") + "  bob: {password: \"" + cheap_hash + "\"}\n");
    REQUIRE(door.ask({basic("alice", "secret")}).status() == 200);
    for (int i = 0; i < Authentication::wrong_of_address; ++i)
        CHECK(door.ask({basic("bob", std::to_string(i))}).status() == 401);
    const Asked slowed = door.ask({basic("bob", "secret")});
    REQUIRE(slowed.status() == 429);
    CHECK(slowed.refusal->headers.back() == std::pair<std::string_view, std::string>("Retry-After", "1"));
    CHECK(door.ask({"Bearer x"}).status() == 429);
    CHECK(door.ask({basic("alice", "secret")}).status() == 200);
    Principal other(asio::ip::make_address("192.0.2.2"));
    CHECK(door.ask({basic("bob", "x")}, other).status() == 401);
    door.now += 1s;
    CHECK(door.ask({basic("bob", "secret")}).status() == 200);
}

TEST_CASE("a name is slowed, too, wherever its guesses come from, and known or not") {
    for (const char* name : {"alice", "nobody"}) {
        INFO(name);
        Door door(alice_with(""));
        for (int i = 0; i < Authentication::wrong_of_name; ++i) {
            const Principal client(asio::ip::make_address("198.51.100." + std::to_string(i)));
            CHECK(door.ask({basic(name, std::to_string(i))}, client).status() == 401);
        }
        CHECK(door.ask({basic(name, "x")}).status() == 429);
        CHECK(door.ask({basic("other", "x")}).status() == 401);
    }
}

TEST_CASE("right passwords do not use up what wrong ones may") {
    Door door(alice_with(""));
    for (int i = 0; i < 30; ++i) {
        CHECK(door.ask({basic("alice", "secret")}).status() == 200);
        door.now += 5min;  // it is checked each time
    }
    CHECK(door.count(Result::checked) == 30);
}

TEST_CASE("a token is right as a whole and until it expires") {
    const auth::NewToken token = auth::make_token();
    Door door(alice_with(", tokens: [{id: " + token.id + ", digest: \"" + token.digest +
                         "\", expires: 2001-09-09T01:46:41Z}]"));
    const Asked asked = door.ask({"bEARER " + token.text});
    CHECK(asked.status() == 200);
    CHECK(asked.client.user == "alice");
    CHECK_FALSE(asked.was_checked);
    std::string other = token.text;
    other.back() = other.back() == 'A' ? 'B' : 'A';
    CHECK(door.ask({"Bearer " + other}).status() == 401);
    door.wall_us += 999'999;
    CHECK(door.ask({"Bearer " + token.text}).status() == 200);
    door.wall_us += 1;
    const Asked late = door.ask({"Bearer " + token.text});
    REQUIRE(late.status() == 401);
    CHECK(late.refusal->body.find("expired") != std::string::npos);
    CHECK(door.count(Result::expired) == 1);
}

TEST_CASE("a certificate names a user who may use one") {
    Door door("users:\n  ops: {certificate: true, operate: true}\n  other: {operate: true}\n", "all");
    const auto with = [](const char* name) {
        Principal client = Asked().client;
        client.user = name;
        return client;
    };
    CHECK(door.ask({}, with("ops")).client.account->rights.operate);
    for (const char* name : {"other", "stranger"}) {
        const Asked asked = door.ask({}, with(name));
        REQUIRE(asked.status() == 401);
        CHECK(asked.client.account == auth::nobody());
        CHECK(asked.client.user.empty());
        CHECK(asked.refusal->body.find("client certificate") != std::string::npos);
    }
    CHECK(door.ask({"Bearer x"}, with("ops")).status() == 401);
    Door open("", "all");
    const Asked asked = open.ask({}, with("stranger"));
    CHECK(asked.status() == 200);
    CHECK(asked.client.user == "stranger");  // for the log
}

TEST_CASE("a ticket is good for GET /v1/events and one URL") {
    Door door(alice_with(""), "all");
    const Asked alice = door.ask({basic("alice", "secret")});
    const auto issued = door.authentication->tickets().issue(alice.client.account, door.now);
    REQUIRE(issued);
    const Asked asked = door.ask_with_ticket(issued->text, http::verb::get, "/v1/events", "a");
    CHECK(asked.status() == 200);
    CHECK(asked.client.account == alice.client.account);
    CHECK(asked.client.ticket == issued->id);
    const Asked elsewhere = door.ask_with_ticket(issued->text, http::verb::get, "/v1/events", "b");
    CHECK(elsewhere.status() == 401);
    CHECK(elsewhere.client.account == auth::nobody());
    CHECK(elsewhere.client.ticket.empty());
    CHECK(door.ask_with_ticket("x", http::verb::get, "/v1/events", "a").status() == 401);
}

TEST_CASE("a file that is read again revokes whom it changes") {
    Door door(alice_with("") + "  bob: {password: \"" + cheap_hash + "\"}\n");
    const auth::UserPtr alice = door.ask({basic("alice", "secret")}).client.account;
    const auth::UserPtr bob = door.ask({basic("bob", "secret")}).client.account;
    CHECK(door.authentication->reload(false).empty());
    door.write("users: {alice: 1}\n");
    CHECK(door.authentication->reload(false).empty());
    CHECK(door.authentication->find_user("alice") == alice);
    door.write(alice_with(", operate: true") + "  bob: {password: \"" + cheap_hash + "\"}\n");
    CHECK(door.authentication->reload(false) == std::vector<auth::UserPtr>{alice});
    CHECK(alice->is_revoked);
    CHECK_FALSE(bob->is_revoked);
    CHECK(door.authentication->find_user("alice") != alice);
    CHECK(door.authentication->find_user("carol") == auth::nobody());
    CHECK(door.ask({basic("alice", "secret")}).was_checked);
    CHECK_FALSE(door.ask({basic("bob", "secret")}).was_checked);
}

TEST_CASE("a look at the file reads it if it has changed, but not since the look before") {
    Door door(alice_with(""));
    const auto is_there = [&](const char* name) { return door.authentication->find_user(name) != auth::nobody(); };
    const auto look = [&] { return door.authentication->reload(true).size(); };
    CHECK(look() == 0);
    door.write("users:\n");  // half of it: a valid file
    CHECK(look() == 0);
    CHECK(is_there("alice"));
    door.write("users:\n  bob: {publish: [a]}\n");
    CHECK(look() == 0);
    CHECK(is_there("alice"));
    CHECK(look() == 1);
    CHECK_FALSE(is_there("alice"));
    CHECK(is_there("bob"));
    CHECK(look() == 0);
}

TEST_CASE("roles of the configuration must exist") {
    CHECK_THROWS_WITH(Door("", "desk"), Catch::Contains("auth.anonymous: there is no role \"desk\""));
    CHECK_THROWS_WITH(Door("users:\n", "desk"), Catch::Contains("users.yaml"));
    CHECK_THROWS_WITH(Door("users: 1\n"), Catch::Contains("users.yaml:1:8: "));
    config::AuthOptions options;
    options.users = "/nowhere/users.yaml";
    CHECK(Authentication::find_fault(options, {}) ==
          "auth.users: /nowhere/users.yaml: cannot be read: No such file or directory");
}
