// Regular expressions with RE2's syntax and semantics, found anywhere in a text (partial match). Time is linear in the
// text and memory is bounded, whatever the expression. Without the library RE2 there are none: regex_fault() says so.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::regex {

// One compiled expression, usable from any thread.
class Regex {
public:
    virtual ~Regex() = default;
    // Bytes that are not valid UTF-8 match only what matches any byte; they do not end a search.
    virtual bool found_in(std::string_view text) const = 0;
    virtual std::size_t instructions() const = 0;  // of its program
    // The most memory it takes: the program, and the automaton that grows as texts are searched.
    virtual std::size_t bytes_max() const = 0;
};

// Describes what is wrong with the expression or the build; empty if nothing is.
std::string regex_fault(std::string_view expression);

// Returns the same object for the same expression for as long as anyone holds it, since compiling takes tens of
// microseconds and merged segments request it again. The expression must have no fault.
std::shared_ptr<const Regex> compile_regex(std::string_view expression);

// The most bytes of a set's automaton charged to one expression.
constexpr std::size_t regex_set_share_bytes = std::size_t{86} << 10;

// Several expressions searched for in one pass, usable from any thread.
class RegexSet {
public:
    virtual ~RegexSet() = default;
    // Appends the indices of the expressions found in the text, in no particular order. Returns false, with no valid
    // result, if that would take more memory than a set may use.
    virtual bool find(std::string_view text, std::vector<int>& found) const = 0;
};

// Null if the expressions are too large together. None of them may have a fault.
std::unique_ptr<const RegexSet> compile_regex_set(std::span<const std::string_view> expressions);

}  // namespace sluice::regex
