#include "broker/base/process.hpp"

#include <fcntl.h>
#include <limits>
#include <pthread.h>
#include <sys/resource.h>

namespace sluice::base {

namespace {

constexpr std::size_t stack_bytes = std::size_t{8} << 20;  // Linux's default; only the used part takes memory

}  // namespace

void open_standard_descriptors() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1) open("/dev/null", O_RDWR);  // takes the lowest free number
    }
}

void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t descriptor_limit() {
    rlimit limit{};
    const bool is_known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_known ? limit.rlim_cur : std::numeric_limits<std::size_t>::max();
}

void set_thread_stacks() {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    if (pthread_attr_setstacksize(&attributes, stack_bytes) == 0) pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

}  // namespace sluice::base
