// Replaces regex_re2.cpp if the library RE2 was not found.
#include <stdexcept>

#include "gpu/operators/regex/regex.hpp"

namespace sluice::regex {

std::string regex_fault(std::string_view) { return "matches() is not available: this build lacks RE2"; }

std::shared_ptr<const Regex> compile_regex(std::string_view) {
    throw std::logic_error("a regular expression in a build without RE2");
}

std::unique_ptr<const RegexSet> compile_regex_set(std::span<const std::string_view>) { return nullptr; }

}  // namespace sluice::regex
