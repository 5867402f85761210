// Unicode simple case folding (Unicode Standard §3.13, CaseFolding.txt statuses C and S): what lower-case() gives.
// Pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Bytes that are no valid UTF-8 stay as they are.
std::string fold_case(std::string_view utf8);

}  // namespace sluice
