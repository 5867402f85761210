// For a test that can't run here: it says why, and ctest counts it as skipped if nothing has failed.
#pragma once

#include <string_view>

namespace sluice::testing {

// From the test's own thread.
void skip(std::string_view why);

}  // namespace sluice::testing
