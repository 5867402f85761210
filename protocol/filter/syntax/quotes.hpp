// Recognises text whose quotes were forgotten: in category = politics, politics is a path. Pure functions; any thread.
#pragma once

#include <string_view>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// The name, if the checked expression is a child element's name without a prefix; else "".
std::string_view bare_name(const Expression& e);

// The name that almost surely is text: one that feeds do not use, beside something whose text is usually compared with
// constants (a variable, a well-known element or attribute, name()); else "".
std::string_view text_without_quotes(const Expression& beside, const Expression& e);

// For refusals: "; did you mean the text 'politics'?" if e is a bare name, else "".
std::string suggest_quotes(const Expression& e);

}  // namespace sluice::filter
