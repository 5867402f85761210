// Ctrl-C (SIGINT) and SIGTERM during long work: the work is asked to stop, so that the command can erase its progress
// bar and print what it has. A second one ends the process at once.
#pragma once

namespace sluice::cli {

// While it lives, the signals are noted instead of ending the process. One at a time.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // Whether the work should stop. The command then returns exit_interrupted. Any thread.
    static bool requested();
};

// Ends the process as the noted signal would have, so that a shell's loop over commands ends, too. Called from main.
void end_by_interrupt();

}  // namespace sluice::cli
