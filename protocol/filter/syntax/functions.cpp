#include "protocol/filter/syntax/functions.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "protocol/filter/syntax/feed_names.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/nearest.hpp"

namespace sluice::filter {

namespace {

using enum ValueType;
using Origin = Function::Origin;

constexpr Function functions[] = {
    {.name = "last", .arguments = "", .result = number, .reads_context = true},
    {.name = "position", .arguments = "", .result = number, .reads_context = true},
    {.name = "count", .arguments = "n", .result = number},
    {.name = "id", .arguments = "o", .result = node_set, .reads_context = true},
    {.name = "local-name", .arguments = "n", .optional = 1, .result = string, .defaults_to_context = true},
    {.name = "namespace-uri", .arguments = "n", .optional = 1, .result = string, .defaults_to_context = true},
    {.name = "name", .arguments = "n", .optional = 1, .result = string, .defaults_to_context = true},
    {.name = "string", .arguments = "o", .optional = 1, .result = string, .defaults_to_context = true},
    {.name = "concat", .arguments = "ss", .repeats = true, .result = string},
    {.name = "starts-with", .arguments = "ss", .result = boolean},
    {.name = "contains", .arguments = "ss", .result = boolean},
    {.name = "substring-before", .arguments = "ss", .result = string},
    {.name = "substring-after", .arguments = "ss", .result = string},
    {.name = "substring", .arguments = "s##", .optional = 1, .result = string},
    {.name = "string-length", .arguments = "s", .optional = 1, .result = number, .defaults_to_context = true},
    {.name = "normalize-space", .arguments = "s", .optional = 1, .result = string, .defaults_to_context = true},
    {.name = "translate", .arguments = "sss", .result = string},
    {.name = "boolean", .arguments = "o", .result = boolean},
    {.name = "not", .arguments = "b", .result = boolean},
    {.name = "true", .arguments = "", .result = boolean},
    {.name = "false", .arguments = "", .result = boolean},
    {.name = "lang", .arguments = "s", .result = boolean, .reads_context = true},
    {.name = "number", .arguments = "o", .optional = 1, .result = number, .defaults_to_context = true},
    {.name = "sum", .arguments = "n", .result = number},
    {.name = "floor", .arguments = "#", .result = number},
    {.name = "ceiling", .arguments = "#", .result = number},
    {.name = "round", .arguments = "#", .result = number},

    {.name = "ends-with", .arguments = "ss", .result = boolean, .origin = Origin::added},
    {.name = "lower-case", .arguments = "s", .result = string, .origin = Origin::added},
    {.name = "date", .arguments = "s", .result = number, .origin = Origin::added},

    {.name = "matches", .arguments = "ss", .result = boolean, .origin = Origin::kernel},
    {.name = "approx-contains", .arguments = "ss#", .result = boolean, .origin = Origin::kernel},
    {.name = "approx-distance", .arguments = "sss", .optional = 1, .result = number, .origin = Origin::kernel},
    {.name = "edit-distance", .arguments = "sss", .optional = 1, .result = number, .origin = Origin::kernel},
    {.name = "align", .arguments = "sss", .optional = 1, .result = number, .origin = Origin::kernel},
    {.name = "align-global", .arguments = "sss", .optional = 1, .result = number, .origin = Origin::kernel},
    {.name = "laminarity", .arguments = "s##", .optional = 1, .result = number, .origin = Origin::kernel},
    {.name = "determinism", .arguments = "s##", .optional = 1, .result = number, .origin = Origin::kernel},
    {.name = "recurrence-rate", .arguments = "s#", .result = number, .origin = Origin::kernel},
};

constexpr std::string_view variables[] = {
    "title",   "link",    "id",       "author", "published",  "updated",
    "summary", "content", "category", "stream", "feed_title", "feed_link",
};

// `meant`: what the wrong name is known to mean, if anything.
std::string suggest(std::string_view wrong, std::string_view meant, std::span<const std::string_view> candidates,
                    std::string_view prefix) {
    if (meant.empty()) meant = text::nearest(text::ascii_lower(wrong), candidates);
    return meant.empty() ? std::string() : " (did you mean '" + std::string(prefix) + std::string(meant) + "'?)";
}

}  // namespace

const Function* find_function(std::string_view name) {
    const auto found =
        std::find_if(std::begin(functions), std::end(functions), [&](const Function& f) { return f.name == name; });
    return found == std::end(functions) ? nullptr : found;
}

std::span<const std::string_view> variable_names() { return variables; }

std::string suggest_variable(std::string_view wrong) { return suggest(wrong, variable_meant(wrong), variables, "$"); }

std::string suggest_function(std::string_view wrong) {
    std::array<std::string_view, std::size(functions)> names;
    std::transform(std::begin(functions), std::end(functions), names.begin(), [](const Function& f) { return f.name; });
    return suggest(wrong, function_meant(wrong), names, "");
}

}  // namespace sluice::filter
