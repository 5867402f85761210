// Assertions: what must hold whatever comes from outside, where one part hands over to another. In all builds, so only
// where they cost nothing measurable. One that fails is a fault of the program: it is reported, and the process aborts,
// since going on could lose events or mix them up. Never on bytes from outside, which get an error. Any thread.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace sluice::checks {

// Reports a failed check: the condition's text, and where it is. Returns soon, and checks nothing itself.
using Reporter = void (*)(const char* condition, const char* file, int line) noexcept;

inline void report_on_stderr(const char* condition, const char* file, int line) noexcept {
    std::fprintf(stderr, "sluice: check failed: %s (%s:%d)\n", condition, file, line);
}

// A program with a log sets its own. Called once at most, even if several threads fail.
inline std::atomic<Reporter> reporter{&report_on_stderr};

[[noreturn, gnu::cold, gnu::noinline]] inline void fail(const char* condition, const char* file, int line) noexcept {
    const Reporter report = reporter.exchange(nullptr);
    while (report == nullptr) reporter.wait(nullptr);  // another thread reports, and ends the process
    report(condition, file, line);
    std::abort();
}

}  // namespace sluice::checks

#define SLUICE_CHECK(condition)                                 \
    (__builtin_expect(static_cast<bool>(condition), 1) ? void() \
                                                       : ::sluice::checks::fail(#condition, __FILE__, __LINE__))

// For conditions that cost something, as loops do: only in debug builds, among them those with sanitizers and fuzzers.
#ifdef NDEBUG
#define SLUICE_DEBUG_CHECK(condition) void()
#else
#define SLUICE_DEBUG_CHECK(condition) SLUICE_CHECK(condition)
#endif
