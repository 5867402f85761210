#include "broker/base/watchdog.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using sluice::base::Watchdog;

namespace {

// The exit status of a process that runs `act` and then hangs; 0 if it exits normally.
int status_of(const std::function<void()>& act) {
    const pid_t child = fork();
    if (child == 0) {
        act();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void wait_for_ever() {
    for (;;) pause();
}

}  // namespace

TEST_CASE("a watchdog ends the process at its deadline, after its last words") {
    int words[2];
    REQUIRE(pipe(words) == 0);
    CHECK(status_of([&] {
              Watchdog watchdog(7);
              watchdog.arm(Watchdog::Clock::now(), [&] { (void)!write(words[1], "a", 1); });
              wait_for_ever();
          }) == 7);
    close(words[1]);
    char word = 0;
    REQUIRE(read(words[0], &word, 1) == 1);
    CHECK(word == 'a');
    close(words[0]);
}

TEST_CASE("last words that do not end do not keep the process") {
    CHECK(status_of([] {
              Watchdog watchdog(7);
              watchdog.arm(Watchdog::Clock::now(), wait_for_ever);
              wait_for_ever();
          }) == 7);
}

TEST_CASE("a watchdog that is destroyed in time does nothing") {
    CHECK(status_of([] {
              Watchdog idle(7);
              Watchdog armed(7);
              armed.arm(Watchdog::Clock::now() + std::chrono::hours(1), [] { _exit(8); });
          }) == 0);
}
