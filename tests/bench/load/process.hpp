// The measured broker, as a process. Linux only.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace sluice::load {

// CPU time that a process has used so far, user and system together; 0 if it can't be known.
double cpu_seconds(pid_t process);

// A child process that ends with its owner: it gets SIGTERM and is waited for.
class Child {
public:
    Child() = default;
    explicit Child(const std::vector<std::string>& command);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    pid_t id() const { return id_; }

private:
    pid_t id_ = -1;
};

}  // namespace sluice::load
