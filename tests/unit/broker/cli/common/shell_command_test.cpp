#include "broker/cli/common/shell_command.hpp"

#include <catch2/catch.hpp>
#include <csignal>

#include "tests/unit/broker/cli/ran.hpp"

using namespace sluice::cli;

namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("run_shell_command: input and variables → the command has them") {
    const test::TemporaryFile out("");
    const std::string input = std::string(300'000, 'x') + "\nlast\n";
    const auto ran =
        run_shell_command("{ echo \"$FIRST $SECOND\"; cat; } > \"$OUT\"", input,
                          {{"FIRST", "a b"}, {"SECOND", "'c'"}, {"OUT", out.path()}, {"PATH", "/usr/bin:/bin"}});
    CHECK(ran.error.empty());
    CHECK(ran.exit_status == 0);
    CHECK(bytes_of(out.path()) == "a b 'c'\n" + input);
}

TEST_CASE("run_shell_command: input that is not read → harmless, however long") {
    CHECK(run_shell_command("true", std::string(300'000, 'x'), {}).exit_status == 0);
    CHECK(run_shell_command("head -c 1 > /dev/null", std::string(300'000, 'x'), {}).exit_status == 0);
    CHECK(run_shell_command("test -z \"$(cat)\"", "", {}).exit_status == 0);
}

TEST_CASE("run_shell_command: exit status and signal are the command's") {
    auto ran = run_shell_command("exit 7", "", {});
    CHECK((ran.exit_status == 7 && ran.signal == 0));
    CHECK(run_shell_command("no-such-program 2> /dev/null", "", {}).exit_status == 127);
    ran = run_shell_command("kill -TERM $$", "", {});
    CHECK((ran.exit_status == 128 + SIGTERM && ran.signal == SIGTERM));
}

TEST_CASE("run_shell_command: SIGPIPE, which the client ignores → ends what writes to nobody") {
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    CHECK(run_shell_command("kill -PIPE $$", "", {}).signal == SIGPIPE);
    std::signal(SIGPIPE, before);
}
