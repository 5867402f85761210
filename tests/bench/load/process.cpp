#include "tests/bench/load/process.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <spawn.h>
#include <stdexcept>
#include <sys/resource.h>
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

void allow_many_descriptors() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

pid_t start_program(std::vector<std::string> command, int output) {
    std::vector<char*> arguments;
    for (auto& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    pid_t id = -1;
    const int error = posix_spawnp(&id, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category(), command[0]);
    return id;
}

BrokerProcess::BrokerProcess(const std::string& program, const std::vector<std::string>& settings) {
    std::vector<std::string> command{program};
    const auto set = [&](const std::string& setting) { command.insert(command.end(), {"--set", setting}); };
    for (const char* setting : {"http.port=0", "log.level=warn", "store.kind=memory"}) set(setting);
    for (const auto& setting : settings) set(setting);
    set("log.format=text");  // read_log() understands it

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    try {
        id_ = start_program(command, ends[1]);
    } catch (...) {
        close(ends[0]);
        close(ends[1]);
        throw;
    }
    close(ends[1]);
    log_ = std::thread([this, log = ends[0]] { read_log(log); });
    try {
        port_ = ready_.get_future().get();
    } catch (...) {
        const int status = end();
        if (WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM) std::abort();  // a crash is not only "did not start"
        throw;
    }
}

int BrokerProcess::end() {
    if (id_ <= 0) return 0;
    int status = 0;
    kill(id_, SIGTERM);
    waitpid(id_, &status, 0);
    id_ = -1;
    log_.join();
    return status;
}

void BrokerProcess::read_log(int descriptor) {
    std::FILE* const log = fdopen(descriptor, "r");
    std::uint16_t listening_port = 0;
    bool is_ready = false;
    char* text = nullptr;
    std::size_t size = 0;
    for (ssize_t n = 0; (n = getline(&text, &size, log)) > 0;) {
        const std::string line(text, static_cast<std::size_t>(n));
        const auto port = line.find(" port=");
        if (!is_ready && line.find(" listening ") != std::string::npos && port != std::string::npos) {
            listening_port = static_cast<std::uint16_t>(std::stoul(line.substr(port + 6)));
        } else if (!is_ready && line.find(" ready ") != std::string::npos) {
            is_ready = true;
            ready_.set_value(listening_port);
        } else {
            std::cerr << line;
        }
    }
    std::free(text);
    std::fclose(log);
    if (!is_ready) ready_.set_exception(std::make_exception_ptr(std::runtime_error("the broker did not start")));
}

}  // namespace sluice::load
