#include "broker/base/process_metrics.hpp"

#include <chrono>
#include <dirent.h>
#include <memory>
#include <sys/resource.h>

#include "broker/base/memory/machine_memory.hpp"
#include "broker/base/process.hpp"

namespace sluice::base {

namespace {

std::uint64_t cpu_microseconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto in_us = [](const timeval& time) {
        return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
    };
    return in_us(usage.ru_utime) + in_us(usage.ru_stime);
}

// 0: unknown.
std::int64_t open_descriptors() {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
    if (!folder) return 0;
    std::int64_t n = -3;  // ".", "..", and the folder itself
    while (readdir(folder.get()) != nullptr) ++n;
    return n;
}

}  // namespace

void register_process_metrics(MetricRegistry& metrics) {
    metrics.observed_counter({.name = "process_cpu_seconds",
                              .help = "CPU time of the process",
                              .unit = "seconds",
                              .per_unit = 1'000'000,
                              .status = "process.cpu_seconds"},
                             {}, cpu_microseconds);
    metrics.observed_gauge({.name = "process_resident_memory_bytes",
                            .help = "Resident memory of the process; 0: unknown",
                            .unit = "bytes",
                            .status = "memory.resident"},
                           {}, [] { return static_cast<std::int64_t>(resident_memory()); });
    metrics.observed_gauge(
        {.name = "process_open_fds", .help = "Open file descriptors; 0: unknown", .status = "process.open_descriptors"},
        {}, open_descriptors);
    metrics.observed_gauge({.name = "process_max_fds",
                            .help = "The most file descriptors that may be open",
                            .status = "process.descriptors_max"},
                           {}, [] { return static_cast<std::int64_t>(descriptor_limit()); });
    using namespace std::chrono;
    const auto begun = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    metrics
        .gauge({.name = "process_start_time_seconds",
                .help = "When the process started, in seconds since 1970",
                .unit = "seconds",
                .per_unit = 1'000,
                .status = "process.start_time"})
        .set(begun);
}

}  // namespace sluice::base
