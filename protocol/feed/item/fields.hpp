// The fields that all feed formats share: the meaning of `$title`, `$published` … in a filter, and the "item" object of
// a delivered event. fields.cpp has each format's mapping, with its source (RFC 4287, RSS 2.0 specification, RSS 1.0,
// Dublin Core, Media RSS, JSON Feed 1.1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/feed/model/document.hpp"

namespace sluice::feed {

struct Fields {
    std::optional<std::string> title, link, id, summary, content;
    std::optional<double> published, updated;  // seconds since 1970; NaN: the item's date is unreadable
    std::vector<std::string> authors, category;
};

// Texts are trimmed, and absent if that leaves nothing. `link` is absolute if it can be resolved (links.hpp).
Fields read_fields(const Document& document, const Item& item);
std::optional<std::string> read_id(const Document& document, const Item& item);
std::optional<std::string> read_link(const Document& document, const Item& item);  // as it is written

// Computes Document::feed_fields(), which then keeps the result.
FeedFields read_feed_fields(const Document& document);

}  // namespace sluice::feed
