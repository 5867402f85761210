#include "protocol/filter/hints/case_hints.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "protocol/filter/syntax/lower_case.hpp"

namespace sluice::filter {

namespace {

constexpr std::string_view exact_searches[] = {"contains", "starts-with", "ends-with"};

// In \W and (?i) a capital letter stands for something else, and in A?, [AB] and A|b another text may take its place.
bool has_only_plain_letters(std::string_view regular_expression) {
    return regular_expression.find_first_of("\\()[]{}|?*") == std::string_view::npos;
}

}  // namespace

std::string lower_case_meant(const Expression& value, const Expression& text) {
    const Expression& call = is_call(value, "string") ? value.operands[0] : value;
    if (!is_call(call, "lower-case") || text.kind != Expression::Kind::string) return {};
    std::string lower = lower_case(text.text);
    return lower == text.text ? std::string() : lower;
}

std::string lower_case_searched(const Expression& call) {
    const bool exact =
        std::find(std::begin(exact_searches), std::end(exact_searches), call.text) != std::end(exact_searches);
    const bool plain = call.text == "matches" && has_only_plain_letters(call.operands[1].text);
    return exact || plain ? lower_case_meant(call.operands[0], call.operands[1]) : std::string();
}

}  // namespace sluice::filter
