// Names the calling thread for top, perf and debuggers. Linux keeps 15 characters.
#pragma once

#include <pthread.h>
#include <string>

namespace sluice::base {

inline void name_thread(const std::string& name) { pthread_setname_np(pthread_self(), name.substr(0, 15).c_str()); }

}  // namespace sluice::base
