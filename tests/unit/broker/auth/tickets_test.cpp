#include "broker/auth/tickets.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

using namespace sluice::auth;
using namespace std::chrono_literals;

namespace {

const Tickets::Clock::time_point issue_time{std::chrono::hours(1)};

UserPtr holder(const std::string& name, bool operate = false) {
    Rights rights;
    rights.operate = operate;
    return std::make_shared<const User>(name, rights);
}

}  // namespace

TEST_CASE("a ticket is good for the URL of its first use, for an hour") {
    Tickets tickets;
    const UserPtr alice = holder("alice");
    const auto issued = tickets.issue(alice, issue_time);
    REQUIRE(issued);
    CHECK(tickets.use("slk_" + std::string(43, 'A'), "x", issue_time).id.empty());
    CHECK(tickets.use(issued->id, "x", issue_time).id.empty());
    const Tickets::Use first = tickets.use(issued->text, "x", issue_time + 59s);
    CHECK(first.id == issued->id);
    CHECK(first.user == alice);
    const Tickets::Use elsewhere = tickets.use(issued->text, "y", issue_time + 59s);
    CHECK(elsewhere.id.empty());
    CHECK(elsewhere.user == nobody());
    CHECK(elsewhere.why.find("first use") != std::string::npos);
    CHECK(tickets.use(issued->text, "x", issue_time + 1h - 1ns).id == issued->id);
    CHECK(tickets.use(issued->text, "x", issue_time + 1h).id.empty());
}

TEST_CASE("a ticket that is not used within a minute is gone") {
    Tickets tickets;
    const auto issued = tickets.issue(holder("alice"), issue_time);
    CHECK(tickets.use(issued->text, "x", issue_time + 60s).id.empty());
    CHECK(tickets.issue(holder("alice"), issue_time + 60s));
    CHECK(tickets.size() == 1);
}

TEST_CASE("a newer stream of a ticket ends the older one, and revoking it the last one") {
    Tickets tickets;
    const auto issued = tickets.issue(holder("alice"), issue_time);
    int first = 0, second = 0;
    CHECK(tickets.begin_stream(issued->id, [&] { ++first; }));
    CHECK(tickets.begin_stream(issued->id, [&] { ++second; }));
    CHECK(first == 1);
    CHECK(second == 0);
    CHECK_FALSE(tickets.revoke(issued->id, *holder("bob")));
    CHECK_FALSE(tickets.revoke("another", *holder("alice")));
    CHECK(second == 0);
    CHECK(tickets.revoke(issued->id, *holder("alice")));
    CHECK(second == 1);
    CHECK_FALSE(tickets.begin_stream(issued->id, [] {}));
    CHECK(tickets.use(issued->text, "x", issue_time).id.empty());
}

TEST_CASE("who operates the broker may revoke everybody's tickets") {
    Tickets tickets;
    const auto issued = tickets.issue(holder("alice"), issue_time);
    CHECK(tickets.revoke(issued->id, *holder("root", true)));
    CHECK(tickets.size() == 0);
}

TEST_CASE("tickets of a user who has changed are worth nothing") {
    Tickets tickets;
    const UserPtr alice = holder("alice");
    const auto issued = tickets.issue(alice, issue_time);
    alice->is_revoked = true;
    CHECK(tickets.use(issued->text, "x", issue_time).id.empty());
    tickets.forget_revoked();
    CHECK(tickets.size() == 0);
}

TEST_CASE("a user has at most so many tickets, and all have") {
    Tickets tickets;
    for (std::size_t i = 0; i < Tickets::of_user_max; ++i) CHECK(tickets.issue(holder("alice"), issue_time));
    CHECK_FALSE(tickets.issue(holder("alice"), issue_time));
    for (std::size_t i = tickets.size(); i < Tickets::tickets_max; ++i)
        CHECK(tickets.issue(holder("user" + std::to_string(i)), issue_time));
    CHECK_FALSE(tickets.issue(holder("bob"), issue_time));
    CHECK(tickets.issue(holder("bob"), issue_time + 1min));
}
