#include "protocol/feed/item/variables.hpp"

#include <algorithm>

#include "protocol/filter/syntax/xpath_number.hpp"

namespace sluice::feed {

namespace {

template <class Text>
std::vector<std::string> as_values(const std::optional<Text>& field) {
    if (!field) return {};
    return {std::string(*field)};
}

std::vector<std::string> as_values(const std::optional<double>& field) {
    if (!field) return {};
    return {filter::xpath_string(*field)};
}

std::vector<std::string> as_values(const FieldTexts& texts) { return {texts.begin(), texts.end()}; }

}  // namespace

std::optional<Variable> find_variable(std::string_view name) {
    const auto found = std::ranges::find(field_variables, name);
    if (found == field_variables.end()) return std::nullopt;
    return static_cast<Variable>(found - field_variables.begin());
}

std::vector<std::string> VariableReader::values(Variable variable) {
    if (variable == Variable::stream) return {*event_.stream};
    if (variable > Variable::stream) {
        if (!feed_fields_) feed_fields_ = event_.document->feed_fields();
        return as_values(variable == Variable::feed_title ? feed_fields_->title : feed_fields_->link);
    }
    if (!fields_) fields_ = read_fields(*event_.document, event_.item());
    switch (variable) {
        case Variable::title:
            return as_values(fields_->title);
        case Variable::link:
            return as_values(fields_->link);
        case Variable::id:
            return as_values(fields_->id);
        case Variable::author:
            return as_values(fields_->authors);
        case Variable::published:
            return as_values(fields_->published);
        case Variable::updated:
            return as_values(fields_->updated);
        case Variable::summary:
            return as_values(fields_->summary);
        case Variable::content:
            return as_values(fields_->content);
        default:
            return as_values(fields_->category);
    }
}

}  // namespace sluice::feed
