// Unicode simple case folding (Unicode Standard §3.13, CaseFolding.txt statuses C and S), as lower-case() uses it. Pure
// function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::filter {

// Bytes that are not valid UTF-8 stay unchanged.
std::string fold_case(std::string_view utf8);

}  // namespace sluice::filter
