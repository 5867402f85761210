#include "protocol/feed/identity.hpp"

#include "protocol/feed/fields.hpp"

namespace sluice {

std::string item_identity(const Document& document, const Item& item) {
    if (document.format() == FeedFormat::xml) return {};
    if (auto id = read_id(document, item)) return std::move(*id);
    return read_link(document, item).value_or(std::string());
}

}  // namespace sluice
