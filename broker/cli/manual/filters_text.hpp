// The reference of the filter language, protocol/filter/README.md, as it was when the program was built.
#pragma once

#include <string_view>

namespace sluice::cli {

std::string_view filters_text();

}  // namespace sluice::cli
