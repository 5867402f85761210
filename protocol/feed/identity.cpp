#include "protocol/feed/identity.hpp"

#include <string_view>
#include <utility>

#include "protocol/feed/fields.hpp"
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

// "17" is another item in another feed.
std::string in_feed(const Document& document, const std::string& id) {
    const auto& link = document.feed_fields().link;
    return link ? without_scheme(*link) + '\n' + id : id;
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

ItemIdentity identity_in_feed(const Document& document, const Item& item) {
    if (const auto id = read_id(document, item))
        return {Sameness::by_id, is_address(*id) ? without_scheme(*id) : in_feed(document, *id)};
    if (const auto link = read_link(document, item)) return {Sameness::by_id, without_scheme(*link)};
    return {};
}

std::string cloud_event_id(const Item& item) {
    return std::string(item.element.child_value("source")) + '\n' + item.element.child_value("id");
}

}  // namespace

ItemIdentity item_identity(const Document& document, const Item& item, const std::string& id_path) {
    const FeedFormat format = document.format();
    if (format == FeedFormat::cloud_event) return {Sameness::by_id_alone, cloud_event_id(item)};
    if (format != FeedFormat::xml && format != FeedFormat::data) return identity_in_feed(document, item);
    if (!id_path.empty()) {
        if (std::string id = value_at(item.element, id_path); !id.empty()) return {Sameness::by_id, std::move(id)};
    }
    return {format == FeedFormat::data ? Sameness::never : Sameness::by_content, {}};
}

}  // namespace sluice::feed
