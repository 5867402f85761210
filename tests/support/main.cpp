#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

// The last of the threads that share an exception through a future frees it. Its reference count is kept by libstdc++,
// which is not instrumented, so the thread sanitizer does not see the order. It reads its suppressions here.
extern "C" const char* __tsan_default_suppressions() { return "race:std::__future_base::_Result"; }
