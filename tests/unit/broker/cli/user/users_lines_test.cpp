// The edits are tested with the program, in tests/e2e/user_command_test.py.
#include "broker/cli/user/users_lines.hpp"

#include <catch2/catch.hpp>

using sluice::cli::UsersLines;

TEST_CASE("UsersLines: a file with other options is no users file, and not edited") {
    CHECK_THROWS_WITH(UsersLines("sluice.yaml", "# of a broker\nhttp:\n  port: 8081\n"),
                      "sluice.yaml:2:1: unknown option \"http\"; a users file has roles and users");
    UsersLines lines("users.yaml", "users:\n  alice: {password: wrong, tokns: []}\n");  // which edits may mend
    lines.add_user("zed", {"operate: true"});
    CHECK(lines.text() == "users:\n  alice: {password: wrong, tokns: []}\n  zed:\n    operate: true\n");
}
