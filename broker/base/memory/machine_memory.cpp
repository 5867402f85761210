#include "broker/base/memory/machine_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <unistd.h>

namespace sluice::base {

// Of jemalloc. Null in programs without it: unit tests, and all programs with a sanitizer.
extern "C" {
[[gnu::weak]] int mallctl(const char* name, void* old, std::size_t* old_size, void* value, std::size_t size) noexcept;
}

namespace {

namespace fs = std::filesystem;
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr const char* purge_all_arenas = "arena.4096.purge";  // 4096: MALLCTL_ARENAS_ALL

// cgroups write "max" for no limit.
std::size_t limit_in(const fs::path& file) {
    std::ifstream stream(file);
    std::size_t bytes = 0;
    return stream >> bytes ? bytes : no_limit;
}

// A group's limit applies to all groups below it. In a container the path may be the host's: then only the root exists.
std::size_t least_limit(const fs::path& mount, std::string_view group, const char* file) {
    std::size_t least = limit_in(mount / file);
    fs::path folder = fs::path(group).relative_path();
    for (; !folder.empty(); folder = folder.parent_path()) least = std::min(least, limit_in(mount / folder / file));
    return least;
}

// Lines are "0::/user.slice" (version 2) or "4:memory:/user.slice" (version 1).
std::size_t cgroup_limit(const fs::path& root) {
    const fs::path mounts = root / "sys/fs/cgroup";
    std::size_t least = no_limit;
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string_view text(line);
        const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
        const std::string_view group = text.substr(second + 1);
        if (controllers == ",,") {
            least = std::min(least, least_limit(mounts, group, "memory.max"));
        } else if (controllers.find(",memory,") != std::string::npos) {
            least = std::min(least, least_limit(mounts / "memory", group, "memory.limit_in_bytes"));
        }
    }
    return least;
}

std::size_t physical_memory(const fs::path& root) {
    std::ifstream stream(root / "proc/meminfo");
    std::string name, unit;
    for (std::size_t kibibytes = 0; stream >> name >> kibibytes; std::getline(stream, unit))
        if (name == "MemTotal:") return kibibytes << 10;
    return 0;
}

}  // namespace

std::size_t machine_memory(const fs::path& root) { return std::min(physical_memory(root), cgroup_limit(root)); }

std::size_t resident_memory() noexcept {
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[128];
    const ssize_t n = ::read(file, text, sizeof text - 1);
    ::close(file);
    if (n <= 0) return 0;
    text[n] = '\0';
    unsigned long long total = 0, resident = 0;
    if (std::sscanf(text, "%llu %llu", &total, &resident) != 2) return 0;
    return static_cast<std::size_t>(resident) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void return_free_memory() noexcept {
    if (mallctl != nullptr) mallctl(purge_all_arenas, nullptr, nullptr, nullptr, 0);
}

}  // namespace sluice::base
