// Links of items and feeds, as they are written and as addresses. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/feed/item/field_text.hpp"
#include "protocol/feed/model/document.hpp"

namespace sluice::feed {

struct Link {
    std::string_view text;  // trimmed, not empty
    TreeNode at;            // the element that has it
};

std::optional<Link> find_item_link(FeedFormat format, const FieldParent& item);
std::optional<Link> find_feed_link(FeedFormat format, const FieldParent& feed);
// Where the feed itself is to be had: Atom's rel="self", also in RSS; JSON Feed's feed_url.
std::optional<Link> find_self_link(FeedFormat format, TreeNode feed);

// Computes FeedFields::base: the feed's link, resolved against the address of the feed itself if it is relative; that
// address if there is no link. Empty if that is too long (base_bytes_max).
std::string feed_base(const Document& document, const std::optional<std::string>& link);

// The address that the link stands for: a relative reference is resolved (RFC 3986) against the nearest xml:base, which
// may be relative to an outer one, at last against the feed's own link, or else against the address of the feed
// itself (FeedFields::base). Nothing if that is as it is written: it is absolute, or none of these is, or they are too
// many or too long (xml_base_at). So an address is little longer than its link, and soon found.
std::optional<std::string> resolved_address(const Link& link, const std::string& base);

}  // namespace sluice::feed
