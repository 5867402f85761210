// The process of a peer, with a folder of its own for its configuration, its log, and what it writes. Linux only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "tests/bench/fanout/daemon.hpp"

namespace sluice::fanout {

// A new folder, removed with everything in it at the end.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    // Writes a file, and returns its path.
    std::string write(std::string_view name, std::string_view text) const;
    // A file's text; empty if there is none.
    std::string read(std::string_view name) const;

private:
    std::string path_;
};

// The path of an installed program, looked for where Debian has daemons, too.
std::optional<std::string> find_program(std::string_view name);

// A port of 127.0.0.1 that was free a moment ago: peers can't choose one and say which.
std::uint16_t free_port();

class PeerProcess final : public Daemon {
public:
    // Returns when the port takes connections; throws std::runtime_error, with the log, if the process ends instead.
    PeerProcess(std::unique_ptr<TemporaryFolder> folder, const std::vector<std::string>& command, std::uint16_t port);
    ~PeerProcess() override { stop(); }

    std::uint16_t port() const override { return port_; }
    double cpu_seconds() const override;  // with its children
    std::string end() override;

private:
    void wait_until_ready();
    bool has_ended();
    void stop();

    const std::unique_ptr<TemporaryFolder> folder_;
    const std::uint16_t port_;
    pid_t id_ = -1;  // -1: it has ended
};

}  // namespace sluice::fanout
