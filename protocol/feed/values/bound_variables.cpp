#include "protocol/feed/values/bound_variables.hpp"

#include <string>
#include <utility>

#include "protocol/feed/item/variables.hpp"
#include "protocol/filter/syntax/functions.hpp"

namespace sluice::feed {

const xpath::VariableValues& BoundVariables::of(const Event& event) {
    const Key key{event.document.get(), event.index, event.stream.get()};
    if (const auto found = bound_.find(key); found != bound_.end()) return found->second.values;
    if (bytes_ > bytes_max) forget();
    Bound& bound = bound_[key];
    bound.event = event;
    xpath::VariableValues& values = bound.values;
    values.version = ++last_version_;
    bytes_ += sizeof bound;
    VariableReader reader(event);
    for (const std::string_view name : filter::variable_names()) {
        const auto first = static_cast<std::uint32_t>(values.texts.size());
        for (std::string& text : reader.values(*find_variable(name))) {
            values.bytes += text.size();
            values.texts.push_back(std::move(text));
        }
        values.ranges.emplace_back(first, static_cast<std::uint32_t>(values.texts.size()));
    }
    bytes_ += values.bytes;
    return values;
}

}  // namespace sluice::feed
