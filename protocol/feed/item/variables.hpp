// The values of a filter's variables ($title, $category, $stream …) for one event, read from its normalised fields.
// Belongs to one thread while it examines the event.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/model/event.hpp"

namespace sluice::feed {

// The variables after `category` are the same for all items of a document.
enum class Variable : std::uint8_t {
    title,
    link,
    id,
    author,
    published,
    updated,
    summary,
    content,
    category,
    stream,
    feed_title,
    feed_link,
};

inline constexpr std::array<std::string_view, 12> field_variables = {
    "title",   "link",    "id",       "author", "published",  "updated",
    "summary", "content", "category", "stream", "feed_title", "feed_link",
};

std::optional<Variable> find_variable(std::string_view name);

class VariableReader {
public:
    explicit VariableReader(const Event& event) : event_(event) {}

    // In document order; times are numbers as XPath writes them. The fields are read on first use.
    std::vector<std::string> values(Variable variable);

private:
    const Event& event_;
    std::optional<Fields> fields_;
    std::optional<FeedFields> feed_fields_;
};

}  // namespace sluice::feed
