// Guesses the name that somebody meant who wrote an unknown one. Pure function; any thread.
#pragma once

#include <span>
#include <string_view>

namespace sluice::text {

// The known name with the smallest edit distance to the wrong one, the first of several. "" if none is near (more than
// a third of the letters differ), or if the wrong name is too long for a typo.
std::string_view nearest(std::string_view wrong, std::span<const std::string_view> known);

}  // namespace sluice::text
