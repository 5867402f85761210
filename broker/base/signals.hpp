// The daemon's signals. Called by main() before other threads start: all inherit the mask.
#pragma once

#include <csignal>
#include <string>

namespace sluice::base {

// Signals that users and tools may send but that mean nothing here must not end the daemon. SIGUSR1, SIGUSR2, SIGALRM,
// SIGPOLL and the real-time signals are blocked, for sigwait() to receive. SIGPIPE and SIGXFSZ are ignored, since the
// calls that cause them fail with EPIPE and EFBIG; so are SIGVTALRM and SIGPROF, which profilers may handle. Others
// keep their meaning: SIGQUIT, SIGABRT and those of crashes dump core, SIGXCPU, SIGPWR and SIGSTKFLT end the process,
// job control stops and continues it. Returns the blocked signals.
sigset_t block_meaningless_signals();

// "SIGUSR1", or "signal 34" for those without a name.
std::string signal_name(int signal);

}  // namespace sluice::base
