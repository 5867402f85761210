#include "broker/cli/common/interrupt.hpp"

#include <csignal>

namespace sluice::cli {

namespace {

volatile std::sig_atomic_t noted = 0;

extern "C" void note_interrupt(int signal) { noted = signal; }

void handle_interrupts(void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
    noted = 0;
    handle_interrupts(note_interrupt);
}

Interrupt::~Interrupt() { handle_interrupts(SIG_DFL); }

bool Interrupt::requested() { return noted != 0; }

void end_by_interrupt() {
    if (noted == 0) return;
    handle_interrupts(SIG_DFL);
    std::raise(noted);
}

}  // namespace sluice::cli
