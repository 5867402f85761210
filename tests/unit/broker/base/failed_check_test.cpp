// This program is run again for a test case that aborts.
#include "broker/base/failed_check.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <sys/wait.h>

#include "gpu/check/check.hpp"

namespace {

struct Ended {
    int status;
    std::string output;
};

// The shell that popen() starts may have become the program, or report how it ended.
bool aborted(int status) {
    return WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT : WEXITSTATUS(status) == 128 + SIGABRT;
}

Ended run_this_program(const std::string& tag) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    std::FILE* const pipe = popen(("'" + program + "' '" + tag + "' 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    std::array<char, 4'096> piece{};
    while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), pipe)) output.append(piece.data(), n);
    return {pclose(pipe), output};
}

}  // namespace

TEST_CASE("aborts by a failed check", "[.][fails-on-stderr]") {
    std::signal(SIGABRT, SIG_DFL);  // Catch's handler is not safe in a signal
    SLUICE_CHECK(1 + 1 == 3);
}

TEST_CASE("aborts by a failed check that is logged", "[.][fails-in-log]") {
    std::signal(SIGABRT, SIG_DFL);
    sluice::base::log_failed_checks();
    SLUICE_CHECK(1 + 1 == 3);
}

TEST_CASE("a check that fails is reported and aborts") {
    const Ended ended = run_this_program("[fails-on-stderr]");
    CHECK(aborted(ended.status));
    CHECK(ended.output.find("sluice: check failed: 1 + 1 == 3 (") != std::string::npos);
    CHECK(ended.output.find("failed_check_test.cpp:") != std::string::npos);
}

TEST_CASE("a check that fails is logged") {
    const Ended ended = run_this_program("[fails-in-log]");
    CHECK(aborted(ended.status));
    CHECK(ended.output.find("error a check failed, a fault of the broker; the process aborts "
                            "condition=\"1 + 1 == 3\" place=") != std::string::npos);
    CHECK(ended.output.find("sluice: check failed") == std::string::npos);
}

TEST_CASE("a check that holds does nothing, and evaluates its condition once") {
    int evaluated = 0;
    SLUICE_CHECK(++evaluated == 1);
    CHECK(evaluated == 1);
}
