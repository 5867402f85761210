// The fields that all feed formats share: the meaning of `$title`, `$published` … in a filter, and the "item" object of
// a delivered event. fields.cpp has each format's mapping, with its source (RFC 4287, RSS 2.0 specification, RSS 1.0,
// Dublin Core, Media RSS, JSON Feed 1.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/feed/item/field_text.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/text_blocks.hpp"

namespace sluice::feed {

// The texts are views of the document, which must outlive them, or of texts_made, as long as that lives.
struct Fields {
    std::optional<std::string_view> title, link, id, summary, content;
    std::optional<double> published, updated;  // seconds since 1970; NaN: the item's date is unreadable
    FieldTexts authors, category;
    TextBlocks texts_made = {};
};

// Texts are trimmed, and absent if that leaves nothing. `link` is absolute if it can be resolved (links.hpp).
Fields read_fields(const Document& document, const Item& item);
// Views of the document, or of texts made of it.
std::optional<std::string_view> read_id(const Document& document, const Item& item, TextBlocks& texts);
std::optional<std::string_view> read_link(const Document& document, const Item& item, TextBlocks& texts);  // as written

// Computes Document::feed_fields(), which then keeps the result.
FeedFields read_feed_fields(const Document& document);

}  // namespace sluice::feed
