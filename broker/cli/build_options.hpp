// How this program was built, for `sluice --version` and reports of faults.
#pragma once

#include <string>

namespace sluice::cli {

// "sluice 0.1.0", and a line each for the processors and the libraries.
std::string version_text();

}  // namespace sluice::cli
