// Errors in files, as all commands of this folder write them to the console. Any thread that owns the console.
#pragma once

#include <cstddef>
#include <string>

#include "broker/cli/common/console.hpp"

namespace sluice::cli {

// "can't read FILE: REASON". `path`: "-" is standard input.
void report_unreadable(const std::string& path, const std::string& reason, const Console& console);

// "FILE:LINE: TEXT"; without a line, which is 0 then, "FILE: TEXT".
void report_error(const std::string& path, std::size_t line, const std::string& text, const Console& console);
// Likewise, of what is no error.
void report_warning(const std::string& path, std::size_t line, const std::string& text, const Console& console);
// Of FASTA that was read to its end: with nothing to find in it, no result says what is wrong.
void note_no_sequences(const std::string& path, const Console& console);

}  // namespace sluice::cli
