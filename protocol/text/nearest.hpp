// What somebody probably meant who wrote a name that does not exist. Pure function; any thread.
#pragma once

#include <span>
#include <string_view>

namespace sluice {

// The known name of the least edit distance to the wrong one, the first of several; "" if none is near, or if the wrong
// one is too long for a slip of the pen.
std::string_view nearest(std::string_view wrong, std::span<const std::string_view> known);

}  // namespace sluice
