// Regular expressions in RE2's syntax and meaning, found anywhere in a text (partial match). Linear in the text, and
// bounded in memory, whatever the expression. Without the library RE2 there are none: regex_fault() says so.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace sluice {

// One compiled expression; any thread.
class Regex {
public:
    virtual ~Regex() = default;
    // Bytes that are no valid UTF-8 match only what matches any byte; they end no search.
    virtual bool found_in(std::string_view text) const = 0;
};

// What is wrong with the expression, or with the build; empty if nothing is.
std::string regex_fault(std::string_view expression);

// The same object for the same expression for as long as anyone holds it, since compiling takes tens of microseconds
// and segments that are merged ask again. The expression has no fault.
std::shared_ptr<const Regex> compile_regex(std::string_view expression);

}  // namespace sluice
