#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#ifdef __SANITIZE_THREAD__
// An exception that a future has carried from one thread to another is freed by the last of both. Its count is kept by
// libstdc++, which is not instrumented, so that the thread sanitizer does not see the order.
extern "C" const char* __tsan_default_suppressions() { return "race:std::__future_base::_Result"; }
#endif
