// Regular expressions in RE2's syntax and meaning, found anywhere in a text (partial match). Linear in the text, and
// bounded in memory, whatever the expression. Without the library RE2 there are none: regex_fault() says so.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// One compiled expression; any thread.
class Regex {
public:
    virtual ~Regex() = default;
    // Bytes that are no valid UTF-8 match only what matches any byte; they end no search.
    virtual bool found_in(std::string_view text) const = 0;
    virtual std::size_t instructions() const = 0;  // of its program
};

// What is wrong with the expression, or with the build; empty if nothing is.
std::string regex_fault(std::string_view expression);

// The same object for the same expression for as long as anyone holds it, since compiling takes tens of microseconds
// and segments that are merged ask again. The expression has no fault.
std::shared_ptr<const Regex> compile_regex(std::string_view expression);

// Several expressions searched for in one pass; any thread.
class RegexSet {
public:
    virtual ~RegexSet() = default;
    // The indices of those that are found in the text, in no order. False, and nothing is known, if that would take
    // more memory than a set may.
    virtual bool find(std::string_view text, std::vector<int>& found) const = 0;
};

// Null if the expressions, which have no fault, are together too large.
std::unique_ptr<const RegexSet> compile_regex_set(std::span<const std::string_view> expressions);

}  // namespace sluice
