// Where the elements of one array of a JSON object stand in its text, which Boost.JSON does not tell.
// Pure function; any thread.
#pragma once

#include <string_view>
#include <vector>

namespace sluice {

// The texts of the elements of the array that is the value of `key` in the outermost object; of the last one, if the
// key is there more than once. `text` is valid JSON. Empty if there is no such array.
std::vector<std::string_view> json_array_elements(std::string_view text, std::string_view key);

}  // namespace sluice
