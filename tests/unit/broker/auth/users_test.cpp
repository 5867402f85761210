#include "broker/auth/users.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "broker/auth/password.hpp"
#include "broker/auth/token.hpp"

using namespace sluice::auth;
namespace config = sluice::config;
namespace filter = sluice::filter;

namespace {

const filter::FilterLimits limits;
const std::string hash = hash_of_nobody();

config::LoadedUsers parsed(const std::string& text) {
    return config::parse_users_file("users.yaml", text, users_checks(limits));
}

std::shared_ptr<const Users> users_of(const std::string& text, const Users* before = nullptr) {
    const config::LoadedUsers loaded = parsed(text);
    INFO((loaded.errors.empty() ? std::string() : config::to_string(loaded.errors[0])));
    REQUIRE(loaded.errors.empty());
    return std::make_shared<const Users>(loaded.file, limits, before);
}

std::string error_of(const std::string& text) {
    const config::LoadedUsers loaded = parsed(text);
    REQUIRE_FALSE(loaded.errors.empty());
    return config::to_string(loaded.errors[0]);
}

const std::string token_of(const std::string& id, const std::string& expires = "") {
    return "{id: " + id + ", digest: \"" + digest_text(sha256(id)) + "\"" +
           (expires.empty() ? "" : ", expires: " + expires) + "}";
}

}  // namespace

TEST_CASE("rights are the union of a user's own and of the roles") {
    const auto users = users_of(
        "roles:\n  desk: {subscribe: [{streams: [\"news.*\"], filter: \"//item[category = 'eu']\"}], publish: [a]}\n"
        "  ops: {operate: true}\n"
        "users:\n  alice: {roles: [desk, ops], publish: [b], subscribe: [prices], manage: [\"p.*\"]}\n  bob:\n");
    REQUIRE(users->find("alice") != nullptr);
    const Rights& rights = users->find("alice")->user->rights;
    CHECK(rights.may_publish("a"));
    CHECK(rights.may_publish("b"));
    CHECK_FALSE(rights.may_publish("c"));
    CHECK(rights.may_manage("p.q"));
    CHECK_FALSE(rights.may_manage("a"));
    CHECK(rights.operate);
    CHECK(rights.may_subscribe("news.x"));
    CHECK(rights.may_subscribe("prices"));
    CHECK_FALSE(rights.may_subscribe("other"));
    REQUIRE(rights.subscribe.size() == 2);
    REQUIRE(rights.subscribe[0].filter != nullptr);
    CHECK(rights.subscribe[0].filter->text == "//item[category = 'eu']");
    CHECK(rights.subscribe[1].filter == nullptr);
    CHECK(users->find("bob")->user->rights == Rights{});
    CHECK(users->find("carol") == nullptr);
    CHECK(users->role("desk")->name.empty());
    CHECK(users->role("desk")->rights.may_publish("a"));
}

// An empty selection of streams would mean all of them.
TEST_CASE("no pattern is no stream") {
    const auto users = users_of("users:\n  alice: {publish: [], manage: [], subscribe: []}\n");
    const Rights& rights = users->find("alice")->user->rights;
    CHECK(rights == Rights{});
    CHECK_FALSE(rights.may_publish("a"));
    CHECK_FALSE(rights.may_manage("a"));
    CHECK_FALSE(rights.may_subscribe("a"));
    CHECK(error_of("users:\n  alice: {subscribe: [{streams: []}]}\n").find("names no streams") != std::string::npos);
    CHECK(error_of("users:\n  alice: {subscribe: [{filter: \"a = 'b'\"}]}\n").find("names no streams") !=
          std::string::npos);
}

TEST_CASE("the roles all and none are built in") {
    const auto users = users_of("users:\n  root: {roles: [all]}\n  guest: {roles: [none]}\n");
    CHECK(users->find("root")->user->rights == Rights::everything());
    CHECK(users->find("guest")->user->rights == Rights{});
    CHECK(users->role("all") == everybody());
    CHECK(users->role("none") == nobody());
    CHECK(users->role("desk") == nullptr);
    CHECK(Users().role("all") == everybody());
    CHECK(error_of("roles:\n  all: {operate: true}\n").find("built in") != std::string::npos);
}

TEST_CASE("ids and digests of tokens have one form") {
    const auto of = [](const std::string& token) { return error_of("users:\n  alice: {tokens: [" + token + "]}\n"); };
    const std::string digest = "\"" + digest_text(sha256("a")) + "\"";
    CHECK(of("{id: short, digest: " + digest + "}").find("ten letters") != std::string::npos);
    CHECK(of("{id: \"aaaaaaaaa-\", digest: " + digest + "}").find("ten letters") != std::string::npos);
    CHECK(of("{id: aaaaaaaaaa, digest: slt_x}").find("not the token") != std::string::npos);
}

TEST_CASE("tokens are found by their id") {
    const auto users = users_of("users:\n  alice:\n    tokens: [" + token_of("aaaaaaaaaa", "2027-11-28T10:00:00Z") +
                                ", " + token_of("bbbbbbbbbb") + "]\n");
    const Token* token = users->find_token("aaaaaaaaaa");
    REQUIRE(token != nullptr);
    CHECK(token->digest == sha256("aaaaaaaaaa"));
    CHECK(token->expires == 1'827'396'000);
    CHECK(token->account == users->find("alice"));
    CHECK_FALSE(users->find_token("bbbbbbbbbb")->expires);
    CHECK(users->find_token("cccccccccc") == nullptr);
}

TEST_CASE("row filters that look beside the item or compute are refused where they stand") {
    const auto of = [](const std::string& filter) {
        return error_of("users:\n  alice:\n    subscribe:\n      - {streams: [a], filter: \"" + filter + "\"}\n");
    };
    CHECK(of("//item[").rfind("users.yaml:4:32: users.alice.subscribe[0].filter: invalid filter, line 1, column ", 0) ==
          0);
    CHECK(of("../title = 'x'").find("outside the item") != std::string::npos);
    CHECK(of("approx-contains(title, 'abc', 1)").find("must not contain computed conditions") != std::string::npos);
    CHECK(of("").find("not empty") != std::string::npos);
}

TEST_CASE("users who have not changed stay the same objects when the file is read again") {
    const std::string role = "roles:\n  desk: {publish: [a]}\n  lab: {publish: [b]}\n";
    const auto before =
        users_of(role + "users:\n  alice: {publish: [a], password: \"" + hash + "\"}\n  bob: {roles: [desk]}\n" +
                 "  carol: {certificate: true}\n  dave: {tokens: [" + token_of("aaaaaaaaaa") + "]}\n");
    const auto same = users_of("roles:\n  lab: {publish: [b]}\n  desk: {publish: [a, a]}\nusers:\n  dave: {tokens: [" +
                                   token_of("bbbbbbbbbb") + ", " + token_of("aaaaaaaaaa") + "]}\n" +
                                   "  carol: {certificate: true, password: \"" + hash + "\"}\n  bob: {publish: [a]}\n" +
                                   "  alice: {publish: [a], password: \"" + hash + "\", certificate: true}\n",
                               before.get());
    CHECK(same->changed_since(*before).empty());
    for (const char* name : {"alice", "bob", "carol", "dave"})
        CHECK(same->find(name)->user == before->find(name)->user);
    CHECK(same->role("lab") == before->role("lab"));
}

TEST_CASE("other rights, another password, a token or a certificate less are changes") {
    const std::string begin = "roles:\n  desk: {publish: [a]}\nusers:\n";
    const auto before =
        users_of(begin + "  a: {password: \"" + hash + "\"}\n  b: {roles: [desk]}\n  c: {certificate: true}\n" +
                 "  d: {tokens: [" + token_of("aaaaaaaaaa") + "]}\n  e: {tokens: [" + token_of("bbbbbbbbbb") +
                 "]}\n  f:\n  g: {password: \"" + hash + "\"}\n");
    const auto now = users_of(
        "roles:\n  desk: {publish: [b]}\nusers:\n  a: {}\n  b: {roles: [desk]}\n  c: {certificate: false}\n  d: {}\n" +
            ("  e: {tokens: [" + token_of("bbbbbbbbbb", "2027-01-01T00:00:00Z") + "]}\n  g: {password: \"" +
             hash.substr(0, 23) + (hash[23] == 'A' ? "B" : "A") + hash.substr(24) + "\"}\n"),
        before.get());
    const auto changed = now->changed_since(*before);
    CHECK(changed.size() == 8);  // f is gone, and the role has changed
    for (const char* name : {"a", "b", "c", "d", "e", "g"}) {
        INFO(name);
        CHECK(now->find(name)->user != before->find(name)->user);
    }
    CHECK(now->role("desk") != before->role("desk"));
}
