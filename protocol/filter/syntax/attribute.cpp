#include "protocol/filter/syntax/attribute.hpp"

#include <algorithm>
#include <utility>

#include "protocol/filter/syntax/functions.hpp"
#include "protocol/text/name_characters.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::filter {

namespace {

struct Form {
    Attribute::Function function;
    std::string_view before, after;
};

// In an order in which the first matching form is the right one.
constexpr Form forms[] = {
    {Attribute::Function::string_of_lower_case, "string(lower-case(", "))"},
    {Attribute::Function::string, "string(", ")"},
    {Attribute::Function::normalize_space, "normalize-space(", ")"},
    {Attribute::Function::string_length, "string-length(", ")"},
    {Attribute::Function::count, "count(", ")"},
    {Attribute::Function::sum, "sum(", ")"},
    {Attribute::Function::lower_case, "lower-case(", ")"},
    {Attribute::Function::date, "date(", ")"},
    {Attribute::Function::name, "name(", ")"},
};

std::string to_string(const AttributePath& path) {
    std::string text;
    const auto add = [&](std::string_view step) {
        if (!text.empty()) text += '/';
        text += step;
    };
    for (std::size_t i = 0; i < path.parents; ++i) add("..");
    for (const std::string& child : path.children) add(child);
    if (path.last == AttributePath::Last::attribute) add("@" + path.attribute);
    if (path.last == AttributePath::Last::text) add("text()");
    return text.empty() ? "." : text;
}

bool is_ncname(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto [code, length] = text::utf8_at(text, i);
        if (length == 0 || !(i == 0 ? text::is_name_start(code) : text::is_name_char(code))) return false;
        i += length;
    }
    return !text.empty();
}

bool is_name_or_any(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return text == "*" || is_ncname(text);
    return is_ncname(text.substr(0, colon)) && is_ncname(text.substr(colon + 1));
}

bool add_step(AttributePath& path, std::string_view step) {
    if (path.last != AttributePath::Last::element) return false;
    if (step == "..") {
        ++path.parents;
        return path.children.empty();
    }
    if (step == "text()") {
        path.last = AttributePath::Last::text;
        return true;
    }
    if (step.starts_with('@')) {
        path.last = AttributePath::Last::attribute;
        path.attribute = step.substr(1);
        return is_name_or_any(path.attribute);
    }
    path.children.emplace_back(step);
    return is_name_or_any(step);
}

std::optional<AttributePath> parse_path(std::string_view text) {
    AttributePath path;
    if (text == ".") return path;
    for (bool more = true; more;) {
        const std::size_t slash = text.find('/');
        if (!add_step(path, text.substr(0, slash))) return std::nullopt;
        more = slash != std::string_view::npos;
        if (more) text.remove_prefix(slash + 1);
    }
    return path;
}

bool is_element_only(const AttributePath& path) {
    return path.children.empty() && path.last == AttributePath::Last::element;
}

}  // namespace

std::string to_string(const Attribute& attribute) {
    if (attribute.function == Attribute::Function::path) return "$path";
    const std::string of = attribute.variable.empty() ? to_string(attribute.path) : "$" + attribute.variable;
    for (const Form& form : forms)
        if (form.function == attribute.function) return std::string(form.before) + of + std::string(form.after);
    return of;
}

std::optional<Attribute> parse_attribute(std::string_view text) {
    Attribute attribute;
    if (text == "$path") {
        attribute.function = Attribute::Function::path;
        return attribute;
    }
    for (const Form& form : forms) {
        if (!text.starts_with(form.before) || !text.ends_with(form.after)) continue;
        attribute.function = form.function;
        text = text.substr(form.before.size(), text.size() - form.before.size() - form.after.size());
        break;
    }
    if (text.starts_with('$')) {
        attribute.variable = text.substr(1);
        const bool nameless = attribute.function == Attribute::Function::name;
        return is_variable(attribute.variable) && !nameless ? std::optional(std::move(attribute)) : std::nullopt;
    }
    std::optional<AttributePath> path = parse_path(text);
    if (!path || (attribute.function == Attribute::Function::name && !is_element_only(*path))) return std::nullopt;
    attribute.path = std::move(*path);
    return attribute;
}

bool is_variable(std::string_view name) {
    const auto names = variable_names();
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace sluice::filter
