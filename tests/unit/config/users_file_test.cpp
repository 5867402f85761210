#include "config/users_file.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace sluice::config;

namespace {

const UsersChecks some_checks{[](const std::string& hash) { return hash == "bad" ? "a bad hash" : ""; },
                              [](const std::string& filter) { return filter == "bad" ? "a bad filter" : ""; },
                              [](const std::string& id) { return id == "bad" ? "a bad id" : ""; },
                              [](const std::string& digest) { return digest == "bad" ? "a bad digest" : ""; }};
const std::string digest = "\"sha256:" + std::string(64, 'a') + "\"";

LoadedUsers load(const std::string& text) { return parse_users_file("users.yaml", text, some_checks); }

std::string first_error(const std::string& text) {
    const LoadedUsers loaded = load(text);
    return loaded.errors.empty() ? "" : to_string(loaded.errors[0]);
}

}  // namespace

TEST_CASE("a users file is read into plain values") {
    const LoadedUsers loaded = load(
        "roles:\n  desk:\n    subscribe: [{streams: [\"news.*\"], filter: \"f\"}]\n"
        "users:\n  alice@example.org:\n    password: good\n    tokens:\n"
        "      - {id: aaaaaaaaaa, digest: " +
        digest +
        ", created: 2026-11-28T10:00:00Z, note: cron}\n"
        "    certificate: true\n    roles: [desk, all]\n    publish: [prices, \"news.*\"]\n"
        "    subscribe: [prices, {streams: [a, b]}]\n    manage: [prices]\n    operate: true\n");
    REQUIRE(loaded.errors.empty());
    const UserEntry& alice = loaded.file.users.at("alice@example.org");
    CHECK(alice.password == "good");
    REQUIRE(alice.tokens.size() == 1);
    CHECK(alice.tokens[0].id == "aaaaaaaaaa");
    CHECK(alice.tokens[0].created == 1'795'860'000);
    CHECK_FALSE(alice.tokens[0].expires);
    CHECK(alice.tokens[0].note == "cron");
    CHECK(alice.certificate);
    CHECK(alice.roles == std::vector<std::string>{"desk", "all"});
    CHECK(alice.rights.publish == std::vector<std::string>{"prices", "news.*"});
    REQUIRE(alice.rights.subscribe.size() == 2);
    CHECK(alice.rights.subscribe[0].streams == std::vector<std::string>{"prices"});
    CHECK(alice.rights.subscribe[1].streams == std::vector<std::string>{"a", "b"});
    CHECK(alice.rights.operate);
    CHECK(loaded.file.roles.at("desk").subscribe[0].filter == "f");
}

TEST_CASE("an empty users file has nobody") {
    for (const char* text : {"", "# nobody\n", "users:\n", "roles:\nusers: {}\n"}) {
        const LoadedUsers loaded = load(text);
        CHECK(loaded.errors.empty());
        CHECK(loaded.file.users.empty());
    }
}

TEST_CASE("faults of a users file say where they are and what is expected") {
    CHECK(first_error("usres:\n  a:\n") == "users.yaml:1:1: unknown option \"usres\"; did you mean \"users\"?");
    CHECK(first_error("users:\n  a: {pasword: x}\n") ==
          "users.yaml:2:7: unknown option \"pasword\" in \"users.a\"; did you mean \"password\"?");
    CHECK(first_error("users:\n  \"a:b\":\n").rfind("users.yaml:2:3: users: a name has 1 to 64", 0) == 0);
    CHECK(first_error("users:\n  a: {password: bad}\n") == "users.yaml:2:17: users.a.password: a bad hash");
    CHECK(first_error("users:\n  a: {subscribe: [{streams: [s], filter: bad}]}\n") ==
          "users.yaml:2:42: users.a.subscribe[0].filter: a bad filter");
    CHECK(first_error("users:\n  a: {roles: [desk]}\n") ==
          "users.yaml:2:15: users.a.roles[0]: there is no such role under roles: in this file");
    CHECK(first_error("users:\n  a: {publish: [\"*.x\"]}\n").find("users.a.publish[0]: expected a stream's name") !=
          std::string::npos);
    CHECK(first_error("users:\n  a: {publish: s}\n").find("expected a list of at most") != std::string::npos);
    CHECK(first_error("roles:\n  none: {}\n").find("built in") != std::string::npos);
    CHECK(first_error("users: {a: 1, a: 2}\n").find("duplicate key") != std::string::npos);
    CHECK(first_error("users:\n  a: {tokens: [{id: bad, digest: " + digest + "}]}\n") ==
          "users.yaml:2:21: users.a.tokens[0].id: a bad id");
    CHECK(first_error("users:\n  a: {tokens: [{id: aaaaaaaaaa, digest: bad}]}\n") ==
          "users.yaml:2:41: users.a.tokens[0].digest: a bad digest");
    CHECK(first_error("users:\n  a: {tokens: [{id: aaaaaaaaaa, digest: " + digest +
                      ", note: " + std::string(UsersFile::note_bytes_max + 1, 'x') + "}]}\n")
              .find("longer than 1000 bytes") != std::string::npos);
    CHECK(first_error("users:\n  a: {tokens: [{id: aaaaaaaaaa}]}\n").find("needs an id and a digest") !=
          std::string::npos);
    CHECK(first_error("users:\n  a: {tokens: [{id: aaaaaaaaaa, digest: " + digest + ", expires: soon}]}\n")
              .find("expected a time") != std::string::npos);
    CHECK(first_error("users:\n  a: {tokens: [{id: aaaaaaaaaa, digest: " + digest +
                      "}]}\n  b: {tokens: [{id: aaaaaaaaaa, digest: " + digest + "}]}\n")
              .find("another token") != std::string::npos);
    CHECK(first_error("- a\n").find("expected a map") != std::string::npos);
}

// Somebody may have written a password where none belongs.
TEST_CASE("faults of a users file do not quote what was found") {
    for (const char* text : {"users:\n  a: hunter2\n", "users:\n  a: {certificate: hunter2}\n",
                             "users:\n  a: {tokens: hunter2}\n", "users:\n  a: {roles: [hunter2]}\n",
                             "users:\n  a: {publish: [\"hunter2:\"]}\n", "users:\n  a: {tokens: [hunter2]}\n"}) {
        INFO(text);
        const std::string error = first_error(text);
        CHECK_FALSE(error.empty());
        CHECK(error.find("hunter2") == std::string::npos);
    }
}

TEST_CASE("numbers of users and tokens are bounded") {
    std::string tokens, users = "users:\n";
    for (std::size_t i = 0; i <= UsersFile::tokens_max; ++i) {
        const std::string number = std::to_string(1'000'000'000 + i);
        tokens += "{id: \"" + number + "\", digest: " + digest + "},";
    }
    CHECK(first_error("users:\n  a: {tokens: [" + tokens + "]}\n").find("at most 100") != std::string::npos);
    for (std::size_t i = 0; i <= UsersFile::users_max; ++i) users += "  u" + std::to_string(i) + ":\n";
    CHECK(first_error(users).find("more than 10000") != std::string::npos);
}
