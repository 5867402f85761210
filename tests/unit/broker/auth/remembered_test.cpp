#include "broker/auth/remembered.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

using namespace sluice::auth;
using namespace std::chrono_literals;

namespace {

const Remembered::Clock::time_point begin_of_time{std::chrono::hours(1)};

UserPtr some_user(const std::string& name) { return std::make_shared<const User>(name, Rights{}); }

}  // namespace

TEST_CASE("a password is remembered for its user and for a while") {
    Remembered remembered;
    const UserPtr alice = some_user("alice"), bob = some_user("bob");
    const Sha256 right = remembered.digest("alice", "secret");
    CHECK_FALSE(remembered.knows(right, *alice, begin_of_time));
    remembered.add(right, alice, begin_of_time);
    CHECK(remembered.knows(right, *alice, begin_of_time));
    CHECK(remembered.knows(right, *alice, begin_of_time + 5min - 1ns));
    CHECK_FALSE(remembered.knows(right, *alice, begin_of_time + 5min));
    CHECK_FALSE(remembered.knows(right, *bob, begin_of_time));
    CHECK_FALSE(remembered.knows(remembered.digest("alice", "secres"), *alice, begin_of_time));
    CHECK_FALSE(remembered.knows(Remembered().digest("alice", "secret"), *alice, begin_of_time));  // another key
}

TEST_CASE("a user who has changed has no remembered password") {
    Remembered remembered;
    const UserPtr before = some_user("alice"), now = some_user("alice");
    const Sha256 right = remembered.digest("alice", "secret");
    remembered.add(right, before, begin_of_time);
    CHECK_FALSE(remembered.knows(right, *now, begin_of_time));
    before->is_revoked = true;
    CHECK_FALSE(remembered.knows(right, *before, begin_of_time));
    remembered.forget_revoked();
    CHECK(remembered.size() == 0);
}

TEST_CASE("the number of remembered passwords is bounded") {
    Remembered remembered;
    const UserPtr alice = some_user("alice");
    for (std::size_t i = 0; i <= Remembered::passwords_max; ++i)
        remembered.add(remembered.digest("alice", std::to_string(i)), alice, begin_of_time);
    CHECK(remembered.size() == Remembered::passwords_max);
    remembered.add(remembered.digest("alice", "later"), alice, begin_of_time + 5min);
    CHECK(remembered.size() == 1);
}
