#include "broker/cli/common/shell_command.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace sluice::cli {

namespace {

// A file in memory: unlike a pipe it takes everything at once, also if it is never read.
class InputFile {
public:
    explicit InputFile(std::string_view bytes) : file_(memfd_create("event", MFD_CLOEXEC)) {
        if (file_ == -1) throw std::system_error(errno, std::generic_category());
        while (!bytes.empty()) {
            const ssize_t written = write(file_, bytes.data(), bytes.size());
            if (written == -1) {
                const int error = errno;
                close(file_);
                throw std::system_error(error, std::generic_category());
            }
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
        lseek(file_, 0, SEEK_SET);
    }
    ~InputFile() { close(file_); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    int descriptor() const { return file_; }

private:
    int file_;
};

// How the command begins: with the input, and with SIGPIPE, which this process ignores.
class SpawnSettings {
public:
    explicit SpawnSettings(int input) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
        posix_spawnattr_init(&attributes_);
        sigset_t defaults;
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes_, &defaults);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    const posix_spawn_file_actions_t* actions() const { return &actions_; }
    const posix_spawnattr_t* attributes() const { return &attributes_; }

private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
    std::vector<std::string> all;
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string_view entry(*each);
        const bool is_replaced = std::any_of(variables.begin(), variables.end(), [&](const auto& variable) {
            return entry.starts_with(variable.first + "=");
        });
        if (!is_replaced) all.emplace_back(entry);
    }
    for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

ShellResult run_shell_command(const std::string& command, std::string_view input,
                              const std::vector<std::pair<std::string, std::string>>& variables) {
    constexpr const char* shell = "/bin/sh";
    constexpr int signalled = 128;
    ShellResult result;
    try {
        const InputFile file(input);
        const SpawnSettings settings(file.descriptor());
        std::vector<std::string> words{shell, "-c", command}, environment = environment_with(variables);
        pid_t child = 0;
        if (const int error = posix_spawn(&child, shell, settings.actions(), settings.attributes(),
                                          pointers_to(words).data(), pointers_to(environment).data()))
            throw std::system_error(error, std::generic_category());
        int status = 0;
        while (waitpid(child, &status, 0) == -1)
            if (errno != EINTR) throw std::system_error(errno, std::generic_category());
        if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
        result.exit_status = result.signal != 0 ? signalled + result.signal : WEXITSTATUS(status);
    } catch (const std::system_error& error) {
        result.error = "can't run " + std::string(shell) + ": " + error.code().message();
    }
    return result;
}

}  // namespace sluice::cli
