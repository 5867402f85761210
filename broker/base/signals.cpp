#include "broker/base/signals.hpp"

#include <cstring>

namespace sluice::base {

sigset_t block_meaningless_signals() {
    for (const int signal : {SIGPIPE, SIGXFSZ, SIGVTALRM, SIGPROF}) std::signal(signal, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGUSR1, SIGUSR2, SIGALRM, SIGPOLL}) sigaddset(&signals, signal);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return signals;
}

std::string signal_name(int signal) {
    const char* name = sigabbrev_np(signal);
    return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

}  // namespace sluice::base
