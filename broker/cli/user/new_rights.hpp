// What a new user may do, as a users file has it. Pure functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "broker/cli/user/user_options.hpp"

namespace sluice::cli {

// What is wrong with the rights that the options give, given the names of the file's roles; "": nothing.
std::string find_fault_in_rights(const AddUserOptions& options, const std::vector<std::string>& roles);

// The members of a user with these rights, a line of YAML each.
std::vector<std::string> members_of_rights(const AddUserOptions& options);

}  // namespace sluice::cli
