#include "protocol/feed/item/identity.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "protocol/feed/item/field_text.hpp"
#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/item/links.hpp"
#include "protocol/feed/model/node_text.hpp"
#include "protocol/feed/model/text_arena.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/uri_reference.hpp"

namespace sluice::feed {

namespace {

// An address, which means the same wherever it stands, in the form in which addresses are compared; none if it is
// something else. Feeds change from http to https, and some serve both.
std::optional<std::string> comparable_address(std::string_view id, const IgnoredParts& ignored) {
    const std::size_t scheme = id.find(':');
    if (scheme == std::string_view::npos) return std::nullopt;
    std::string room;
    if (text::is_comparable_address(id))  // as most are
        return std::string(ignored.without_parameters(id, room).substr(scheme + 1));
    std::string name = text::ascii_lower(id.substr(0, scheme));
    const bool is_named = name == "urn" || name == "tag";
    if (!text::is_absolute_uri(id) || (!is_named && !id.substr(scheme).starts_with("://"))) return std::nullopt;
    if (text::find_if(id, text::is_ascii_space) != std::string_view::npos) return std::nullopt;
    if (name == "tag") return name.append(id.substr(scheme));  // compared as they are (RFC 4151 §2.4)
    std::string address = text::comparable_uri(ignored.without_parameters(id, room));
    if (name == "http" || name == "https") address.erase(0, scheme + 1);
    return address;
}

// The beginning of a pair, for the second part to be appended: in a form that no other pair has, nor an address.
std::string begin_pair(std::string_view first) { return std::to_string(first.size()).append(":").append(first); }

std::string feed_identity(const Document& document, const IgnoredParts& ignored) {
    constexpr std::size_t bytes_max = 2048;  // it is part of the identity of each item
    const FeedFields& fields = document.feed_fields();
    std::optional<std::string> identity = fields.link;
    TextBlocks texts;
    if (!identity && document.format() == FeedFormat::atom) {
        if (const FieldText id = text_of(document.feed().child("id"), texts)) identity = *id;
    }
    if (!identity) {
        if (const auto self = find_self_link(document.format(), document.feed())) identity = self->text;
    }
    if (!identity) identity = fields.title;
    if (!identity) return {};
    return comparable_address(*identity, ignored).value_or(*identity).substr(0, bytes_max);
}

// The first non-empty value at the path; "" if there is none.
std::string value_at(TreeNode item, std::string_view path) {
    const std::size_t at = path.find('@');
    std::string_view attribute;
    if (at != std::string_view::npos) {
        attribute = path.substr(at + 1);
        path = path.substr(0, at == 0 ? 0 : at - 1);
    }
    TreeNode element = path.empty() ? item : item.at_path(path);
    TextArena arena;
    for (; element; element = element.next_sibling(element.name())) {
        const std::string_view value =
            attribute.empty() ? string_value(element, arena) : element.attribute(attribute).value();
        if (!text::trim(value).empty()) return std::string(text::trim(value));
        if (path.empty()) break;
    }
    return {};
}

std::string cloud_event_id(const Item& item) {
    return begin_pair(item.element.child_value("source")).append(item.element.child_value("id"));
}

}  // namespace

ItemIdentities::ItemIdentities(const Document& document, std::string_view id_path, IgnoredParts ignored)
    : document_(document), id_path_(id_path), ignored_(ignored), feed_(begin_pair(feed_identity(document, ignored))) {}

ItemIdentity ItemIdentities::in_feed(const Item& item) const {
    TextBlocks texts;
    FieldText id = read_id(document_, item, texts);
    if (!id) id = read_link(document_, item, texts);
    if (!id) return {};
    if (auto address = comparable_address(*id, ignored_)) return {Sameness::by_id, std::move(*address)};
    std::string in_this_feed;  // "17" is another item in another feed
    in_this_feed.reserve(feed_.size() + id->size());
    return {Sameness::by_id, std::move(in_this_feed.append(feed_).append(*id))};
}

ItemIdentity ItemIdentities::of(const Item& item) const {
    const FeedFormat format = document_.format();
    if (format == FeedFormat::cloud_event) return {Sameness::by_id_alone, cloud_event_id(item)};
    if (format != FeedFormat::xml && format != FeedFormat::data) return in_feed(item);
    if (!id_path_.empty()) {
        if (std::string id = value_at(item.element, id_path_); !id.empty()) return {Sameness::by_id, std::move(id)};
    }
    return {format == FeedFormat::data ? Sameness::never : Sameness::by_content, {}};
}

}  // namespace sluice::feed
