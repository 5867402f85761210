// The measured broker, as a process. Linux only.
#pragma once

#include <cstdint>
#include <future>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace sluice::load {

// The CPU time that a process has used so far, user and system together; 0 if unknown.
double cpu_seconds(pid_t process);

// Lets this process, and those that it starts, open as many files as they may.
void allow_many_descriptors();

// Starts a program, looked for in PATH, that writes its output and its errors to the descriptor `output`. Throws
// std::system_error.
pid_t start_program(std::vector<std::string> command, int output);

// A sluiced on a port of its own choice, which its log names. The rest of what it writes goes to standard error.
class BrokerProcess {
public:
    // Returns when it is ready; throws if it ends instead. `settings` are options such as "matcher.threads=2".
    BrokerProcess(const std::string& program, const std::vector<std::string>& settings);
    ~BrokerProcess() { end(); }
    BrokerProcess(const BrokerProcess&) = delete;
    BrokerProcess& operator=(const BrokerProcess&) = delete;

    pid_t id() const { return id_; }
    std::uint16_t port() const { return port_; }
    // Sends SIGTERM and waits; what waitpid() says, 0 if that has been asked before.
    int end();

private:
    void read_log(int descriptor);

    pid_t id_ = -1;
    std::promise<std::uint16_t> ready_;
    std::uint16_t port_ = 0;
    std::thread log_;
};

}  // namespace sluice::load
