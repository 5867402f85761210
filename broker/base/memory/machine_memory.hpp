// How much memory the machine has and how much this process uses, as reported by the kernel in /proc and the cgroup
// files. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>

namespace sluice::base {

// Bytes of the machine's memory, or the least limit of the process's cgroups (version 1 or 2) if that is lower; 0:
// unknown. `root` is where /proc and /sys are, for tests.
std::size_t machine_memory(const std::filesystem::path& root = "/");

// Resident bytes of this process; 0: unknown. Allocates nothing.
std::size_t resident_memory() noexcept;

// Makes the daemon's allocator return its free memory to the kernel. Does nothing in programs without jemalloc.
void return_free_memory() noexcept;

}  // namespace sluice::base
