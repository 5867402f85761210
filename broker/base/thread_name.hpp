// Names the calling thread for top, perf and debuggers. Linux keeps 15 characters.
#pragma once

#include <cstdio>
#include <pthread.h>

namespace sluice::base {

inline void name_thread(const char* name) noexcept {
    char kept[16];
    std::snprintf(kept, sizeof kept, "%s", name);
    pthread_setname_np(pthread_self(), kept);
}

}  // namespace sluice::base
