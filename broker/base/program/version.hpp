// The version of this build, "0.1.0".
#pragma once

#include <string_view>

namespace sluice::base {

std::string_view version();

}  // namespace sluice::base
