#include "protocol/feed/identity.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "protocol/feed/field_text.hpp"
#include "protocol/feed/fields.hpp"
#include "protocol/feed/links.hpp"
#include "protocol/feed/node_text.hpp"
#include "protocol/feed/text_arena.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

// One that means the same wherever it stands.
bool is_address(std::string_view id) {
    return id.starts_with("urn:") || id.starts_with("tag:") || id.find("://") != std::string_view::npos;
}

// Feeds change from http to https, and some serve both.
std::string without_scheme(std::string_view address) {
    for (const std::string_view scheme : {"https:", "http:"}) {
        if (address.starts_with(scheme)) return std::string(address.substr(scheme.size()));
    }
    return std::string(address);
}

std::string feed_identity(const Document& document) {
    constexpr std::size_t bytes_max = 2048;  // it is part of the identity of each item
    const FeedFields& fields = document.feed_fields();
    std::optional<std::string> identity = fields.link;
    if (!identity && document.format() == FeedFormat::atom) identity = text_of(document.feed().child("id"));
    if (!identity) {
        if (auto self = find_self_link(document.format(), document.feed())) identity = std::move(self->text);
    }
    if (!identity) identity = fields.title;
    return without_scheme(identity.value_or("")).substr(0, bytes_max);
}

// The first non-empty value at the path; "" if there is none.
std::string value_at(pugi::xml_node item, std::string path) {
    const std::size_t at = path.find('@');
    std::string attribute;
    if (at != std::string::npos) {
        attribute = path.substr(at + 1);
        path.resize(at == 0 ? 0 : at - 1);
    }
    pugi::xml_node element = path.empty() ? item : item.first_element_by_path(path.c_str());
    TextArena arena;
    for (; element; element = element.next_sibling(element.name())) {
        const std::string_view value =
            attribute.empty() ? string_value(element, arena) : element.attribute(attribute.c_str()).value();
        if (!text::trim(value).empty()) return std::string(text::trim(value));
        if (path.empty()) break;
    }
    return {};
}

std::string cloud_event_id(const Item& item) {
    return std::string(item.element.child_value("source")) + '\n' + item.element.child_value("id");
}

}  // namespace

ItemIdentities::ItemIdentities(const Document& document, std::string_view id_path, IgnoredParts ignored)
    : document_(document), id_path_(id_path), ignored_(ignored), feed_(feed_identity(document)) {}

ItemIdentity ItemIdentities::in_feed(const Item& item) const {
    std::optional<std::string> id = read_id(document_, item);
    if (!id) id = read_link(document_, item);
    if (!id) return {};
    std::string room;
    if (is_address(*id)) return {Sameness::by_id, without_scheme(ignored_.without_parameters(*id, room))};
    // "17" is another item in another feed.
    return {Sameness::by_id, feed_.empty() ? *id : feed_ + '\n' + *id};
}

ItemIdentity ItemIdentities::of(const Item& item) const {
    const FeedFormat format = document_.format();
    if (format == FeedFormat::cloud_event) return {Sameness::by_id_alone, cloud_event_id(item)};
    if (format != FeedFormat::xml && format != FeedFormat::data) return in_feed(item);
    if (!id_path_.empty()) {
        if (std::string id = value_at(item.element, std::string(id_path_)); !id.empty())
            return {Sameness::by_id, std::move(id)};
    }
    return {format == FeedFormat::data ? Sameness::never : Sameness::by_content, {}};
}

}  // namespace sluice::feed
