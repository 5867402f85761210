#include "tests/bench/fanout/peer_process.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "tests/bench/load/process.hpp"
#include "tests/bench/load/socket.hpp"

namespace sluice::fanout {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view log_name = "log";

// Those that `parent` has started and that still run: nginx has workers.
std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> children;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename().string();
        if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
        std::ifstream file(entry.path() / "stat");
        std::string skipped;
        std::getline(file, skipped, ')');  // the name may have blanks
        char state = 0;
        pid_t its_parent = 0;
        if (file >> state >> its_parent && its_parent == parent) children.push_back(std::stoi(name));
    }
    return children;
}

}  // namespace

TemporaryFolder::TemporaryFolder() : path_((fs::temp_directory_path() / "bench-fanout-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(std::string_view name, std::string_view text) const {
    const std::string path = path_ + "/" + std::string(name);
    std::ofstream file(path);
    file << text;
    file.close();
    if (!file) throw std::runtime_error(path + " can't be written");
    return path;
}

std::string TemporaryFolder::read(std::string_view name) const {
    std::ifstream file(path_ + "/" + std::string(name));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<std::string> find_program(std::string_view name) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(std::string(path == nullptr ? "" : path) + ":/usr/local/sbin:/usr/sbin:/usr/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string program = folder + "/" + std::string(name);
        if (!folder.empty() && access(program.c_str(), X_OK) == 0) return program;
    }
    return std::nullopt;
}

std::uint16_t free_port() {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool is_found = bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                          getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    close(descriptor);
    if (!is_found) throw std::system_error(errno, std::generic_category(), "no free port");
    return ntohs(address.sin_port);
}

PeerProcess::PeerProcess(std::unique_ptr<TemporaryFolder> folder, const std::vector<std::string>& command,
                         std::uint16_t port)
    : folder_(std::move(folder)), port_(port) {
    const std::string path = folder_->write(log_name, "");
    const int log = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (log < 0) throw std::system_error(errno, std::generic_category(), path);
    try {
        id_ = load::start_program(command, log);
        wait_until_ready();
    } catch (...) {
        close(log);
        stop();
        throw;
    }
    close(log);
}

void PeerProcess::wait_until_ready() {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (true) {
        try {
            load::Socket::connect("127.0.0.1", port_);
            return;
        } catch (const std::system_error&) {
            if (has_ended() || std::chrono::steady_clock::now() > give_up)
                throw std::runtime_error("it did not start: " + folder_->read(log_name));
        }
        usleep(10'000);
    }
}

bool PeerProcess::has_ended() {
    if (id_ > 0 && waitpid(id_, nullptr, WNOHANG) == id_) id_ = -1;
    return id_ < 0;
}

double PeerProcess::cpu_seconds() const {
    double seconds = load::cpu_seconds(id_);
    for (const pid_t child : children_of(id_)) seconds += load::cpu_seconds(child);
    return seconds;
}

std::string PeerProcess::end() {
    if (has_ended()) return "it ended by itself: " + folder_->read(log_name);
    stop();
    return {};
}

void PeerProcess::stop() {
    if (has_ended()) return;
    kill(id_, SIGTERM);
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!has_ended() && std::chrono::steady_clock::now() < give_up) usleep(10'000);
    if (id_ < 0) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    id_ = -1;
}

}  // namespace sluice::fanout
