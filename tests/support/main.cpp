#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "tests/support/skip.hpp"

// The last of the threads that share an exception through a future frees it. Its reference count is kept by libstdc++,
// which is not instrumented, so the thread sanitizer does not see the order. It reads its suppressions here.
extern "C" const char* __tsan_default_suppressions() { return "race:std::__future_base::_Result"; }

namespace {

constexpr int skipped_status = 4;  // SKIP_RETURN_CODE in tests/CMakeLists.txt

bool has_skipped = false;

}  // namespace

void sluice::testing::skip(std::string_view why) {
    WARN("skipped: " << why);
    has_skipped = true;
}

int main(int argc, char** argv) {
    const int failed = Catch::Session().run(argc, argv);
    if (failed != 0) return 1;
    return has_skipped ? skipped_status : 0;
}
