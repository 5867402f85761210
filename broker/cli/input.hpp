// Files as the commands take them. Any thread.
#pragma once

#include <boost/system/result.hpp>
#include <string>

namespace sluice::cli {

// The bytes of a file, or of standard input if `path` is "-". The error says why it can't be read.
boost::system::result<std::string> read_input(const std::string& path);

// How `path` is called in a message.
std::string input_name(const std::string& path);

}  // namespace sluice::cli
