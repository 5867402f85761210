// The same few fields for every feed format: what `$title`, `$published` … stand for in a filter, and the "item" object
// of a delivered event. Each format's mapping is in fields.cpp, with its source (RFC 4287, RSS 2.0 specification,
// RSS 1.0, Dublin Core, Media RSS, JSON Feed 1.1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/feed/document.hpp"

namespace sluice {

struct Fields {
    std::optional<std::string> title, link, id, author, summary, content;
    std::optional<double> published, updated;  // seconds since 1970; NaN: the item has a date that can't be read
    std::vector<std::string> category;
};

// Texts are without white space around them, and absent if that leaves nothing.
Fields read_fields(const Document& document, const Item& item);
std::optional<std::string> read_id(const Document& document, const Item& item);
std::optional<std::string> read_link(const Document& document, const Item& item);

// What Document::feed_fields() gives, which does not look for it again.
FeedFields read_feed_fields(const Document& document);

}  // namespace sluice
