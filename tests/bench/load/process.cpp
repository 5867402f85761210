#include "tests/bench/load/process.hpp"

#include <csignal>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace sluice::load {

double cpu_seconds(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string skipped;
    std::getline(file, skipped, ')');  // the name may have blanks
    for (int field = 3; field < 14; ++field) file >> skipped;
    double user = 0, system = 0;
    file >> user >> system;
    return file ? (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
}

Child::Child(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const int error = posix_spawnp(&id_, arguments[0], nullptr, nullptr, arguments.data(), environ);
    if (error != 0) throw std::system_error(error, std::system_category(), command.front());
}

Child::~Child() {
    if (id_ <= 0) return;
    kill(id_, SIGTERM);
    waitpid(id_, nullptr, 0);
}

}  // namespace sluice::load
